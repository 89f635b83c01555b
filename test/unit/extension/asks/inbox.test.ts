import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CurrentAsk, QueuedAsk } from '../../../../src/extension/asks/asks.ts';
import { pickRequest } from '../../../../src/extension/asks/inbox.ts';
import { english } from '../english.ts';
import { FakePickWindow } from '../fakePick.ts';

const MINUTE = 60_000;

const OWN: QueuedAsk = {
  sessionId: 's',
  ask: permission('a', 'Edit package.json', 0),
  source: { order: 1, agent: 'build', session: 'Fix the sum' },
  tool: 'edit',
  risks: ['protected'],
};
const CHILD: QueuedAsk = {
  sessionId: 'child',
  ask: { kind: 'question', id: 'b', message: 'Which?', fields: [], since: 4 * MINUTE },
  source: { order: 2, agent: 'explore', parent: 's' },
};
const RULE = { rule: { permission: 'bash', pattern: 'git push', action: 'ask' }, layer: 'default' };
const RULED = {
  sessionId: 's',
  ask: { ...permission('c', 'git push', 3 * MINUTE), whyRule: RULE },
  source: { order: 3, agent: 'build' },
} as QueuedAsk;
const OWN_ROW = '$(circle-small) Edit package.json';
const CHILD_ROW = '$(arrow-right) Which?';

test('the inbox lists title, tool, agent, session, age and risk of every request', async () => {
  const { pick, choice } = open([OWN, CHILD]);
  assert.deepEqual(
    pick.items.map(({ label, description, detail }) => [label, description, detail]),
    [
      [OWN_ROW, 'edit · build · Fix the sum · 5 min ago', 'High risk: protected file'],
      [CHILD_ROW, 'explore · 1 min ago', 'Question'],
    ],
  );
  assert.equal(pick.title, 'Pending Requests (2)');
  pick.click(CHILD_ROW);
  assert.deepEqual(await choice, { kind: 'request', id: 'b' });
  assert.equal(pick.visible, false);
});

test('a title or a session that reads like an icon is shown as it is written', () => {
  const source = { ...OWN.source, session: '$(trash)' };
  const { pick } = open([{ ...OWN, ask: permission('d', 'Edit $(trash).bin', 0), source }, CHILD]);
  const [row] = pick.items;
  assert.equal(row?.label, '$(circle-small) Edit $\u200b(trash).bin');
  assert.match(String(row?.description), / · \$\u200b\(trash\) · /);
});

test('a row whose request a rule causes has a button that goes to the rule', async () => {
  const { pick, choice } = open([OWN, CHILD, RULED]);
  assert.deepEqual(
    pick.items.map(({ buttons }) => buttons?.length ?? 0),
    [0, 0, 1],
  );
  pick.clickButton('$(circle-small) git push');
  assert.deepEqual(await choice, { kind: 'rule', rule: RULE, sessionId: 's' });
  assert.equal(pick.visible, false);
});

test('a hidden inbox chooses nothing', async () => {
  const { pick, choice } = open([OWN, CHILD]);
  pick.hide();
  assert.equal(await choice, undefined);
});

function open(pending: readonly QueuedAsk[]) {
  const window = new FakePickWindow();
  const current: CurrentAsk = { ...CHILD, position: 2, total: 2 };
  const parts = { window, ruleButton: { iconPath: { id: 'go-to-file' } }, t: english };
  const choice = pickRequest({ ...parts, now: 5 * MINUTE }, pending, current);
  return { pick: window.shown, choice };
}

function permission(id: string, title: string, since: number) {
  return {
    kind: 'permission' as const,
    toolCallId: 'c',
    toolKind: 'edit' as const,
    ...{ id, title, since, subject: title, length: title.length, suspicious: false, why: '' },
    diff: true,
    ...{ options: [], parts: [], diffs: [], offers: { allow: [], deny: [] } },
  };
}
