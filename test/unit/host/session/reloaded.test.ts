import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { emptyState } from '../../../../src/extension/chat/chatStates.ts';
import { endTurn, toChanges } from '../../../../src/extension/chat/transcript.ts';
import { applyChange } from '../../../../src/webview/messages/applyChange.ts';
import type { ChatState } from '../../../../src/webview/messages/chatState.ts';
import type { Reply, ScriptedCall } from '../../../tour/server.ts';
import { sizeOf } from '../../../workbench/sizes.ts';
import { createRandom, type Random } from '../../random.ts';
import { type Connected, connect, newSession, prompt, until } from '../harness.ts';

/** Each seed cancels two turns or so, one of them within a command. `npm run test:durability` has the long form. */
const SEEDS = sizeOf(6, 250);

/** What a turn may hold, each with what the model sends. */
const CALLS: readonly (() => ScriptedCall)[] = [
  () => bash('echo out'),
  () => bash('echo out; echo err >&2; exit 3'),
  () => bash('curl http://127.0.0.1:9/'),
  () => ({ tool: 'read', input: { path: 'missing.txt' } }),
  () => ({ tool: 'write', input: { path: 'a.txt', content: 'one\n' } }),
  () => ({ tool: 'edit', input: { path: 'b.txt', old_string: 'x', new_string: 'y' } }),
  () => ({ tool: 'read', input: '{"path":' }),
  () => ({ tool: 'no_such_tool', input: {} }),
  () => ({ tool: 'todo', input: { todos: [{ content: 'One', status: 'pending' }] } }),
  () => bash('rm -rf /'),
];

const FAULTS: readonly Reply['fault'][] = [
  { at: 'head', status: 401 },
  { at: 'mid-stream', how: 'error' },
  { at: 'mid-stream', how: 'broken-line' },
];

for (let seed = 1; seed <= SEEDS; seed += 1) {
  test(`a session looks the same when it is opened again (seed ${seed})`, async (t) => {
    const host = await play(t, seed);
    const again = await connect(t, { data: host.data, workspace: host.workspace });
    const sessionId = host.updates[0]?.sessionId ?? '';
    await again.agent.request('session/load', { sessionId, cwd: host.workspace, mcpServers: [] });
    assert.deepEqual(looksOf(again.updates), looksOf(host.updates));
  });
}

const bash = (command: string): ScriptedCall => ({ tool: 'bash', input: { command } });

const STOPPED: Reply = { text: 'Now.', calls: [bash('echo begun; sleep 1000')] };

/** Some turns by the seed: calls that succeed, fail, are denied, asked about, invalid; faults; a stop. */
async function play(t: TestContext, seed: number): Promise<Connected> {
  const random = createRandom(seed);
  const replies: Reply[] = [];
  const answers = ['allow', 'reject', 'allow', 'cancelled'];
  const host = await connect(t, {
    // The request of a turn that was cancelled may come when the next turn has begun.
    script: ({ conversation }) =>
      (conversation.prompt.includes('Stop.') ? STOPPED : replies.shift()) ?? { text: 'End.' },
    client: {
      permission: ({ options }) => {
        const wanted = answers[random(answers.length)] ?? '';
        const option = options.find(({ kind }) => kind === `${wanted}_once`);
        return option === undefined
          ? { outcome: { outcome: 'cancelled' } }
          : { outcome: { outcome: 'selected', optionId: option.optionId } };
      },
    },
  });
  const sessionId = await newSession(host);
  for (let turn = 0; turn < 4; turn += 1) {
    replies.splice(0, replies.length, ...makeReplies(random));
    const ended = prompt(host, sessionId, `Turn ${turn}.`).catch(() => undefined);
    if (random(3) === 0) await cancelWithin(host, sessionId, { ended, updates: random(12) });
    await ended;
  }
  const stopped = prompt(host, sessionId, 'Stop.');
  const isRunning = () =>
    host.updates.some(({ update }) => JSON.stringify(update).includes('sleep 1000'));
  await until(isRunning, 'the call');
  await host.agent.notify('session/cancel', { sessionId });
  await stopped;
  return host;
}

/** Cancels a turn once it has sent so many updates, unless it has ended by itself. */
async function cancelWithin(
  { agent, updates: sent }: Connected,
  sessionId: string,
  { ended, updates }: { readonly ended: Promise<unknown>; readonly updates: number },
): Promise<void> {
  const before = sent.length;
  let isOver = false;
  void ended.then(() => (isOver = true));
  await until(() => isOver || sent.length - before >= updates, 'the updates');
  if (!isOver) await agent.notify('session/cancel', { sessionId });
}

function makeReplies(random: Random): readonly Reply[] {
  return Array.from({ length: 1 + random(3) }, () => {
    const calls = Array.from({ length: random(4) }, () => CALLS[random(CALLS.length)]?.());
    const fault = random(6) === 0 ? FAULTS[random(FAULTS.length)] : undefined;
    return {
      ...(random(2) === 0 && { reasoning: 'I think.' }),
      ...(random(3) > 0 && { text: `Text ${random(100)}.` }),
      calls: calls.filter((call) => call !== undefined),
      ...(fault && { fault }),
    };
  });
}

/** What the chat shows in the end, without what belongs to one window: ids, times, notes. */
function looksOf(updates: readonly { readonly update: SessionUpdate }[]): unknown {
  let state: ChatState = emptyState({ header: null, workspace: null, options: null } as never);
  const apply = (changes: ReturnType<typeof toChanges>) => {
    state = changes.reduce(applyChange, state);
  };
  for (const { update } of updates) apply(toChanges(state, update, (file) => file));
  apply(endTurn(state, true));
  // The editor shows what the user sent by itself.
  return state.items.filter(({ kind }) => kind !== 'user').map(({ id: _, ...item }) => item);
}
