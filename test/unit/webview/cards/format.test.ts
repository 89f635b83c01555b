import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fill } from '../../../../src/base/fill.ts';
import { getTail, opensByItself, planProgress } from '../../../../src/webview/cards/format.ts';
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
