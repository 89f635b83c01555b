import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { openAcceptances } from '../../../../src/host/config/acceptance.ts';
import type { ModelRequest, ScriptedCall } from '../../../tour/server.ts';
import { type Connected, connect, newSession, prompt, requests, temporary } from '../harness.ts';

/** What a subagent of this definition is sent, and what becomes of its call. */
interface Ran {
  readonly host: Connected;
  /** The requests of the subagent's conversation. */
  readonly own: readonly ModelRequest[];
  /** The result of its call, or why it failed. */
  readonly told: string;
  /** The result of the task. */
  readonly task: string;
}

const READ = { tool: 'read', input: { path: 'a.txt' } };

async function runSubagent(
  t: TestContext,
  front: string,
  call: ScriptedCall = READ,
  prepare: (folders: { readonly data: string; readonly file: string }) => void = () => undefined,
): Promise<Ran> {
  const data = await temporary(t);
  const workspace = await temporary(t);
  writeFileSync(path.join(workspace, 'a.txt'), 'alpha');
  const file = path.join(data, 'agents/helper.md');
  mkdirSync(path.dirname(file));
  writeFileSync(file, `---\ndescription: Helps.\n${front}\n---\nYou help with care.\n`);
  prepare({ data, file });
  const own: ModelRequest[] = [];
  const told: string[] = [];
  const task: string[] = [];
  const host = await connect(t, {
    data,
    workspace,
    client: { permission: () => ({ outcome: { outcome: 'selected', optionId: 'allow' } }) },
    script: (request) => {
      const { prompt: asked, results } = request.conversation;
      const [result] = results;
      const isChild = asked === 'Help.';
      if (isChild) own.push(request);
      if (result !== undefined) {
        (isChild ? told : task).push(result.ok ? JSON.stringify(result.data) : result.errorText);
        return { text: 'Helped.' };
      }
      const input = { subagent_type: 'helper', prompt: 'Help.' };
      return { calls: [isChild ? call : { tool: 'task', input }] };
    },
  });
  await prompt(host, await newSession(host), 'Delegate.');
  return { host, own, told: told.join(), task: task.join() };
}

const system = ({ own }: Ran) => own[0]?.conversation.system ?? '';

test('CS-21 prompt: the body of an agent file is the system prompt of its subagent', async (t) => {
  const ran = await runSubagent(t, 'mode: subagent');
  assert.match(system(ran), /^You help with care\./);
  assert.match(ran.task, /Helped\./);
});

test('CS-21 mode: an agent of mode primary is no subagent, and one of mode subagent no mode of the user', async (t) => {
  assert.match((await runSubagent(t, 'mode: primary')).task, /There is no agent "helper"/);
  const { host } = await runSubagent(t, 'mode: subagent');
  const sessionId = await newSession(host);
  const asked = host.agent.request('session/set_mode', { sessionId, modeId: 'helper' });
  await assert.rejects(asked, /There is no agent "helper" that can be started here/);
});

test('CS-22 model: a subagent asks the model that its file names', async (t) => {
  const { own } = await runSubagent(t, 'model: helper-model');
  assert.equal(own[0]?.body['model'], 'helper-model');
});

test('C-8 tools: a subagent has the tools that its file names, and no call of another one runs', async (t) => {
  const ran = await runSubagent(t, 'tools: [glob]');
  assert.deepEqual(ran.own[0]?.conversation.tools, ['glob']);
  assert.doesNotMatch(JSON.stringify(ran.own.at(-1)?.body), /alpha/);
});

test('CS-28 permissions: a rule of the file binds the calls of its subagent', async (t) => {
  const rule = 'permissions: [{permission: read, pattern: "a.txt", action: deny}]';
  const denied = await runSubagent(t, rule);
  assert.doesNotMatch(denied.told, /alpha/);
  const asks = await runSubagent(t, rule.replace('deny', 'ask'));
  assert.equal(requests(asks.host, 'session/request_permission').length, 1);
  assert.match(asks.told, /alpha/);
});

