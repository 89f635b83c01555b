import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { RequestError } from '@agentclientprotocol/sdk';
import { parseSnapshot } from '../../../../src/acp/gatehouse/configure.ts';
import { openAcceptances, ruleHash } from '../../../../src/host/config/acceptance.ts';
import { toConfiguration } from '../../../../src/host/config/configuration.ts';
import { createConfigurationStore } from '../../../../src/host/config/configurationStore.ts';
import { parseSettings } from '../../../../src/host/config/settings.ts';
import { readSettingsFiles } from '../../../../src/host/config/settingsFiles.ts';
import { startModelServer } from '../../../tour/server.ts';
import {
  type Connected,
  connect,
  lastStatus,
  newSession,
  prompt,
  requests,
  said,
  temporary,
} from '../harness.ts';

const EDITOR = { _meta: { gatehouse: { v: 1, configure: true } } };
const KEEPER = { _meta: { gatehouse: { v: 1, configure: true, secret: true } } };
const ALLOW = { permission: 'bash', pattern: 'touch hi', action: 'allow' };
const ECHO = { tool: 'bash', input: { command: 'touch hi' } };

function configure(host: Connected, part: object = {}) {
  return host.agent.request<{ problems: { origin?: unknown; message: string }[] }>(
    '_gatehouse/configure',
    {
      settings: {},
      rules: [],
      workspace: { roots: [host.workspace], adHoc: [], trusted: true },
      editor: {},
      ...part,
    },
  );
}

test('an untrusted workspace refuses the prompt, and its history stays readable', async (t) => {
  const first = await connect(t, { script: [{ text: 'Old words.' }] });
  const sessionId = await newSession(first);
  await prompt(first, sessionId);
  const { data, workspace } = first;
  const host = await connect(t, { data, workspace, client: { capabilities: EDITOR } });
  await configure(host, { workspace: { roots: [workspace], adHoc: [], trusted: false } });
  await host.agent.request('session/load', { sessionId, cwd: workspace, mcpServers: [] });
  assert.equal(said(host), 'Old words.');
  const error = await prompt(host, sessionId).catch((reason: unknown) => reason);
  assert.ok(error instanceof RequestError);
  assert.equal(error.code, -32603);
  assert.equal(Object(error.data).kind, 'untrusted');
  await configure(host);
  assert.deepEqual(await prompt(host, sessionId), { stopReason: 'end_turn' });
});

test('a prompt waits for the snapshot the client promised', async (t) => {
  const host = await connect(t, { client: { capabilities: EDITOR } });
  const sessionId = await newSession(host);
  const early = prompt(host, sessionId);
  await configure(host, { workspace: { roots: [], adHoc: [], trusted: false } });
  const error = await early.catch((reason: unknown) => reason);
  assert.ok(error instanceof RequestError);
  assert.equal(Object(error.data).kind, 'untrusted');
});

test('a snapshot without a workspace is invalid', async (t) => {
  const host = await connect(t, { client: { capabilities: EDITOR } });
  for (const params of [{}, { workspace: [] }, []]) {
    const error = await host.agent
      .request('_gatehouse/configure', params)
      .catch((reason: unknown) => reason);
    assert.ok(error instanceof RequestError);
    assert.equal(error.code, -32602);
  }
});

test('rules apply from the next call on, and invalid ones are reported with their origin', async (t) => {
  const origin = { layer: 'user', file: '/home/u/settings.json', index: 0 };
  const host = await connect(t, {
    client: { capabilities: EDITOR },
    script: [{ calls: [ECHO] }, { text: 'Ok.' }],
  });
  const bad = {
    permission: 'bash',
    pattern: 'ls',
    action: 'maybe',
    origin: { ...origin, index: 1 },
  };
  const { problems } = await configure(host, { rules: [{ ...ALLOW, origin }, bad] });
  assert.deepEqual(
    problems.map((problem) => problem.origin),
    [bad.origin],
  );
  await prompt(host, await newSession(host));
  assert.deepEqual(requests(host, 'session/request_permission'), []);
  assert.deepEqual(Object.values(lastStatus(host)), ['completed']);
});

