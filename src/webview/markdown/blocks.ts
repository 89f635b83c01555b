/** A part of a message that is rendered separately. Only the last one can still change. */
export type Block =
  | { readonly type: 'markdown'; readonly text: string; readonly closed: boolean }
  | {
      readonly type: 'code';
      readonly text: string;
      readonly language: string;
      readonly closed: boolean;
    };

/** The finished blocks of a message, and the offset where the rest begins. */
export interface Split {
  readonly blocks: readonly Block[];
  readonly rest: number;
}

export const EMPTY_SPLIT: Split = { blocks: [], rest: 0 };

/** What follows three backticks has none, or the line is inline code. */
const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*?)\r?$/;
const LIST_ITEM = /^(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)/;
/** A line that more text may make one. */
const LIST_START = /^\d{1,9}$/;
/** A list with blank lines between its items stays one block up to this length, in characters. */
const LONGEST_LIST = 4_000;

/**
 * Splits a growing message into blocks. `split` is the previous result, so only the tail is parsed
 * again. The last block stays open until more text, or `done`, shows that it has ended.
 */
export function splitBlocks(
  text: string,
  split: Split,
  done: boolean,
): { readonly split: Split; readonly open: Block | undefined } {
  const blocks = [...split.blocks];
  let rest = split.rest;
  for (;;) {
    const next =
      blocks.length < MOST_BLOCKS
        ? takeBlock(text.slice(rest), done)
        : takeRest(text.slice(rest), done);
    if (next === undefined) break;
    if (!next.block.closed) return { split: { blocks, rest }, open: next.block };
    blocks.push(next.block);
    rest += next.length;
  }
  return { split: { blocks, rest }, open: undefined };
}

/** Maximum number of blocks, and so of elements, in a message. The rest becomes one block. */
export const MOST_BLOCKS = 1_000;

function takeRest(text: string, done: boolean): Taken | undefined {
  if (text.trim() === '') return undefined;
  return { block: { type: 'markdown', text, closed: done }, length: text.length };
}

interface Taken {
  readonly block: Block;
  /** Length in characters, including surrounding blank lines. */
  readonly length: number;
}

function takeBlock(text: string, done: boolean): Taken | undefined {
  const start = /^(?:[ \t\r]*\n)*/.exec(text)?.[0].length ?? 0;
  const body = text.slice(start);
  if (body.trim() === '') return undefined;
  const taken = FENCE.test(firstLine(body)) ? takeFence(body, done) : takeMarkdown(body, done);
  return { block: taken.block, length: taken.length + start };
}

function takeFence(body: string, done: boolean): Taken {
  const [, indent = '', marks = '', info = ''] = FENCE.exec(firstLine(body)) ?? [];
  const language = /^\s*([\w+#.-]*)/.exec(info)?.[1] ?? '';
  const from = firstLine(body).length + 1;
  const close = new RegExp(
    `^ {0,3}${marks[0] === '~' ? '~' : '`'}{${marks.length},}[ \\t]*\\r?$`,
    'm',
  );
  const tail = body.slice(from);
  const end = close.exec(tail);
  // Wait for the line break after the closing fence: until then, more marks may follow.
  const whole = end !== null && (done || end.index + end[0].length < tail.length);
  if (end === null || !whole) {
    const text = outdent(end === null ? tail : tail.slice(0, end.index), indent.length);
    return { block: { type: 'code', text, language, closed: done }, length: body.length };
  }
  const text = outdent(tail.slice(0, end.index), indent.length);
  return {
    block: { type: 'code', text, language, closed: true },
    length: from + end.index + end[0].length,
  };
}

/** Code is indented as its fence is, such as in a list. */
function outdent(code: string, most: number): string {
  return most === 0 ? code : code.replace(new RegExp(`^ {1,${most}}`, 'gm'), '');
}

/** Takes text up to a fence, or to a blank line before an unindented line that is no item of the same list. */
function takeMarkdown(body: string, done: boolean): Taken {
  let afterBlank = false;
  let inList = false;
  for (let start = 0; start < body.length; ) {
    const end = body.indexOf('\n', start);
    const line = body.slice(start, end === -1 ? body.length : end);
    const startsFence = end !== -1 && FENCE.test(line);
    const isItem = LIST_ITEM.test(line) || (end === -1 && !done && LIST_START.test(line));
    const goesOn = inList && isItem && start < LONGEST_LIST;
    if (start > 0 && (startsFence || (afterBlank && /^\S/.test(line) && !goesOn))) {
      return {
        block: { type: 'markdown', text: body.slice(0, start), closed: true },
        length: start,
      };
    }
    if (end === -1) break;
    afterBlank = line.trim() === '';
    inList ||= isItem;
    start = end + 1;
  }
  return { block: { type: 'markdown', text: body, closed: done }, length: body.length };
}

function firstLine(text: string): string {
  const end = text.indexOf('\n');
  return end === -1 ? text : text.slice(0, end);
}
