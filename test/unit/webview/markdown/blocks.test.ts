import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Block,
  EMPTY_SPLIT,
  MOST_BLOCKS,
  splitBlocks,
} from '../../../../src/webview/markdown/blocks.ts';
import { cpuTime } from '../../cpuTime.ts';

check('a paragraph stays open until it is known to have ended', 'Hello', false, ['md? Hello']);
check('paragraphs end at a blank line', 'a\n\nb', false, ['md a', 'md? b']);
check('the last one ends with the message', 'a\n\nb', true, ['md a', 'md b']);
check('a list keeps its indented parts', '- a\n\n  more\n- b\n', true, ['md - a\n\n  more\n- b']);
check('a fence is code, in its language', '```ts\nlet a;\n```\nafter', false, [
  'ts let a;',
  'md? after',
]);
check('an open fence is code already', '```ts\nlet a;\n', false, ['ts? let a;']);
check('blank lines do not end a fence', '```\na\n\nb\n```\n', false, [' a\n\nb']);
check('a fence ends a paragraph without a blank line', 'Look:\n```js\nx\n```\n', false, [
  'md Look:',
  'js x',
]);
check('a longer fence holds a shorter one', '````md\n```js\nx\n```\n````\n', false, [
  'md ```js\nx\n```',
]);
check('tildes are fences too', '~~~\n```\n~~~\n', false, [' ```']);
check(
  'the language is a plain word (WE-020)',
  '```"><img src=x onerror=alert(1)>\ncode\n```\n',
  true,
  [' code'],
);
check('a closing fence without a line end is not final yet', '```\na\n```', false, ['? a']);
check('a closing fence at the end of the message is', '```\na\n```', true, [' a']);
check('a line with more backticks is inline code', '```a```\nb', true, ['md ```a```\nb']);
check('a fence may end with a carriage return', '```ts\r\na\r\n```\r\nb', true, ['ts a', 'md b']);
check(
  'code is indented no further than its fence',
  '1. Run:\n   ```sh\n   a\n     b\n   ```\n',
  true,
  ['md 1. Run:', 'sh a\n  b'],
);
check('a list stays whole over blank lines', '1. a\n\n1. b\n\nc', true, [
  'md 1. a\n\n1. b',
  'md c',
]);
check('nothing but blanks is nothing', '\n \n', true, []);

test('however the text arrives, the blocks are the same', () => {
  const text =
    'One\n\n- a\n- b\n\n```ts\nlet x = 1;\n\nx;\n```\n\n| a |\n|---|\n| 1 |\n\n# End\n\nlast';
  const whole = render(splitBlocks(text, EMPTY_SPLIT, true));
  for (const size of [1, 2, 3, 7, 20]) {
    let split = EMPTY_SPLIT;
    for (let end = size; end < text.length; end += size) {
      split = splitBlocks(text.slice(0, end), split, false).split;
    }
    assert.deepEqual(render(splitBlocks(text, split, true)), whole, `pieces of ${size}`);
  }
});

test('a message of very many blocks is split in no time, and ends in one large block (WE-033)', async () => {
  const text = 'a\n\n'.repeat(60_000);
  const took = await cpuTime(() => {
    const { split, open } = splitBlocks(text, EMPTY_SPLIT, false);
    assert.equal(split.blocks.length, MOST_BLOCKS);
    assert.equal(open?.text.length, text.length - 3 * MOST_BLOCKS);
  });
  assert.ok(took < 1000, `${took} ms`);
});

test('finished blocks are not parsed again', () => {
  const first = splitBlocks('a\n\nb', EMPTY_SPLIT, false);
  const second = splitBlocks('a\n\nb and more', first.split, false);
  assert.equal(second.split.blocks[0], first.split.blocks[0]);
});

function check(name: string, text: string, done: boolean, expected: readonly string[]) {
  test(name, () => assert.deepEqual(render(splitBlocks(text, EMPTY_SPLIT, done)), expected));
}

/** `md? text` is markdown that is still open, `ts text` finished code. */
function render({ split, open }: ReturnType<typeof splitBlocks>): readonly string[] {
  return [...split.blocks, ...(open === undefined ? [] : [open])].map((block) => {
    const name = block.type === 'code' ? block.language : 'md';
    return `${name}${closedMark(block)} ${block.text.trimEnd()}`;
  });
}

function closedMark({ closed }: Block): string {
  return closed ? '' : '?';
}