test('a settings file cannot claim another scope for its rules', () => {
  const configuration = toConfiguration(
    {
      raw: {},
      rules: [{ entry: { ...ALLOW, source: 'manifest' }, origin: { layer: 'user', index: 0 } }],
    },
    openAcceptances('/nowhere/accepted.json'),
    {},
  );
  assert.deepEqual(
    configuration.rules.map(({ source }) => source),
    ['project'],
  );
});

const ALL = { permission: 'bash', pattern: '*', action: 'allow' } as const;

test('the workspace may only tighten until its rules are accepted, and its other settings never count', async (t) => {
  const folder = await temporary(t);
  const file = path.join(folder, '.vscode', 'settings.json');
  await mkdir(path.dirname(file));
  const text = `{
    // Comments are allowed here.
    "gatehouse.skills.paths": ["/home/other/private"],
    "gatehouse.model.baseUrl": "https://elsewhere.example/v1",
    "gatehouse.permissions": [
      { "permission": "bash", "pattern": "*", "action": "allow" },
      { "permission": "bash", "pattern": "rm *", "action": "deny" },
    ]
  }`;
  await writeFile(file, text);
  const acceptances = openAcceptances(path.join(await temporary(t), 'accepted.json'));
  const read = () =>
    toConfiguration(readSettingsFiles('/nowhere/settings.json', folder), acceptances, {});
  const patterns = () => read().rules.map(({ pattern, action }) => `${action} ${pattern}`);
  assert.deepEqual(patterns(), ['deny rm *']);
  assert.equal(read().settings.model.baseUrl, undefined);
  assert.equal(read().problems.length, 1);
  acceptances.accept(file, createHash('sha256').update(text).digest('hex'), true);
  assert.deepEqual(patterns(), ['deny rm *'], 'nothing shows a user what a whole file would set');
  acceptances.accept(file, ruleHash(ALL), true);
  assert.deepEqual(patterns(), ['allow *', 'deny rm *']);
  assert.equal(read().settings.model.baseUrl, undefined);
  assert.deepEqual(read().settings.skillPaths, [], 'only the user names folders of skills');
  await writeFile(file, text.replace('"*"', '"a *"').replace('rm *', 'rmdir *'));
  assert.deepEqual(patterns(), ['deny rmdir *']);
  acceptances.accept(file, ruleHash(ALL), false);
  await writeFile(file, text);
  assert.deepEqual(patterns(), ['deny rm *']);
});

test("only the user's own file sets the sandbox, and a damaged one requires it", async (t) => {
  const folder = await temporary(t);
  const [user, workspace] = [path.join(folder, 'user.json'), path.join(folder, '.vscode')];
  const file = path.join(workspace, 'settings.json');
  await mkdir(workspace);
  const text = '{ "gatehouse.sandbox.mode": "off", "sandbox": { "autoRun": true } }';
  await writeFile(file, text);
  const acceptances = openAcceptances(path.join(folder, 'accepted.json'));
  acceptances.accept(file, createHash('sha256').update(text).digest('hex'), true);
  const read = async (written: string) => {
    await writeFile(user, written);
    const sources = readSettingsFiles(user, folder);
    const { sandboxMode, runsInCopy } = toConfiguration(sources, acceptances, {}).settings;
    return [sandboxMode, runsInCopy];
  };
  assert.deepEqual(await read('{}'), ['auto', false]);
  assert.deepEqual(await read('{ "gatehouse.sandbox.mode": "require" }'), ['require', false]);
  assert.deepEqual(await read('{ "gatehouse.sandbox.mo'), ['require', false]);
  assert.deepEqual(await read('{ "sandbox.mode": "off", "a'), ['off', false]);
});

