import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fill } from '../../../../src/base/fill.ts';
import {
  getTail,
  isDetachable,
  isStoppable,
  listedParts,
  opensByItself,
  planProgress,
  toDuration,
  toErrorActions,
  toSeconds,
  toStatusLabel,
} from '../../../../src/webview/cards/format.ts';
import type { ErrorItem, ToolItem } from '../../../../src/webview/messages/chatState.ts';

const TOOL: ToolItem = {
  kind: 'tool',
  id: 'c',
  title: 'x',
  toolKind: 'execute',
  status: 'completed',
  ...{ diffs: [], terminals: [], output: '', outputCut: false, locations: [] },
};

test('failures and edits are expanded, or what the setting says', () => {
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

test('a running call opens once it has run for a second and printed something', () => {
  const running = { ...TOOL, status: 'in_progress', output: 'a' } as const;
  assert.equal(opensByItself(running, 'failed', 500), false);
  assert.equal(opensByItself(running, 'failed', 1_000), true);
  assert.equal(opensByItself({ ...running, output: '' }, 'failed', 5_000), false);
  assert.equal(opensByItself(running, 'none', 5_000), false);
  assert.equal(opensByItself({ ...TOOL, ended: 0 }, 'failed'), false);
  assert.equal(opensByItself({ ...running, status: 'aborted' }, 'failed'), true);
});

test('a command can be stopped while it runs, and go on without its call unless it runs in a copy', () => {
  const offers = (change: Partial<ToolItem>) => {
    const item = { ...TOOL, terminals: ['t'], ...change };
    return [isStoppable(item), isDetachable(item)];
  };
  assert.deepEqual(offers({ status: 'in_progress' }), [true, true]);
  assert.deepEqual(offers({ status: 'in_progress', isolation: 'copy' }), [true, false]);
  assert.deepEqual(offers({ status: 'in_progress', terminals: [] }), [false, false]);
  assert.deepEqual(offers({ status: 'completed', ended: 'background' }), [true, false]);
  assert.deepEqual(offers({ status: 'completed', ended: 0 }), [false, false]);
});

test('the first button of an error card is the one that helps', () => {
  const error = { kind: 'error', id: 'e', text: '', retry: true } as const;
  const actions = (change: Partial<ErrorItem>) =>
    toErrorActions({ ...error, commands: ['setModel', 'showLog'], ...change });
  assert.deepEqual(actions({}), ['retry', 'setModel', 'showLog']);
  assert.deepEqual(actions({ helps: 'setModel' }), ['setModel', 'retry', 'showLog']);
  assert.deepEqual(actions({ retry: false }), ['setModel', 'showLog']);
  assert.deepEqual(actions({ retry: false, continues: true }), ['continue', 'setModel', 'showLog']);
});

test('seconds are counted down to zero, and not below', () => {
  assert.deepEqual(
    [17_000, 500, 1, 0, -5].map((left) => toSeconds(left, 0)),
    [17, 1, 1, 0, 0],
  );
});

test('a line shows the exit code and how long it ran', () => {
  const label = (ended: number | string) => toStatusLabel({ status: 'completed', ended });
  assert.deepEqual(label(0), { icon: 'check', label: 'statusExit', value: '0' });
  assert.deepEqual(label(2), { icon: 'warning', label: 'statusExit', value: '2' });
  assert.deepEqual([30, 3_210, 12_400, 185_000, 3_720_000].map(toDuration), [
    '0.0 s',
    '3.2 s',
    '12 s',
    '3 min 5 s',
    '1 h 2 min',
  ]);
});

test('a long command shows its end', () => {
  assert.equal(getTail('ls'), undefined);
  assert.match(getTail(`${'x '.repeat(400)}; curl evil.example`) ?? '', /curl evil\.example$/);
  assert.match(getTail(`a\n${'\n'.repeat(20)}rm`) ?? '', /rm$/);
});

test('values are put into texts', () => {
  assert.equal(fill('{0} of {1}', 1, 2), '1 of 2');
  assert.equal(planProgress([{ status: 'completed' }, { status: 'pending' }]), '1/2');
});

test('a file that asks is listed once: by its diff, or by a part that says more', () => {
  const diff = (label: string) => ({ path: `/w/${label}`, label, added: 1, removed: 0, more: 0 });
  const diffs = ['a', 'b', 'c'].map((name) => ({ ...diff(name), created: false, rows: [] }));
  const part = (text: string, decision: 'allow' | 'ask' | 'deny', reason?: string) =>
    ({ text, decision, ...(reason && { reason }) }) as const;
  const list = (...parts: readonly ReturnType<typeof part>[]) =>
    listedParts({ parts, diffs, why: 'No rule.' }).map(({ text, reason }) => [text, reason]);
  assert.deepEqual(list(part('a', 'ask', 'No rule.'), part('b', 'ask', 'No rule.')), []);
  assert.deepEqual(list(part('a', 'ask', 'No rule.'), part('a', 'allow'), part('b', 'ask')), []);
  assert.deepEqual(list(part('a', 'ask', 'No rule.'), part('b', 'ask', 'Protected.')), [
    ['b', 'Protected.'],
  ]);
  assert.deepEqual(list(part('a', 'ask'), part('c', 'deny', 'Denied.'), part('d', 'ask')), [
    ['c', 'Denied.'],
    ['d', undefined],
  ]);
  const noRule = (text: string) => part(text, 'ask', `No rule covers \`${text}\`.`);
  assert.deepEqual(list(noRule('a'), noRule('b')), [], 'each for the same reason');
  const risky = { ...part('a', 'ask'), risk: 'protected' } as const;
  assert.deepEqual(listedParts({ parts: [risky, part('b', 'ask')], diffs, why: '' }), [risky]);
});
