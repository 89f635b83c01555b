import createMarkdownIt, { type MarkdownIt, type Token } from 'markdown-it';
import { addPathLinks, isHost } from './pathLinks.ts';
import { addTaskLists } from './taskLists.ts';

const SCHEMES = /^(?:https?|mailto):/i;
/** A link without a scheme, which may name a file. The extension looks for it in the workspace. */
const FILES = /^(?:[a-z]:\/(?!\/)|(?![a-z][a-z0-9+.-]*:)(?!\/\/)[^#?])/i;
/** A path and a line look like a scheme: `app.ts:10`. */
const LINE = /^[^:?#\\]*\.[^.:?#\\/]*:\d+(?:(?:[:–-]|%E2%80%93)\d+)?$/i;
/** Longer paragraphs, in characters, are shown as plain text: parsing could block the page. */
export const LONGEST_PARSED = 20_000;

/** Lists and quotes in each other, two for each list. A text with more is shown as it is written. */
export const MOST_LEVELS = 20;

/** The texts that Markdown has no words for. The image's is filled with its description. */
export type MarkdownLabels = (
  key: 'image' | 'taskDone' | 'taskOpen',
  ...values: readonly string[]
) => string;

/**
 * Converts Markdown to HTML. Raw HTML is escaped, images become links so that nothing remote is
 * loaded, and links keep their target only with an allowed scheme or if they name a file. The caller
 * sanitizes the result.
 */
export function createMarkdown(labels: MarkdownLabels): (text: string) => string {
  const markdown = createMarkdownIt({ html: false, linkify: true, maxNesting: MOST_LEVELS });
  markdown.validateLink = isAllowedLink;
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  addTaskLists(markdown, labels);
  addPathLinks(markdown);
  const { rules } = markdown.renderer;
  rules['image'] = (tokens, index) => {
    const token = tokens[index];
    const href = String(token?.attrGet('src') ?? '');
    const label = markdown.utils.escapeHtml(labels('image', token?.content || href));
    const address = markdown.utils.escapeHtml(href);
    // The label is the model's, so show the real target on hover, as for other links.
    return `<a href="${address}" title="${address}">${label}</a>`;
  };
  change(markdown, ['link_open'], (token) => {
    // The link text can be misleading, so show the real target on hover.
    token.attrSet('title', token.attrGet('href') ?? '');
  });
  change(markdown, ['heading_open', 'heading_close'], (token) => {
    // The page uses heading levels 1 to 3. Answers begin with any of the first three, so all are 4: none is left out.
    token.tag = `h${Math.min(6, Math.max(4, Number(token.tag.slice(1)) + 1))}`;
    if (token.nesting === 1) token.attrSet('dir', 'auto');
  });
  // Of lists and quotes as a whole, or a mark would be where there is no room for it. Each of their lines is
  // aligned by its own text all the same: see the style sheet.
  const blocks = ['paragraph_open', 'bullet_list_open', 'ordered_list_open', 'blockquote_open'];
  change(markdown, blocks, (token) => {
    if (token.level === 0) token.attrSet('dir', 'auto');
  });
  change(markdown, ['th_open', 'td_open'], (token) => {
    // A style would be refused by the page's policy, with a report for each cell.
    const side = /text-align:(left|center|right)/.exec(String(token.attrGet('style') ?? ''))?.[1];
    token.attrs = [['dir', 'auto'], ...(side === undefined ? [] : [pair('class', side)])];
  });
  // What scrolls takes the keyboard.
  rules['table_open'] = () => '<div class="table" tabindex="0"><table>';
  rules['table_close'] = () => '</table></div>';
  return (text) => {
    const tokens = markdown.parse(text, {});
    if (isCut(tokens)) {
      return `<div class="plain" dir="auto">${markdown.utils.escapeHtml(text)}</div>`;
    }
    return markdown.renderer.render(tokens, markdown.options, {});
  };
}

/** Whether the parser has left something out: the content of a list or a quote at the last level. */
export function isCut(tokens: readonly Token[]): boolean {
  return tokens.some(
    ({ type, level }) =>
      level >= MOST_LEVELS - 1 && (type === 'list_item_open' || type === 'blockquote_open'),
  );
}

function pair(name: string, side: string): [string, string] {
  return [name, `align-${side}`];
}

/** Whether a link may keep its target. What it names is checked when it is opened. */
export function isAllowedLink(href: string): boolean {
  const url = href.trim();
  // Browsers drop some control characters, which can hide a scheme, and take backslashes for slashes.
  if (/[\p{Cc}\s\\]/u.test(url)) return false;
  if (SCHEMES.test(url)) return true;
  // The rest of a path is decoded, so the same characters must not be in it as escapes.
  if (/%(?:5c|[01][0-9a-f]|7f)/i.test(url) || isHost(url)) return false;
  return FILES.test(url) || LINE.test(url);
}

/** Changes tokens right before they are written. */
function change(
  markdown: MarkdownIt,
  names: readonly string[],
  edit: (token: Token) => void,
): void {
  for (const name of names) {
    markdown.renderer.rules[name] = (tokens, index, options, _env, self) => {
      const token = tokens[index];
      if (token && !token.hidden) edit(token);
      return self.renderToken(tokens, index, options);
    };
  }
}

/** The tags and attributes that the sanitizer keeps: no ids, styles, frames or media. */
export const ALLOWED = {
  tags: [
    ...['p', 'br', 'strong', 'em', 's', 'code', 'pre', 'a', 'ul', 'ol', 'li', 'blockquote', 'hr'],
    ...['h4', 'h5', 'h6', 'div', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'span'],
  ],
  attributes: ['href', 'title', 'start', 'dir', 'class', 'role', 'aria-label', 'tabindex'],
  /** Classes that only this module makes. */
  classes: ['table', 'task', 'plain', 'path', 'align-left', 'align-center', 'align-right'],
} as const;
