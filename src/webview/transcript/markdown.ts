import MarkdownIt from 'markdown-it';

const SCHEMES = /^(?:https?|mailto):/i;
/** Longer paragraphs, in characters, are shown as plain text: parsing could block the page. */
export const LONGEST_PARSED = 20_000;

/**
 * Converts Markdown to HTML. Raw HTML is escaped, images become links so that nothing remote is
 * loaded, and links keep their target only with an allowed scheme. The caller sanitizes the result.
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
    // The link text can be misleading, so show the real target on hover.
    token?.attrSet('title', token.attrGet('href') ?? '');
    return self.renderToken(tokens, index, options);
  };
  for (const rule of ['heading_open', 'heading_close'] as const) {
    rules[rule] = (tokens, index, options, _env, self) => {
      const token = tokens[index];
      // The page uses heading levels 1 to 3, so headings in messages start at 4.
      if (token) token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + 3)}`;
      return self.renderToken(tokens, index, options);
    };
  }
  return (text) => markdown.render(text);
}

/** The tags and attributes that the sanitizer keeps: no ids, styles, frames or media. */
export const ALLOWED = {
  tags: [
    ...['p', 'br', 'strong', 'em', 's', 'code', 'pre', 'a', 'ul', 'ol', 'li', 'blockquote', 'hr'],
    ...['h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'span'],
  ],
  attributes: ['href', 'title', 'start'],
} as const;
