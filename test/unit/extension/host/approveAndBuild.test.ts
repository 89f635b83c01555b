import assert from 'node:assert/strict';
import { test } from 'node:test';
import type * as acp from '@agentclientprotocol/sdk';
import { permission, start, until } from '../inProcessHost.ts';

test('issue 18: Approve and Build approves the plan, and sends the message that starts the work', async () => {
  const { chats, chat, script, asks, clock, calls } = start();
  let outcome: acp.RequestPermissionResponse | undefined;
  script.push(async (client, sessionId) => {
    const { toolCall, ...request } = permission(sessionId);
    const meta = { gatehouse: { document: true } };
    const plan = { type: 'diff', path: '/plan.md', oldText: null, newText: 'Do it.', _meta: meta };
    const call = { ...toolCall, kind: 'switch_mode', content: [plan] };
    outcome = await client.request('session/request_permission', {
      ...request,
      toolCall: call,
    } as never);
    return 'end_turn';
  });
  script.push(async () => 'end_turn');
  void chats.send(chat, 'plan it');
  await until(() => asks.pending.length === 1 || undefined);
  const [pending] = asks.pending;
  assert.ok(pending?.ask.kind === 'permission');
  clock.tick(1000);
  const [option] = pending.ask.options;
  const answer = { kind: 'option', optionId: option?.optionId ?? '', build: true } as const;
  assert.equal(asks.answer(pending.ask.id, answer), true);
  const prompts = () => calls.filter(([method]) => method === 'session/prompt');
  await until(() => prompts().length === 2 || undefined);
  assert.match(JSON.stringify(outcome), /"optionId":"allow"/);
  assert.match(JSON.stringify(prompts()[1]), /"text":"Build\."/);
});

test('issue 18: no other request is answered with Approve and Build', async () => {
  const { chats, chat, script, asks, clock } = start();
  script.push(async (client, sessionId) => {
    await client.request('session/request_permission', permission(sessionId));
    return 'end_turn';
  });
  void chats.send(chat, 'run it');
  await until(() => asks.pending.length === 1 || undefined);
  const [pending] = asks.pending;
  clock.tick(1000);
  const answer = { kind: 'option', optionId: 'allow', build: true } as const;
  assert.equal(asks.answer(pending?.ask.id ?? '', answer), false);
});
