import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { HOST_REQUESTS } from '../../../src/acp/gatehouse/methods.ts';
import { openRecorder } from '../../../src/recorder/recorder.ts';
import type { ModelRequest, Reply, Script } from '../../tour/server.ts';
import { type Connected, connect, newSession, prompt, temporary, until } from './harness.ts';

const SUMMARY = 'The user wants green tests; a.ts is done.';
const words = (length: number) => 'word '.repeat(Math.ceil(length / 5)).slice(0, length);
const isSummary = ({ body }: ModelRequest) =>
  JSON.stringify(body).includes('You write the summary that replaces');
const AWARE = { capabilities: { session: { compaction: {} } } } as const;

interface Talk {
  readonly host: Connected;
  readonly seen: readonly ModelRequest[];
}

/** A host whose model says 1,000 characters a turn, in a window of so many tokens. */
async function open(
  t: TestContext,
  contextTokens: number,
  setUp: { readonly data?: string; readonly summary?: () => Reply; readonly client?: object } = {},
): Promise<Talk> {
  const seen: ModelRequest[] = [];
  const script: Script = (request) => {
    seen.push(request);
    if (isSummary(request)) return setUp.summary?.() ?? { text: SUMMARY };
    const prompt_tokens = Math.ceil(JSON.stringify(request.body).length / 4);
    return { text: `answer ${words(1_000)}`, usage: { prompt_tokens, completion_tokens: 250 } };
  };
  const data = setUp.data ?? (await temporary(t));
  const settings = { 'gatehouse.model.contextTokens': contextTokens };
  await writeFile(path.join(data, 'settings.json'), JSON.stringify(settings));
  const client = setUp.client ?? AWARE;
  return { host: await connect(t, { script, data, client }), seen };
}

function compactions({ updates }: Pick<Connected, 'updates'>) {
  return updates.flatMap(({ update }) =>
    update.sessionUpdate === 'compaction_update' ? [update] : [],
  );
}

function userTexts({ updates }: Pick<Connected, 'updates'>) {
  return updates.flatMap(({ update }) =>
    update.sessionUpdate === 'user_message_chunk' && update.content.type === 'text'
      ? [update.content.text]
      : [],
  );
}

const size = ({ body }: ModelRequest) => JSON.stringify(body).length;

test('a session goes on for many turns in a small window, and its requests stay bounded', async (t) => {
  const { host, seen } = await open(t, 24_000);
  const sessionId = await newSession(host);
  for (let turn = 0; turn < 120; turn += 1) {
    await prompt(host, sessionId, `ask ${turn} ${words(800)}`);
  }
  const done = compactions(host).filter(({ status }) => status === 'completed');
  assert.ok(done.length >= 2, `${done.length} compactions`);
  const largest = Math.max(...seen.map(size));
  assert.ok(largest < 24_000 * 4, `${largest} bytes`);
  const [summary] = done[0]?.summary ?? [];
  assert.equal(summary?.type === 'text' && summary.text, SUMMARY);
});

test('a reload shows the compaction among all messages, and the next request starts from it', async (t) => {
  const { host } = await open(t, 0);
  const sessionId = await newSession(host);
  for (let turn = 0; turn < 4; turn += 1) await prompt(host, sessionId, `ask ${turn}`);
  await prompt(host, sessionId, '/compact names of files');
  await prompt(host, sessionId, 'after');
  const { data, workspace } = host;
  const shown = compactions(host).at(-1);
  assert.deepEqual(shown?._meta, { gatehouse: { messages: 8 } });
  await host.stop();
  const again = await open(t, 0, { data });
  const load = { sessionId, cwd: workspace, mcpServers: [] };
  await again.host.agent.request('session/load', load);
  assert.deepEqual(compactions(again.host), [shown]);
  const asks = ['ask 0', 'ask 1', 'ask 2', 'ask 3', '/compact names of files', 'after'];
  assert.deepEqual(userTexts(again.host), asks);
  await prompt(again.host, sessionId, 'last');
  const body = JSON.stringify(again.seen.at(-1)?.body);
  assert.match(body, /a\.ts is done.*after.*last/);
  assert.doesNotMatch(body, /ask \d|\/compact/);
  assert.equal(again.seen.length, 1);
});

test('a rewind to before a compaction sends the messages again, and its undo the summary', async (t) => {
  const { host, seen } = await open(t, 0);
  const sessionId = await newSession(host);
  for (let turn = 0; turn < 4; turn += 1) await prompt(host, sessionId, `ask ${turn}`);
  await prompt(host, sessionId, '/compact');
  await prompt(host, sessionId, 'ninth');
  const call = (verb: string) => host.agent.request(`_gatehouse/${verb}`, { sessionId });
  const rewindToAsk3 = async (steps: number) => {
    for (let step = 0; step < steps; step += 1) await call('rewind');
  };
  await rewindToAsk3(3);
  for (let step = 0; step < 3; step += 1) await call('unrewind');
  await prompt(host, sessionId, 'tenth');
  const undone = JSON.stringify(seen.at(-1)?.body);
  assert.match(undone, /a\.ts is done.*ninth.*tenth/);
  assert.doesNotMatch(undone, /ask \d/);
  await rewindToAsk3(4);
  await prompt(host, sessionId, 'eleventh');
  const other = JSON.stringify(seen.at(-1)?.body);
  assert.match(other, /ask 0.*ask 1.*ask 2.*eleventh/);
  assert.doesNotMatch(other, /a\.ts is done|ask 3|ninth|tenth/);
});