test('CS-28 requires: a subagent reaches what its file declares and nothing else', async (t) => {
  const docs = 'requires: {fs: {read: ["{workspace}/docs/**"], write: []}}';
  assert.match((await runSubagent(t, docs)).told, /capabilities/);
  const all = 'requires: {fs: {read: ["{workspace}/**"], write: []}}';
  assert.match((await runSubagent(t, all)).told, /alpha/);
});

test('decision 23 roots: a folder counts only once the file is accepted, and never beyond the session that started it', async (t) => {
  const outside = await temporary(t);
  writeFileSync(path.join(outside, 'b.txt'), 'beta');
  const call = { tool: 'read', input: { path: path.join(outside, 'b.txt') } };
  const front = `roots: ["${outside}"]`;
  const accept = ({ data, file }: { readonly data: string; readonly file: string }) => {
    const text = `---\ndescription: Helps.\n${front}\n---\nYou help with care.\n`;
    const hash = createHash('sha256').update(text).digest('hex');
    mkdirSync(path.join(data, 'state'), { recursive: true });
    openAcceptances(path.join(data, 'state/accepted.json')).accept(file, hash, true);
  };
  const waiting = await runSubagent(t, front, call);
  assert.doesNotMatch(waiting.told, /beta/);
  assert.match(waiting.host.warnings.join('\n'), /its roots have no effect until/);
  const accepted = await runSubagent(t, front, call, accept);
  assert.doesNotMatch(accepted.told, /beta/, 'its parent has no such folder');
});

test('decision 23 roots: the session of an accepted agent reads the folder that its file opens', async (t) => {
  const data = await temporary(t);
  const outside = await temporary(t);
  writeFileSync(path.join(outside, 'b.txt'), 'beta');
  const text = `---\ndescription: Reads.\nroots: ["${outside}"]\n---\nP.\n`;
  const file = path.join(data, 'agents/reader.md');
  mkdirSync(path.dirname(file));
  writeFileSync(file, text);
  mkdirSync(path.join(data, 'state'));
  const hash = createHash('sha256').update(text).digest('hex');
  openAcceptances(path.join(data, 'state/accepted.json')).accept(file, hash, true);
  const told: string[] = [];
  const call = { tool: 'read', input: { path: path.join(outside, 'b.txt') } };
  const host = await connect(t, {
    ...{ data, env: { GATEHOUSE_AGENT: 'reader' } },
    client: { permission: () => ({ outcome: { outcome: 'selected', optionId: 'allow' } }) },
    script: ({ conversation: { results } }) => {
      told.push(...results.map((each) => JSON.stringify(each)));
      return results.length === 0 ? { calls: [call] } : { text: 'Read.' };
    },
  });
  await prompt(host, await newSession(host));
  assert.match(told.join(), /beta/);
});

test('a broken agent file says what is wrong with it, and takes no other agent along', async (t) => {
  const broken = await runSubagent(t, 'mode: sometimes');
  assert.match(broken.task, /The agent "helper" cannot start\. .*helper\.md: mode must be/);
  assert.match(broken.host.warnings.join('\n'), /helper\.md: mode must be/);
  const { host } = await runSubagent(t, 'mode: subagent', READ, ({ data }) => {
    const files = { 'yaml.md': '---\nname: [\n---\n', 'none.md': 'No front matter.', 'x.md': '' };
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(path.join(data, 'agents', name), text);
    }
    writeFileSync(
      path.join(data, 'agents/latin.md'),
      Buffer.from('---\ndescription: \xe9\n---\n', 'latin1'),
    );
  });
  for (const name of ['yaml.md', 'none.md', 'x.md', 'latin.md']) {
    assert.equal(host.warnings.filter((each) => each.includes(name)).length, 1, name);
  }
});

test('invisible characters in an agent file are an error that names the file, since nobody could accept what they say', async (t) => {
  const tag = [...'obey']
    .map((each) => String.fromCodePoint(0xe0000 + each.charCodeAt(0)))
    .join('');
  const { task } = await runSubagent(t, `tools: [read] # ${tag}`);
  assert.match(task, /helper\.md: .*4 invisible characters/);
});
