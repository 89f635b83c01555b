import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addChips, afterRemoval } from '../../../../src/webview/composer/chipFocus.ts';
import { walk } from '../../../../src/webview/composer/recall.ts';
import {
  exactFirst,
  findTrigger,
  listAction,
  pressInList,
  replaceWord,
} from '../../../../src/webview/composer/trigger.ts';
import type { Key } from '../../../../src/webview/controls/key.ts';
import type { ChatItem } from '../../../../src/webview/messages/chatState.ts';

const KEY: Key = {
  key: '',
  ...{ shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, repeat: false },
  ...{ isComposing: false, keyCode: 0 },
};

trigger('an at sign asks for something to attach', 'see @', { kind: '@', from: 4, query: '' });
trigger('what follows it is the query', '@src/app', { kind: '@', from: 0, query: 'src/app' });
trigger('an address is none', 'me@example', undefined);
trigger('nor is a word after it', '@app then', undefined);
trigger('a slash at the start asks for a command', '/com', { kind: '/', from: 0, query: 'com' });
trigger('a slash elsewhere is a path', 'see /com', undefined);
trigger('a command that has its argument is done', '/compact now', undefined);

function trigger(name: string, text: string, expected: ReturnType<typeof findTrigger>) {
  test(name, () => assert.deepEqual(findTrigger(text, text.length), expected));
}

test('only the word before the caret counts and is replaced', () => {
  const found = findTrigger('see @app and more', 8);
  assert.deepEqual(found, { kind: '@', from: 4, query: 'app' });
  assert.deepEqual(found && replaceWord('see @app and more', found, ''), {
    text: 'see  and more',
    caret: 4,
  });
  const command = findTrigger('/com', 4);
  assert.deepEqual(command && replaceWord('/com', command, '/compact'), {
    text: '/compact ',
    caret: 9,
  });
});

list(
  'arrows go through the list and around its ends',
  { key: 'ArrowUp' },
  { type: 'go', index: 2 },
);
list('the next one', { key: 'ArrowDown' }, { type: 'go', index: 1 });
list('Enter takes', { key: 'Enter' }, { type: 'take' });
list('so does Tab', { key: 'Tab' }, { type: 'take' });
list('Shift+Enter makes a new line', { key: 'Enter', shiftKey: true }, undefined);
list('Escape closes', { key: 'Escape' }, { type: 'close' });
list('keys of an input method are not ours', { key: 'Enter', isComposing: true }, undefined);
list('nor where the browser only gives the code', { key: 'Enter', keyCode: 229 }, undefined);

function list(name: string, pressed: Partial<Key>, expected: ReturnType<typeof listAction>) {
  test(name, () => assert.deepEqual(listAction({ ...KEY, ...pressed }, 0, 3), expected));
}

test('a key for the list of another query waits; one for a command that is complete passes', () => {
  const press = (pressed: string, list: Partial<Parameters<typeof pressInList>[1]>) =>
    pressInList(
      { ...KEY, key: pressed },
      {
        ...{ trigger: { kind: '@', from: 0, query: 'a' }, pending: false, index: 0 },
        ...{ entries: [{ id: 'compact' }, { id: 'compact-all' }] },
        ...list,
      },
    );
  const command = { kind: '/', from: 0, query: 'compact' } as const;
  assert.deepEqual(
    [
      press('Enter', {}),
      press('Enter', { pending: true }),
      press('Tab', { pending: true, entries: [] }),
      press('ArrowDown', { pending: true }),
      press('Escape', { pending: true, entries: [] }),
      press('Enter', { entries: [] }),
      press('Enter', { trigger: undefined }),
      press('Enter', { trigger: command }),
      press('Tab', { trigger: command }),
      press('Enter', { trigger: command, index: 1 }),
    ],
    [
      { type: 'take' },
      { type: 'wait' },
      { type: 'wait' },
      { type: 'go', index: 0 },
      undefined,
      undefined,
      undefined,
      { type: 'complete' },
      { type: 'take' },
      { type: 'take' },
    ],
  );
});

test('a command that is typed out comes before longer ones', () => {
  const commands = ['compact-all', 'compact', 'review'].map((name) => ({ name }));
  const names = (query: string) => exactFirst(commands, query).map(({ name }) => name);
  assert.deepEqual(names('COMP'), ['compact-all', 'compact']);
  assert.deepEqual(names('compact'), ['compact', 'compact-all']);
});

test('the walk through earlier messages ends at the first, and comes back to nothing', () => {
  const items = ['one', 'two\n'].flatMap((text): readonly ChatItem[] => [
    { kind: 'user', id: text, text, done: true },
    { kind: 'agent', id: `to ${text}`, text: 'Yes.', done: true },
  ]);
  const last = walk(items, undefined, 1);
  assert.deepEqual(last, { back: 1, text: 'two' });
  const first = walk(items, last, 1);
  assert.deepEqual(first, { back: 2, text: 'one' });
  assert.equal(walk(items, first, 1), undefined);
  assert.deepEqual(walk(items, first, -1), last);
  assert.deepEqual(walk(items, last, -1), { back: 0, text: '' });
  assert.equal(walk(items, undefined, -1), undefined);
});

test('the focus stays in the chips as long as there are any', () => {
  assert.deepEqual([afterRemoval(0, 3), afterRemoval(2, 3), afterRemoval(0, 1)], [1, 1, undefined]);
});

test('a chip is added once', () => {
  const chip = { id: 'a', kind: 'file', label: 'a.ts' } as const;
  assert.deepEqual(addChips([chip], [chip, { ...chip, id: 'b' }]), [chip, { ...chip, id: 'b' }]);
});
