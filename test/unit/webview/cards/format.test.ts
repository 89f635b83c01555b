import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fill } from '../../../../src/base/fill.ts';
import {
  getTail,
  listedParts,
  opensByItself,
  planProgress,
} from '../../../../src/webview/cards/format.ts';
import type { ToolItem } from '../../../../src/webview/messages/chatState.ts';

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
