import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { parseUnreviewedFiles } from '../../../src/acp/gatehouse/pending.ts';
import type { Script } from '../../tour/server.ts';
import { type Connected, calls, connect, newSession, prompt, temporary, until } from './harness.ts';

const SHOWS = {
  _meta: { gatehouse: { v: 1, review: true, unreviewed: true, terminal: false } },
};
const ALLOW: RequestPermissionResponse = { outcome: { outcome: 'selected', optionId: 'allow' } };

interface Window extends Connected {
  /** Requests in the order they were made, each with what answers it. */
  readonly asked: { readonly id: string; answer(): void; readonly signal: AbortSignal }[];
}

/** The host of a window; all windows of a test have one data folder and one workspace. */
async function openWindow(
  t: TestContext,
  folders: {
    readonly data: string;
    readonly workspace: string;
    readonly env?: Readonly<Record<string, string>>;
  },
  script: Script = [{ text: 'Hello.' }],
): Promise<Window> {
  const asked: Window['asked'] = [];
  const host = await connect(t, {
    ...folders,
    script,
    client: {
      capabilities: SHOWS,
      permission: ({ toolCall }, signal) => {
        const { promise, resolve } = Promise.withResolvers<RequestPermissionResponse>();
        signal.addEventListener('abort', () => resolve({ outcome: { outcome: 'cancelled' } }));
        asked.push({ id: toolCall.toolCallId, signal, answer: () => resolve(ALLOW) });
        return promise;
      },
    },
  });
  return { ...host, asked };
}

async function openFolders(t: TestContext, mode: 'turn' | 'afterwards') {
  const data = await temporary(t);
  const workspace = await temporary(t);
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify({ 'review.mode': mode }));
  const file = path.join(workspace, 'a.txt');
  const text = () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
  return { folders: { data, workspace }, file, text };
}

function load({ agent, workspace }: Window, sessionId: string): Promise<unknown> {
  return agent.request('session/load', { sessionId, cwd: workspace, mcpServers: [] });
}

const WRITE = [
  { calls: [{ tool: 'write', input: { path: 'a.txt', content: 'agent\n' } }] },
  { text: 'Done.' },
];

/** Two windows that both ask about the collected edits of one session. */
async function bothAsk(t: TestContext, script: Script = WRITE) {
  const { folders, ...more } = await openFolders(t, 'turn');
  const first = await openWindow(t, folders, script);
  const sessionId = await newSession(first);
  await prompt(first, sessionId);
  await until(() => first.asked.length === 1, 'the first window asks');
  const second = await openWindow(t, folders);
  await load(second, sessionId);
  await until(() => second.asked.length === 1, 'the second window asks');
  assert.equal(second.asked[0]?.id, first.asked[0]?.id);
  return { first, second, sessionId, ...more };
}

function cardsOf(window: Window, id = '') {
  return calls(window).filter(({ toolCallId }) => toolCallId === id);
}

test('the answer of one window closes the request of the other, which says so and shows what became of it', async (t) => {
  const { first, second, text } = await bothAsk(t);
  const id = first.asked[0]?.id;
  second.asked[0]?.answer();
  await until(() => first.asked[0]?.signal.aborted === true, 'the first window closes its request');
  await until(() => cardsOf(first, id).at(-1)?.status === 'completed', 'the outcome is shown');
  assert.equal(text(), 'agent\n');
  const said = cardsOf(first, id).find(({ status }) => status === 'failed');
  assert.match(JSON.stringify(said?.content), /another window/);
  assert.match(JSON.stringify(cardsOf(first, id).at(-1)?.content), /agent/);
  // Nothing is asked again anywhere.
  await prompt(first, await newSession(first));
  assert.deepEqual([first.asked.length, second.asked.length], [1, 1]);
});

test('of two answers at the same moment the first counts, and nothing is written twice', async (t) => {
  const bodies: string[] = [];
  const { first, second, sessionId, text } = await bothAsk(t, ({ body }) => {
    bodies.push(JSON.stringify(body));
    return WRITE[bodies.length - 1] ?? { text: 'Understood.' };
  });
  const [one, other] = [first.asked[0], second.asked[0]];
  one?.answer();
  other?.answer();
  await until(() => text() === 'agent\n', 'the file is written');
  const ended = (window: Window) =>
    cardsOf(window, one?.id).filter(({ status }) => status === 'failed' || status === 'completed');
  await until(
    () => [first, second].every((each) => ended(each).at(-1)?.status === 'completed'),
    'both windows show the outcome',
  );
  const lost = [first, second].filter((each) => ended(each)[0]?.status === 'failed');
  assert.equal(lost.length, 1);
  await prompt(first, sessionId);
  assert.equal(bodies.at(-1)?.split('The user reviewed the changes').length, 2, 'told once');
});

