import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ImportPreview, ImportQuery } from '../../../../src/acp/gatehouse/rules.ts';
import { reportLines } from '../../../../src/base/tools/importReport.ts';
import { ruleHash } from '../../../../src/host/config/acceptance.ts';
import { connect } from '../harness.ts';
import { NAMES, plant } from './scene.ts';

const CLIENT = { capabilities: { _meta: { gatehouse: { v: 1, configure: true } } } };
const OWN_EDITOR = 'home/editor/settings.json';
const MAKE = { permission: 'bash', pattern: 'make *', action: 'allow' } as const;

interface Asked {
  readonly trusted?: boolean;
  readonly roots?: readonly string[];
  readonly query?: ImportQuery;
  readonly rules?: readonly object[];
}

/** What the host answers to a window with the planted workspace. */
async function ask(t: TestContext, base: string, asked: Asked = {}): Promise<ImportPreview> {
  const folder = path.join(base, 'workspace');
  const env = { HOME: path.join(base, 'home') };
  const { agent } = await connect(t, { client: CLIENT, workspace: folder, env });
  const { trusted = true, roots = [folder], rules = [], query = { folder } } = asked;
  await agent.request('_gatehouse/configure', {
    ...{ settings: {}, rules, editor: {} },
    workspace: { roots, adHoc: [], trusted },
  });
  return agent.request('_gatehouse/import_rules', query);
}

function plantRules(): string {
  return plant({
    [NAMES.claude]: { permissions: { allow: ['Bash(npm test:*)', 'Bash(ls*)', 'Bash(*)'] } },
    [NAMES.claudeWorkspace]: { permissions: { allow: ['Bash(make:*)'] } },
    [NAMES.openCode]: '{',
  });
}

const toLines = ({ rules }: ImportPreview) =>
  rules.map(({ destination, pattern }) => `${destination} ${pattern}`);

test('the preview has the files, the rules with where they go, and each reason', async (t) => {
  const base = plantRules();
  const found = await ask(t, base);
  assert.deepEqual(toLines(found), ['user npm test *', 'user ls *', 'workspace make *']);
  assert.equal(found.rules.at(-1)?.hash, ruleHash(MAKE));
  assert.deepEqual(
    found.files.map(({ source, problem }) => [source.product, problem !== undefined]),
    [
      ['Claude Code', false],
      ['OpenCode', true],
      ['Claude Code', false],
    ],
  );
  const lines = reportLines(found).join('\n');
  assert.match(lines, /allow Bash\(ls\*\): The name of the program has to be whole\./);
  assert.match(lines, /Not imported \(1\)\n {2}Claude Code {2}allow Bash\(\*\): It would allow/);
  assert.equal(found.untrusted, undefined);
});

test('in an untrusted workspace only the files of the user are read', async (t) => {
  const base = plantRules();
  const found = await ask(t, base, { trusted: false });
  assert.deepEqual(toLines(found), ['user npm test *', 'user ls *']);
  const folder = path.join(base, 'workspace');
  assert.ok(found.searched.every((each) => !each.path.startsWith(folder)));
  assert.equal(found.untrusted, true);
});

test('without a folder only the files of the user are read, and another folder is an error', async (t) => {
  const base = plantRules();
  assert.deepEqual(toLines(await ask(t, base, { query: {} })), ['user npm test *', 'user ls *']);
  const other = path.join(base, 'home');
  await assert.rejects(ask(t, base, { query: { folder: other } }), /Must be an open folder/);
  await assert.rejects(ask(t, base, { query: { folder: 'workspace' } }), /absolute path/);
});

test('the settings of the editor that asks are read instead of those of other editors', async (t) => {
  const allow = (name: string) => ({ 'chat.tools.terminal.autoApprove': { [name]: true } });
  const base = plant({ [NAMES.editor]: allow('make'), [OWN_EDITOR]: allow('cargo') });
  const found = await ask(t, base, { query: { userSettings: path.join(base, OWN_EDITOR) } });
  const patterns = found.rules.map(({ pattern }) => pattern).join();
  assert.match(patterns, /cargo/);
  assert.doesNotMatch(patterns, /make/);
});

test('rules of the window count: none is imported twice, and no deny is overridden', async (t) => {
  const base = plantRules();
  const at = (layer: string) => ({ origin: { layer, file: '/s.json', index: 0 } });
  const rules = [
    { permission: 'bash', pattern: 'npm test *', action: 'allow', ...at('user') },
    { permission: 'bash', pattern: 'ls *', action: 'deny', ...at('user') },
    // It waits for the user.
    { ...MAKE, ...at('workspace') },
  ];
  const found = await ask(t, base, { rules });
  assert.deepEqual(toLines(found), []);
  const known = found.entries.filter((each) => each.known === true);
  assert.deepEqual(
    known.map(({ written }) => written),
    ['Bash(npm test:*)', 'Bash(make:*)'],
  );
  const denied = found.entries.find(({ written }) => written === 'Bash(ls*)');
  assert.match(denied?.reason ?? '', /Your rule `bash ls \*` denies it/);
});

test('if nothing is found, the preview says where it looked', async (t) => {
  const base = plant();
  const lines = reportLines(await ask(t, base));
  assert.match(lines[0] ?? '', /^No settings of Claude Code/);
  for (const name of Object.values(NAMES)) {
    const file = path.join(base, name);
    assert.ok(
      lines.some((line) => line.endsWith(`  ${file}`)),
      file,
    );
  }
});
