import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { parse } from 'jsonc-parser';
import { run as accept } from '../../../../src/host/cli/acceptTools.ts';
import { openAcceptances } from '../../../../src/host/config/acceptance.ts';
import { toConfiguration } from '../../../../src/host/config/configuration.ts';
import { readSettingsFiles } from '../../../../src/host/config/settingsFiles.ts';
import { connect, prompt, temporary } from '../harness.ts';

const rule = (pattern: string, action = 'allow') => ({ permission: 'bash', pattern, action });

interface Problem {
  readonly message: string;
  readonly waiting?: { readonly rule: { readonly pattern: string }; readonly hash: string };
}

/** A host whose client sends rules of the workspace's settings file. */
async function open(t: TestContext) {
  const told: Problem[][] = [];
  const host = await connect(t, {
    script: [
      { calls: [{ tool: 'bash', input: { command: 'touch a' }, id: 'c1' }] },
      { text: 'Ok.' },
    ] as never,
    client: {
      capabilities: { _meta: { gatehouse: { v: 1, configure: true, problems: true } } },
      other: (method, params) => {
        if (method === '_gatehouse/problems_changed') {
          told.push((params as { problems: Problem[] }).problems);
        }
        return {};
      },
    },
  });
  const file = path.join(host.workspace, '.vscode/settings.json');
  const configure = async (rules: readonly object[]) => {
    const origin = { layer: 'workspace', file };
    const { problems } = await host.agent.request<{ problems: Problem[] }>('_gatehouse/configure', {
      ...{ settings: {}, editor: {} },
      rules: rules.map((each, index) => ({ ...each, origin: { ...origin, index } })),
      workspace: { roots: [host.workspace], adHoc: [], trusted: true },
    });
    return problems;
  };
  const accept = ({ waiting }: Problem, accepted = true) =>
    host.agent.request('_gatehouse/accept', { path: file, hash: waiting?.hash, accepted });
  const patterns = async (accepted: boolean) => {
    const params = { file, accepted };
    const { text } = await host.agent.request<{ text: string }>(
      '_gatehouse/rules_document',
      params,
    );
    const rules: { pattern: string }[] = parse(text);
    return rules.map(({ pattern }) => pattern);
  };
  const explain = async (command: string) => {
    const params = { tool: 'bash', input: { command } };
    return (await host.agent.request<{ decision: string }>('_gatehouse/explain', params)).decision;
  };
  return { host, file, told, configure, accept, patterns, explain };
}

test('an allow rule of the workspace waits, with its hash; a deny holds at once', async (t) => {
  const { configure, explain } = await open(t);
  const problems = await configure([rule('touch *'), rule('mkdir *', 'deny'), rule('rm *', 'ask')]);
  assert.deepEqual(
    problems.map(({ waiting }) => waiting?.rule),
    [rule('touch *')],
  );
  assert.match(problems[0]?.waiting?.hash ?? '', /^[0-9a-f]{64}$/);
  assert.deepEqual([await explain('touch a'), await explain('mkdir a')], ['ask', 'deny']);
});

test('once accepted it allows, and the client is told; an edited rule waits again', async (t) => {
  const { configure, accept, explain, told } = await open(t);
  const [first, second] = await configure([rule('touch *'), rule('mkdir *')]);
  assert.ok(first && second);
  await accept(first);
  assert.equal(await explain('touch a'), 'allow');
  assert.deepEqual(
    told.at(-1)?.map(({ waiting }) => waiting?.rule.pattern),
    ['mkdir *'],
  );
  await accept(second);
  assert.deepEqual(told.at(-1), []);
  const edited = await configure([rule('touch **'), rule('mkdir *')]);
  assert.deepEqual(
    edited.map(({ waiting }) => waiting?.rule.pattern),
    ['touch **'],
  );
  await accept(second, false);
  assert.equal(await explain('mkdir a'), 'ask');
  assert.equal(told.at(-1)?.length, 2);
});

test('the documents show the rules that were accepted last, and those of now in the order of the file', async (t) => {
  const { configure, accept, patterns } = await open(t);
  const [first] = await configure([rule('touch *'), rule('a *')]);
  assert.ok(first);
  assert.deepEqual([await patterns(true), await patterns(false)], [[], ['touch *', 'a *']]);
  await accept(first);
  assert.deepEqual(await patterns(true), ['touch *']);
  const [edited] = await configure([rule('git *'), rule('touch b')]);
  assert.ok(edited);
  assert.deepEqual(
    [await patterns(true), await patterns(false)],
    [['touch *'], ['git *', 'touch b']],
  );
  await accept(edited);
  assert.deepEqual(await patterns(true), ['git *']);
});