test('_gatehouse/compact waits for the turn before it, and prompts wait for it', async (t) => {
  const order: string[] = [];
  const { host, seen } = await open(t, 0);
  const sessionId = await newSession(host);
  await prompt(host, sessionId, words(3_000));
  const before = prompt(host, sessionId, 'before').then(() => order.push('before'));
  const compacted = host.agent
    .request<unknown>(HOST_REQUESTS.compact.method, { sessionId })
    .then((reply) => order.push(`compact ${HOST_REQUESTS.compact.result(reply).stopReason}`));
  // An answer says that the requests before it are queued.
  await host.agent.request(HOST_REQUESTS.queue.method, { sessionId });
  const behind = prompt(host, sessionId, 'behind').then(() => order.push('behind'));
  await Promise.all([before, compacted, behind]);
  assert.deepEqual(order, ['before', 'compact end_turn', 'behind']);
  assert.deepEqual(seen.map(isSummary), [false, false, true, false]);
  assert.match(JSON.stringify(seen.at(-1)?.body), /a\.ts is done.*behind/);
  assert.deepEqual(userTexts(host), []);
});

test('a cancelled compaction leaves the session as it was', async (t) => {
  const { host, seen } = await open(t, 0, {
    summary: () => ({ text: words(2_000), chunkSize: 5, delayMs: 20 }),
  });
  const sessionId = await newSession(host);
  await prompt(host, sessionId, words(3_000));
  const turn = prompt(host, sessionId, '/compact');
  await until(() => compactions(host).length > 0 && seen.length === 2, 'the summary is asked for');
  await host.agent.notify('session/cancel', { sessionId });
  assert.deepEqual(await turn, { stopReason: 'cancelled' });
  assert.deepEqual(
    compactions(host).map(({ status }) => status),
    ['in_progress', 'cancelled'],
  );
  await prompt(host, sessionId, 'go on');
  assert.match(JSON.stringify(seen.at(-1)?.body), /word word.*go on/);
});

test('a summary is written by the agent "compaction", with the prompt and model of the user\'s own file', async (t) => {
  const data = await temporary(t);
  await mkdir(path.join(data, 'agents'));
  const file = path.join(data, 'agents/compaction.md');
  const head = 'name: compaction\ndescription: d\nmode: subagent\nmodel: other';
  await writeFile(file, `---\n${head}\n---\nKeep every path.`);
  const { host, seen } = await open(t, 24_000, { data });
  const sessionId = await newSession(host);
  for (let turn = 0; turn < 3; turn += 1) await prompt(host, sessionId, words(1_000));
  await prompt(host, sessionId, '/compact');
  const asked = seen.at(-1)?.body ?? {};
  assert.equal(asked['model'], 'other');
  assert.match(JSON.stringify(asked), /Keep every path\./);
  assert.doesNotMatch(JSON.stringify(asked), /You write the summary that replaces/);

  // A file that is broken doesn't stop a conversation that is too long.
  await writeFile(file, 'no front matter');
  await prompt(host, sessionId, 'More.');
  await prompt(host, sessionId, words(1_000));
  await prompt(host, sessionId, '/compact');
  assert.equal(seen.filter(isSummary).length, 1);
});

test('a compaction that fails is an error of the command, and the session goes on as it was', async (t) => {
  const { host, seen } = await open(t, 0, {
    summary: () => ({ fault: { at: 'head', status: 401 } }),
  });
  const sessionId = await newSession(host);
  await prompt(host, sessionId, words(3_000));
  const error = await prompt(host, sessionId, '/compact').catch(String);
  assert.match(String(error), /401.*not compacted, and nothing of it is lost/);
  assert.equal(compactions(host).at(-1)?.status, 'failed');
  await prompt(host, sessionId, 'go on');
  const body = JSON.stringify(seen.at(-1)?.body);
  assert.match(body, /word word.*go on/);
  assert.doesNotMatch(body, /\/compact/);
});

test('a compaction that its host did not survive is cancelled when the session is loaded', async (t) => {
  const data = await temporary(t);
  const recorder = openRecorder(path.join(data, 'history.db'));
  const { id } = recorder.createSession({ agent: 'gatehouse', cwd: data });
  recorder.addUserMessage(id, [{ type: 'text', text: '/compact' }], { command: 'compact' });
  const opened = recorder.openTurn(id, { command: 'compact' });
  assert.ok(opened.ok);
  const data1 = { status: 'in_progress' } as const;
  opened.data.record({ type: 'data-compaction', id: 'c1', data: data1 });
  opened.data.close();
  recorder.closeOrphans(id);
  const [part] = recorder.messages(id).at(-1)?.parts ?? [];
  assert.deepEqual(Object(part).data, { id: 'c1', status: 'cancelled' });
  assert.equal(recorder.unfinishedTurn(id), undefined);
  recorder.close();
});

test('the command is announced', async (t) => {
  const { host } = await open(t, 0);
  await newSession(host);
  const commands = () =>
    host.updates.flatMap(({ update }) =>
      update.sessionUpdate === 'available_commands_update' ? update.availableCommands : [],
    );
  await until(() => commands().length > 0, 'the commands were announced');
  assert.deepEqual(
    commands().map(({ name }) => name),
    ['compact'],
  );
});
