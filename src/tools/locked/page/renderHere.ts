import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';

export interface Page {
  readonly title?: string;
  readonly content: string;
}

/**
 * Converts HTML to Markdown or text: the article if the page has one, else the whole body. The time
 * grows quadratically with the page's size and depth; the caller must bound both, or the time.
 */
export function renderHere(html: string, url: string, format: 'markdown' | 'text'): Page {
  const { document } = parseHTML(whole(html));
  for (const node of document.querySelectorAll(UNSEEN)) node.remove();
  absoluteLinks(document, url);
  const title = document.title?.trim();
  const all = document.body?.innerHTML ?? html;
  const article = readArticle(document);
  // Readability drops most of a page that is not an article, such as an index.
  const enough = article !== undefined && article.length * 4 >= toText(all).length;
  const chosen = enough && article !== undefined ? article.html : all;
  const content = format === 'text' ? toText(chosen) : toMarkdown(chosen);
  return { ...(title && { title }), content };
}

/** The parser needs a document, so a fragment is wrapped in a body. */
function whole(html: string): string {
  return /<html[\s>]/i.test(html) ? html : `<!doctype html><html><body>${html}</body></html>`;
}

const UNSEEN = 'script, style, noscript, template, iframe, object, embed, svg, link, meta';

const BLOCKS =
  'p, div, li, br, tr, pre, section, article, h1, h2, h3, h4, h5, h6, blockquote, dt, dd';

function readArticle(document: Document) {
  // Readability modifies the document, so it gets a copy.
  const copy = document.cloneNode(true);
  const parsed = new Readability(copy as Document).parse();
  if (!parsed?.content) return undefined;
  return { html: parsed.content, length: parsed.textContent?.length ?? 0 };
}

function toMarkdown(html: string): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
  });
  const { document } = parseHTML(whole(html));
  return service
    .turndown(document.body)
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function toText(html: string): string {
  const { document } = parseHTML(whole(html));
  // Only block elements start a new line.
  for (const block of document.querySelectorAll(BLOCKS)) block.append('\n');
  const text = document.body.textContent ?? '';
  return text
    .replace(/[ \t]+/g, ' ')
    .replace(/\s*\n\s*/g, '\n')
    .trim();
}

function absoluteLinks(document: Document, url: string): void {
  for (const link of document.querySelectorAll('a[href]')) {
    const href = link.getAttribute('href') ?? '';
    if (URL.canParse(href, url)) link.setAttribute('href', new URL(href, url).href);
  }
}
