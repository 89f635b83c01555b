import MarkdownIt from 'markdown-it';

const SCHEMES = /^(?:https?|mailto):/i;
/** Longer paragraphs are shown as they are written: parsing them could hold up the page. */
export const LONGEST_PARSED = 20_000;

/**
 * Markdown to HTML. Raw HTML is text, pictures become links (nothing is loaded from elsewhere), and a
 * link keeps its target only with a scheme that may be opened. The result is sanitised once more
 * before it is shown.
 */
export function createMarkdown(imageLabel: (alt: string) => string): (text: string) => string {
  const markdown = new MarkdownIt({ html: false, linkify: true, maxNesting: 20 });
  markdown.validateLink = (url) => SCHEMES.test(url.trim());
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  const { rules } = markdown.renderer;
  rules['image'] = (tokens, index) => {
    const token = tokens[index];
    const href = String(token?.attrGet('src') ?? '');
    const label = markdown.utils.escapeHtml(imageLabel(token?.content || href));
    return `<a href="${markdown.utils.escapeHtml(href)}">${label}</a>`;
  };
  rules['link_open'] = (tokens, index, options, _env, self) => {
    const token = tokens[index];
    // The words of a link may say anything; its true target is what the pointer shows.
    token?.attrSet('title', token.attrGet('href') ?? '');
    return self.renderToken(tokens, index, options);
  };
  for (const rule of ['heading_open', 'heading_close'] as const) {
    rules[rule] = (tokens, index, options, _env, self) => {
      const token = tokens[index];
      // The page's own headings are 1 to 3: what a message calls 1 comes below them.
      if (token) token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + 3)}`;
      return self.renderToken(tokens, index, options);
    };
  }
  return (text) => markdown.render(text);
}

/** What the sanitiser lets through: no identifiers, no styles, no frames, no media. */
export const ALLOWED = {
  tags: [
    ...['p', 'br', 'strong', 'em', 's', 'code', 'pre', 'a', 'ul', 'ol', 'li', 'blockquote', 'hr'],
    ...['h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'span'],
  ],
  attributes: ['href', 'title', 'start'],
} as const;
