import type { MarkdownIt, Token } from 'markdown-it';

const NAME = String.raw`[\p{L}\p{N}_@.+~-]+`;
const ENDING = String.raw`\.[A-Za-z][A-Za-z0-9]{0,9}`;
const DRIVE = '(?:[A-Za-z]:/)?';
const LINES = String.raw`:\d+(?:[:–-]\d+)?`;
const POSITION = String.raw`(?:${LINES}|#L\d+(?:-L?\d+)?)`;
/** `src/app.ts`, `./app.ts:10`, `app.ts:10:5`; not `app.ts`, which may be an expression. */
const CODE = new RegExp(
  String.raw`^(?:(?:${DRIVE}|\.{0,2}/)(?:${NAME}/)+${NAME}${ENDING}${POSITION}?|\.{0,2}/${NAME}${ENDING}${POSITION}?|${NAME}${ENDING}${POSITION})$`,
  'u',
);
/** In running text only with a line, because "and/or.maybe" is no path. */
const TEXT = new RegExp(
  String.raw`(?<![\p{L}\p{N}_@.+~/:-])(?:${DRIVE}|\.{0,2}/)(?:${NAME}/)*${NAME}${ENDING}${LINES}(?![\p{L}\p{N}_/:])`,
  'gu',
);

/** `example.com:443` and `10.0.0.1:80` look like a file and a line. */
const HOST =
  /^(?:(?:[a-z0-9-]+\.)+(?:com|org|net|edu|gov|info|io|dev|ai|co|eu|de|uk|local|internal|lan|test|example|invalid)|\d+(?:\.\d+){3}):\d+$/i;

/** Whether a text names a port of a host. */
export function isHost(text: string): boolean {
  return HOST.test(text);
}

/** Makes paths of files links, in code and, with a line, in running text. */
export function addPathLinks(markdown: MarkdownIt): void {
  markdown.core.ruler.after('linkify', 'path-links', ({ tokens, Token: Made }) => {
    for (const { children, type } of tokens) {
      if (type !== 'inline' || children === null) continue;
      const made = children.flatMap(outsideLinks((token) => toLinks(token, Made)));
      children.splice(0, children.length, ...made);
    }
  });
}

type MadeToken = new (type: string, tag: string, nesting: -1 | 0 | 1) => Token;

/** Leaves what stands in a link. */
function outsideLinks(convert: (token: Token) => Token[]): (token: Token) => Token[] {
  let depth = 0;
  return (token) => {
    if (token.type === 'link_open') depth += 1;
    if (token.type === 'link_close') depth -= 1;
    return depth > 0 ? [token] : convert(token);
  };
}

function toLinks(token: Token, Made: MadeToken): Token[] {
  if (token.type === 'code_inline') {
    return CODE.test(token.content) && !isHost(token.content)
      ? link(token.content, token, Made)
      : [token];
  }
  if (token.type !== 'text') return [token];
  const made: Token[] = [];
  let from = 0;
  for (const { 0: path, index } of token.content.matchAll(TEXT)) {
    if (isHost(path)) continue;
    made.push(text(token.content.slice(from, index), Made));
    made.push(...link(path, text(path, Made), Made));
    from = index + path.length;
  }
  return from === 0 ? [token] : [...made, text(token.content.slice(from), Made)];
}

function text(content: string, Made: MadeToken): Token {
  const token = new Made('text', '', 0);
  token.content = content;
  return token;
}

function link(href: string, shown: Token, Made: MadeToken): Token[] {
  const open = new Made('link_open', 'a', 1);
  open.attrs = [
    ['href', href],
    ['class', 'path'],
  ];
  return [open, shown, new Made('link_close', 'a', -1)];
}
