import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { QuickPickItem, QuickPickOptions } from 'vscode';
import type { CurrentAsk, QueuedAsk } from '../../../../src/extension/asks/asks.ts';
import { type InboxParts, pickRequest } from '../../../../src/extension/asks/inbox.ts';
import { english } from '../english.ts';

const MINUTE = 60_000;

test('the inbox lists title, tool, agent, session, age and risk of every request', async () => {
  const own: QueuedAsk = {
    sessionId: 's',
    ask: permission('a', 'Edit package.json', 0),
    source: { order: 1, agent: 'build', session: 'Fix the sum' },
    tool: 'edit',
    risks: ['protected'],
  };
  const child: QueuedAsk = {
    sessionId: 'child',
    ask: { kind: 'question', id: 'b', message: 'Which?', fields: [], since: 4 * MINUTE },
    source: { order: 2, agent: 'explore', parent: 's' },
  };
  const { rows, options, chosen } = await open([own, child], { ...child, position: 2, total: 2 });
  assert.deepEqual(
    rows.map(({ label, description, detail }) => [label, description, detail]),
    [
      [
        '$(circle-small) Edit package.json',
        'edit · build · Fix the sum · 5 min ago',
        'High risk: protected file',
      ],
      ['$(arrow-right) Which?', 'explore · 1 min ago', 'Question'],
    ],
  );
  assert.equal(options?.title, 'Pending Requests (2)');
  assert.equal(chosen, 'b');
});

async function open(pending: readonly QueuedAsk[], current: CurrentAsk) {
  let rows: readonly QuickPickItem[] = [];
  let options: QuickPickOptions | undefined;
  const showQuickPick = async (items: readonly QuickPickItem[], shown?: QuickPickOptions) => {
    rows = items;
    options = shown;
    return items[1];
  };
  const window = { showQuickPick } as unknown as InboxParts['window'];
  const chosen = await pickRequest({ window, t: english, now: 5 * MINUTE }, pending, current);
  return { rows, options, chosen };
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