test('a rule that "always" saved to the workspace leaves nothing that waits', async (t) => {
  const told: Problem[][] = [];
  let configure = async () => {};
  const host = await connect(t, {
    script: [
      { calls: [{ tool: 'bash', input: { command: 'touch a' }, id: 'c1' }] },
      { text: 'Ok.' },
    ] as never,
    client: {
      capabilities: {
        _meta: { gatehouse: { v: 1, configure: true, problems: true, saveRule: true } },
      },
      permission: () => ({ outcome: { outcome: 'selected', optionId: 'always-workspace' } }),
      other: (method, params) => {
        if (method === '_gatehouse/problems_changed') {
          told.push((params as { problems: Problem[] }).problems);
        }
        if (method !== '_gatehouse/save_rule') return {};
        return configure().then(() => ({ file: path.join(host.workspace, 's.json') }));
      },
    },
  });
  const send = (rules: readonly object[]) =>
    host.agent.request<{ problems: Problem[] }>('_gatehouse/configure', {
      ...{ settings: {}, editor: {}, rules },
      workspace: { roots: [host.workspace], adHoc: [], trusted: true },
    });
  await send([]);
  configure = async () => {
    const origin = { layer: 'workspace', file: path.join(host.workspace, 's.json'), index: 0 };
    const { problems } = await send([{ ...rule('touch a'), origin }]);
    assert.equal(problems.length, 1, 'the host does not know the file yet');
  };
  const { sessionId } = await host.agent.request<{ sessionId: string }>('session/new', {
    cwd: host.workspace,
    mcpServers: [],
  });
  await prompt(host, sessionId);
  assert.deepEqual(told.at(-1), []);
});

test('gatehouse accept accepts the rules of a settings file one by one, and --revoke revokes them', async (t) => {
  const folder = await temporary(t);
  const file = path.join(folder, '.vscode/settings.json');
  await mkdir(path.dirname(file));
  const env = { GATEHOUSE_DATA: path.join(folder, 'data') };
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const write = (...rules: readonly object[]) =>
    writeFile(file, `// Mine.\n${JSON.stringify({ 'gatehouse.permissions': rules })}`);
  const run = (...args: readonly string[]) =>
    accept({ args, cwd: folder, env, stdin: new PassThrough(), stdout, stderr });
  const acceptances = openAcceptances(path.join(folder, 'data/state/accepted.json'));
  const inEffect = () => {
    const sources = readSettingsFiles('/nowhere', folder);
    return toConfiguration(sources, acceptances, {}).rules.map(({ pattern }) => pattern);
  };
  await write(rule('a *'), rule('b', 'deny'));
  assert.deepEqual(inEffect(), ['b']);
  assert.equal(await run('.vscode/settings.json'), 0);
  assert.match(String(stdout.read()), /^accepted .*settings\.json\n {2}allow bash\(a \*\)\n$/);
  assert.deepEqual(inEffect(), ['a *', 'b']);
  await write(rule('a *'), rule('b', 'deny'), rule('c'));
  assert.deepEqual(inEffect(), ['a *', 'b'], 'an edit elsewhere in the file revokes nothing');
  assert.deepEqual(
    acceptances.keptRules(file).map(({ pattern }) => pattern),
    ['a *'],
  );
  assert.equal(await run('--revoke', '.vscode/settings.json'), 0);
  assert.deepEqual(inEffect(), ['b']);
  await write(rule('b', 'deny'));
  assert.equal(await run('.vscode/settings.json'), 1);
  assert.match(String(stderr.read()), /has no rule that allows/);
});

test('an allow of a workspace whose file is not known never counts, and its deny does', () => {
  for (const layer of ['workspace', 'folder'] as const) {
    const entries = [rule('touch a'), rule('touch b', 'deny')];
    const rules = entries.map((entry, index) => ({ entry, origin: { layer, index } }));
    const acceptances = { has: () => true };
    const { rules: counting } = toConfiguration({ raw: {}, rules }, acceptances, {});
    assert.deepEqual(
      counting.map(({ action }) => action),
      ['deny'],
      layer,
    );
  }
});