test('_gatehouse/accept accepts and revokes a path and a hash', async (t) => {
  const host = await connect(t);
  const accept = (params: object) => host.agent.request('_gatehouse/accept', params);
  const file = path.join(host.workspace, '.vscode', 'settings.json');
  const hash = ruleHash(ALLOW);
  await accept({ path: file, hash, accepted: true });
  const store = path.join(host.data, 'state', 'accepted.json');
  assert.deepEqual(JSON.parse(await readFile(store, 'utf8')), { [file]: [hash] });
  await accept({ path: file, hash, accepted: false });
  assert.deepEqual(JSON.parse(await readFile(store, 'utf8')), { [file]: [] });
  await assert.rejects(accept({ path: 'relative', hash, accepted: true }));
  await assert.rejects(accept({ path: file, hash: 'short', accepted: true }));
  await assert.rejects(accept({ path: file, hash, accepted: 'yes' }));
});

test('a damaged settings file turns denies that it may hide into an ask', async (t) => {
  const host = await connect(t, {
    script: ({ conversation }) =>
      conversation.results.length === 0 ? { calls: [ECHO] } : { text: 'Ok.' },
  });
  const file = path.join(host.data, 'settings.json');
  await writeFile(file, JSON.stringify({ 'gatehouse.permissions': [ALLOW] }));
  await prompt(host, await newSession(host));
  assert.equal(requests(host, 'session/request_permission').length, 0);
  await writeFile(file, `{ "gatehouse.permissions": [${JSON.stringify(ALLOW)}, {"permission": `);
  await prompt(host, await newSession(host));
  assert.equal(requests(host, 'session/request_permission').length, 1);
});

test('the key comes from the editor, and only the endpoint receives it', async (t) => {
  const ids: unknown[] = [];
  const model = await startModelServer({ script: [{ text: 'Hello.' }] });
  t.after(() => model.stop());
  const host = await connect(t, {
    env: {
      GATEHOUSE_MODEL_BASE_URL: '',
      GATEHOUSE_MODEL_ID: '',
      GATEHOUSE_MODEL_API_KEY: 'env-key',
    },
    client: {
      capabilities: KEEPER,
      other: (method, params) => {
        if (method !== '_gatehouse/secret') return undefined;
        ids.push(Object(params).id);
        return { value: 'stored-key' };
      },
    },
  });
  await configure(host, { settings: { 'model.baseUrl': model.url, 'model.id': 'm' } });
  await prompt(host, await newSession(host));
  assert.deepEqual(ids, ['model/openai-compatible']);
  assert.equal(model.requests[0]?.headers['authorization'], 'Bearer stored-key');
  const mentions = host.lines.filter(({ message }) =>
    JSON.stringify(message).includes('stored-key'),
  );
  assert.equal(mentions.length, 1, 'only the answer to the question for it holds the key');
  assert.doesNotMatch(JSON.stringify(host.lines), /env-key/);
});

test('an endpoint from the environment gets the key from the environment', async (t) => {
  const model = await startModelServer({ script: [{ text: 'Hello.' }] });
  t.after(() => model.stop());
  const host = await connect(t, {
    env: { GATEHOUSE_MODEL_BASE_URL: model.url, GATEHOUSE_MODEL_API_KEY: 'env-key' },
    client: { capabilities: KEEPER, other: () => ({ value: 'stored-key' }) },
  });
  await configure(host, { settings: { 'model.baseUrl': 'http://127.0.0.1:9/v1' } });
  await prompt(host, await newSession(host));
  assert.equal(model.requests[0]?.headers['authorization'], 'Bearer env-key');
});

test('a key that the editor cannot provide is reported', async (t) => {
  const host = await connect(t, { client: { capabilities: KEEPER } });
  await configure(host);
  const error = await prompt(host, await newSession(host)).catch((reason: unknown) => reason);
  assert.ok(error instanceof RequestError);
  assert.equal(error.code, -32603);
  assert.equal(Object(error.data).kind, 'no-key');
  assert.match(error.message, /API key/);
});