test('a window does not ask about edits that the turn of another one collects', async (t) => {
  const { folders, text } = await openFolders(t, 'turn');
  const command = { calls: [{ tool: 'bash', input: { command: 'ls' } }] };
  const first = await openWindow(t, folders, [...WRITE.slice(0, 1), command, { text: 'Done.' }]);
  const sessionId = await newSession(first);
  const turn = prompt(first, sessionId);
  await until(() => first.asked.length === 1, 'the review before the command');
  const second = await openWindow(t, folders, [{ text: 'Hello.' }]);
  await load(second, sessionId);
  await prompt(second, await newSession(second));
  assert.equal(second.asked.length, 0);
  first.asked[0]?.answer();
  await turn;
  assert.equal(text(), 'agent\n');
});

test('each window lists what the other kept or undid of the changes on disk', async (t) => {
  const { folders, file, text } = await openFolders(t, 'afterwards');
  writeFileSync(file, 'one\ntwo\nthree\n');
  const edit = (from: string) => ({
    tool: 'edit',
    input: { path: 'a.txt', old_string: from, new_string: from.toUpperCase() },
  });
  const first = await openWindow(t, folders, [
    { calls: [edit('one'), edit('three')] },
    { text: 'Done.' },
  ]);
  const sessionId = await newSession(first);
  await prompt(first, sessionId);
  const second = await openWindow(t, folders);
  await load(second, sessionId);
  await until(() => list(second)[0]?.hunks === 2, 'the second window lists the changes');
  const resolve = (window: Window, decision: 'keep' | 'undo') => {
    const files = list(window).map(({ path: each, revision }) => ({
      ...{ path: each, revision, hunks: [0] },
    }));
    return window.agent.request('_gatehouse/resolve_changes', { sessionId, decision, files });
  };
  await resolve(second, 'undo');
  await until(() => list(first)[0]?.hunks === 1, 'the first window lists what is left');
  assert.equal(text(), 'one\ntwo\nTHREE\n');
  await resolve(first, 'keep');
  await until(() => list(second).length === 0, 'the second window lists nothing');
  assert.equal(list(first).length, 0);
});

test('each window lists what a command in a copy changed that is no text, while both are open', async (t) => {
  const { folders: own } = await openFolders(t, 'afterwards');
  const settings = {
    ...{ 'review.mode': 'afterwards', 'sandbox.autoRun': true },
    permissions: [{ permission: 'fs.write', pattern: '**', action: 'allow' }],
  };
  writeFileSync(path.join(own.data, 'settings.json'), JSON.stringify(settings));
  const folders = { ...own, env: { HOME: await temporary(t), GATEHOUSE_BWRAP: '' } };
  const first = await openWindow(t, folders, [
    { text: 'Hello.' },
    { calls: [{ tool: 'bash', input: { command: 'f() { mkdir made; }; f' } }] },
    { text: 'Done.' },
  ]);
  const sessionId = await newSession(first);
  await prompt(first, sessionId);
  const second = await openWindow(t, folders);
  await load(second, sessionId);
  await prompt(first, sessionId);
  await until(() => list(second)[0]?.entry === 'new folder', 'the second window lists the folder');
  const files = list(second).map(({ path: each, revision }) => ({ path: each, revision }));
  const undo = { sessionId, decision: 'undo', files } as const;
  await second.agent.request('_gatehouse/resolve_changes', undo);
  await until(() => list(first).length === 0, 'the first window lists nothing');
  assert.equal(existsSync(path.join(own.workspace, 'made')), false);
});

/** The unreviewed files as the client was last told. */
function list({ lines }: Window) {
  const sent = lines.flatMap(({ message: { method, params } }) =>
    method === '_gatehouse/unreviewed_changed' ? [parseUnreviewedFiles(params)] : [],
  );
  return sent.at(-1)?.files ?? [];
}
