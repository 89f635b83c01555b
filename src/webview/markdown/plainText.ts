import createMarkdownIt, { type MarkdownIt, type Token } from 'markdown-it';
import { EMPTY_SPLIT, splitBlocks } from './blocks.ts';
import { isCut, LONGEST_PARSED, MOST_LEVELS } from './markdown.ts';

/** Created with the first message that is copied. */
let parser: MarkdownIt | undefined;

/**
 * The text of a message without its Markdown, as it is pasted into a mail: list items keep their
 * marks, cells of tables are separated by tabs, and links name their target behind their text.
 */
export function toPlainText(markdown: string): string {
  parser ??= createMarkdownIt({ html: false, maxNesting: MOST_LEVELS });
  const { split, open } = splitBlocks(markdown, EMPTY_SPLIT, true);
  const texts = [...split.blocks, ...(open ? [open] : [])].map(({ type, text }) =>
    type === 'code' || text.length > LONGEST_PARSED
      ? text
      : writeText(text, parser?.parse(text, {}) ?? []),
  );
  return texts.map((text) => text.replace(/^\n+|\s+$/g, '')).join('\n\n');
}

function writeText(text: string, tokens: readonly Token[]): string {
  return isCut(tokens) ? text : writeBlocks(tokens);
}

/** A list item or a quote: what its first line begins with, and its others. */
interface Level {
  first: string;
  readonly rest: string;
}

function writeBlocks(tokens: readonly Token[]): string {
  const writer = new Writer();
  for (const token of tokens) {
    const { type, level, nesting, hidden } = token;
    if (nesting !== -1 && (level === 0 || (type === 'paragraph_open' && !hidden)))
      writer.separate();
    WRITERS[type]?.(writer, token);
  }
  return writer.lines.join('\n');
}

/** What the tokens write. Those of other types have no text of their own. */
const WRITERS: Readonly<Record<string, (writer: Writer, token: Token) => void>> = {
  bullet_list_open: (writer) => writer.openList(undefined),
  ordered_list_open: (writer, { attrs }) => writer.openList(Number(attrs?.[0]?.[1] ?? 1)),
  bullet_list_close: (writer) => writer.closeList(),
  ordered_list_close: (writer) => writer.closeList(),
  list_item_open: (writer) => writer.openItem(),
  list_item_close: (writer) => writer.close(),
  blockquote_open: (writer) => writer.open('> ', '> '),
  blockquote_close: (writer) => writer.close(),
  tr_open: (writer) => writer.openRow(),
  tr_close: (writer) => writer.closeRow(),
  hr: (writer) => writer.write('---'),
  inline: (writer, { children }) => writer.write(writeInline(children ?? [])),
  code_block: (writer, { content }) => writer.write(content),
  fence: (writer, { content }) => writer.write(content),
};

/** Lines under the marks of the lists and quotes that they are in. */
class Writer {
  readonly lines: string[] = [];
  readonly #levels: Level[] = [];
  /** The numbers of the next items. */
  readonly #numbers: (number | undefined)[] = [];
  #cells: string[] | undefined;
  #gap = false;

  /** The next line comes after an empty one. */
  separate(): void {
    this.#gap = true;
  }

  write(text: string): void {
    if (this.#cells !== undefined) {
      this.#cells.push(text);
      return;
    }
    if (this.#gap && this.lines.length > 0) this.lines.push('');
    this.#gap = false;
    for (const line of text.replace(/\n$/, '').split('\n')) {
      this.lines.push(`${this.#levels.map(takeMark).join('')}${line}`.trimEnd());
    }
  }

  open(first: string, rest: string): void {
    this.#levels.push({ first, rest });
  }

  close(): void {
    this.#levels.pop();
  }

  openList(number: number | undefined): void {
    this.#numbers.push(number);
  }

  closeList(): void {
    this.#numbers.pop();
  }

  openItem(): void {
    const number = this.#numbers.pop();
    this.#numbers.push(number === undefined ? undefined : number + 1);
    const mark = number === undefined ? '- ' : `${number}. `;
    this.open(mark, ' '.repeat(mark.length));
  }

  openRow(): void {
    this.#cells = [];
  }

  closeRow(): void {
    const text = this.#cells?.join('\t') ?? '';
    this.#cells = undefined;
    this.write(text);
  }
}

function takeMark(level: Level): string {
  const mark = level.first;
  level.first = level.rest;
  return mark;
}

function writeInline(tokens: readonly Token[]): string {
  let text = '';
  const links: { readonly from: number; readonly href: string }[] = [];
  for (const { type, content, attrs } of tokens) {
    if (type === 'softbreak') text += ' ';
    else if (type === 'hardbreak') text += '\n';
    else if (type === 'link_open') {
      const href = attrs?.find(([name]) => name === 'href')?.[1] ?? '';
      links.push({ from: text.length, href: String(href) });
    } else if (type === 'link_close') {
      const { from = 0, href = '' } = links.pop() ?? {};
      if (href !== '' && text.slice(from) !== href) text += ` (${href})`;
    } else text += content;
  }
  return text;
}