test('explain returns the decision on a call, and why', async (t) => {
  const host = await connect(t);
  await writeFile(
    path.join(host.data, 'settings.json'),
    JSON.stringify({
      'gatehouse.permissions': [{ permission: 'bash', pattern: 'rm *', action: 'deny' }],
    }),
  );
  const sessionId = await newSession(host);
  const explain = (tool: string, input: object) =>
    host.agent.request<Record<string, unknown>>('_gatehouse/explain', { sessionId, tool, input });
  const denied = await explain('bash', { command: 'rm a' });
  assert.equal(denied['decision'], 'deny');
  assert.equal(Object(denied['rule']).pattern, 'rm *');
  assert.equal(Object(denied['rule']).origin.layer, 'user');
  assert.equal((await explain('read', { path: 'a.txt' }))['decision'], 'allow');
  const asked = await explain('bash', { command: 'frob nicate' });
  assert.equal(Object(asked['candidates'])[0]?.rules[0]?.pattern, 'frob nicate');
  assert.equal((await explain('read', { path: 5 }))['layer'], 'schema');
  assert.equal((await explain('nothing', {}))['decision'], 'error');
});

test('explain evaluates a command in the folder that the call names', async (t) => {
  const host = await connect(t);
  const rules = [
    { permission: 'bash', pattern: 'echo *', action: 'allow' },
    { permission: 'bash', pattern: 'sub/out', action: 'deny' },
    { permission: 'fs.write', pattern: 'sub/out', action: 'deny' },
  ];
  await writeFile(
    path.join(host.data, 'settings.json'),
    JSON.stringify({ 'gatehouse.permissions': rules }),
  );
  const sessionId = await newSession(host);
  const explain = async (input: object) => {
    const params = { sessionId, tool: 'bash', input };
    const { decision } = Object(await host.agent.request('_gatehouse/explain', params));
    return decision;
  };
  assert.equal(await explain({ command: 'echo a > out', cwd: 'sub' }), 'deny');
  assert.notEqual(await explain({ command: 'echo a > out' }), 'deny');
});

test('writing the settings that the editor reads asks, wherever they are', async (t) => {
  const host = await connect(t, { client: { capabilities: EDITOR } });
  const user = path.join(host.workspace, 'data', 'User', 'settings.json');
  const allow = { permission: '*', pattern: '**', action: 'allow' };
  await configure(host, {
    rules: [{ ...allow, origin: { layer: 'user', file: user, index: 0 } }],
    files: [{ layer: 'user', path: user }],
  });
  const sessionId = await newSession(host);
  const decide = async (file: string) => {
    const input = { path: file, content: '' };
    const params = { sessionId, tool: 'write', input };
    return Object(await host.agent.request('_gatehouse/explain', params)).decision;
  };
  assert.equal(await decide('data/User/settings.json'), 'ask');
  assert.equal(await decide('data/User/profiles/3f/mcp.json'), 'ask');
  assert.equal(await decide('src/User/settings.json'), 'allow');
});

setting('a nested value', { model: { id: 'a' } }, {}, ['a', undefined, 0]);
setting('a dotted value', { 'model.id': 'a' }, {}, ['a', undefined, 0]);
setting('a full name', { 'gatehouse.model.id': 'a' }, {}, ['a', undefined, 0]);
setting('the environment wins', { 'model.id': 'a' }, { GATEHOUSE_MODEL_ID: 'b' }, [
  'b',
  undefined,
  0,
]);
setting('a file URL is no endpoint', { 'model.baseUrl': 'file:///etc' }, {}, [
  undefined,
  undefined,
  1,
]);
setting('a number is no name', { 'model.id': 5 }, {}, [undefined, undefined, 1]);
setting('a negative limit is left out', { 'limits.turnSteps': -1 }, {}, [undefined, undefined, 1]);

function setting(
  name: string,
  raw: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv,
  [id, baseUrl, problems]: readonly [string | undefined, string | undefined, number],
) {
  test(`settings: ${name}`, () => {
    const parsed = parseSettings(raw, env);
    assert.deepEqual(
      [parsed.settings.model.id, parsed.settings.model.baseUrl, parsed.problems.length],
      [id, baseUrl, problems],
    );
    assert.equal(parsed.settings.limits.turnSteps > 0, true);
  });
}

test('settings: a limit is clamped to the longest timer', () => {
  const nothing = parseSettings({ 'limits.bashTimeoutMs': 0, 'limits.modelRetries': 0 }, {});
  assert.equal(nothing.settings.limits.bashTimeoutMs, 120_000);
  assert.equal(nothing.settings.limits.modelRetries, 0);
  assert.match(nothing.problems[0]?.message ?? '', /1 or more/);
  const { settings, problems } = parseSettings({ 'limits.modelChunkMs': 1e12 }, {});
  assert.equal(settings.limits.modelChunkMs, 2 ** 31 - 1);
  assert.deepEqual(problems, []);
});

test('a settings file that cannot be read may hold a deny, so it allows nothing and is reported', async (t) => {
  const folder = await temporary(t);
  const userFile = path.join(folder, 'settings.json');
  await mkdir(userFile);
  const acceptances = openAcceptances(path.join(folder, 'accepted.json'));
  const sources = readSettingsFiles(userFile, folder);
  const { rules, problems } = toConfiguration(sources, acceptances, {});
  assert.deepEqual(
    rules.map(({ permission, pattern, action }) => [permission, pattern, action]),
    [['*', '*', 'ask']],
  );
  assert.equal(problems[0]?.origin?.file, userFile);
});

test('acceptances and revocations in another window apply immediately', async (t) => {
  const folder = await temporary(t);
  const store = path.join(folder, 'accepted.json');
  const [here, there] = [openAcceptances(store), openAcceptances(store)];
  const before = here.stamp();
  assert.equal(here.has('/a', 'hash'), false);
  there.accept('/a', 'hash', true);
  assert.equal(here.has('/a', 'hash'), true);
  assert.notEqual(here.stamp(), before);
  there.accept('/a', 'hash', false);
  assert.equal(here.has('/a', 'hash'), false);
});

test('a snapshot rule that another window revoked no longer applies', async (t) => {
  const folder = await temporary(t);
  const accepted = path.join(folder, 'accepted.json');
  const [here, there] = [openAcceptances(accepted), openAcceptances(accepted)];
  const store = createConfigurationStore({
    ...{ expectsSnapshot: true, userFile: path.join(folder, 'settings.json') },
    ...{ acceptances: here, env: {} },
  });
  const origin = { layer: 'workspace', file: '/w/.vscode/settings.json', index: 0 };
  const workspace = { roots: ['/w'], adHoc: [], trusted: true };
  store.configure(parseSnapshot({ rules: [{ ...ALLOW, origin }], workspace }));
  const counts = [store.current(folder).rules.length];
  for (const yes of [true, false]) {
    there.accept(origin.file, ruleHash(ALLOW), yes);
    await Promise.resolve();
    counts.push(store.current(folder).rules.length);
  }
  assert.deepEqual(counts, [0, 1, 0]);
});

test('a retry after a turn without output is stored once', async (t) => {
  const seen: unknown[] = [];
  const host = await connect(t, {
    script: ({ body }) => {
      seen.push(body['messages']);
      if (seen.length === 1) return { fault: { at: 'head', status: 401 } };
      return { text: 'Now it works.' };
    },
  });
  const sessionId = await newSession(host);
  await assert.rejects(prompt(host, sessionId, 'Fix it.'));
  await prompt(host, sessionId, 'Fix it.');
  assert.deepEqual(seen[1], seen[0]);
  await prompt(host, sessionId, 'Fix it.');
  assert.equal(JSON.stringify(seen[2]).split('Fix it.').length, 3, 'said again on purpose');
});

test('changed settings apply at the next step, and immediately when the host wrote them', async (t) => {
  const folder = await temporary(t);
  const userFile = path.join(folder, 'settings.json');
  const acceptances = openAcceptances(path.join(folder, 'accepted.json'));
  const store = createConfigurationStore({
    expectsSnapshot: false,
    userFile,
    acceptances,
    env: {},
  });
  const write = (rules: readonly object[]) =>
    writeFileSync(userFile, JSON.stringify({ 'gatehouse.permissions': rules }));
  const count = () => store.current(folder).rules.length;

  assert.equal(count(), 0);
  await Promise.resolve();
  write([ALLOW]);
  assert.equal(count(), 1);
  await Promise.resolve();
  write([ALLOW, ALLOW]);
  assert.equal(count(), 2);
  write([]);
  store.refresh();
  assert.equal(count(), 0);
});
