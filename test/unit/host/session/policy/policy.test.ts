import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { parseSnapshot } from '../../../../../src/acp/gatehouse/configure.ts';
import { BUILT_IN_AGENT } from '../../../../../src/agentDefinitions/builtIn.ts';
import { openAcceptances } from '../../../../../src/host/config/acceptance.ts';
import { createConfigurationStore } from '../../../../../src/host/config/configurationStore.ts';
import { openDataFolder } from '../../../../../src/host/config/dataFolder.ts';
import {
  createRuleList,
  type SessionFacts,
  toPolicy,
} from '../../../../../src/host/session/policy/policy.ts';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import type { Policy } from '../../../../../src/permissions/rules/policy.ts';
import type { Rule } from '../../../../../src/permissions/rules/rule.ts';
import { evaluate } from '../../../permissions/ask.ts';
import { temporary } from '../../harness.ts';

const rule = (pattern: string): Rule => ({
  permission: 'bash',
  pattern,
  action: 'allow',
  source: 'session',
});
const facts: SessionFacts = {
  id: 's',
  cwd: '/w',
  additionalDirectories: ['/other'],
  definition: BUILT_IN_AGENT,
  capabilities: {},
  scratchRules: [],
  canAsk: true,
  approval: 'ask',
  rules: [],
  listRules: createRuleList(),
  tools: [],
};
const SNAPSHOT = parseSnapshot({
  settings: {},
  rules: [{ permission: 'bash', pattern: 'make', action: 'allow', origin: { layer: 'user' } }],
  workspace: { roots: ['/w'], adHoc: ['/opened'], trusted: true },
  editor: {},
});

async function setUp(t: Parameters<typeof temporary>[0]) {
  const root = await temporary(t);
  const store = createConfigurationStore({
    expectsSnapshot: true,
    userFile: path.join(root, 'settings.json'),
    acceptances: openAcceptances(path.join(root, 'accepted.json')),
    env: {},
  });
  return { store, data: openDataFolder({ GATEHOUSE_DATA: root }) };
}

test('the rules are one list while nothing changed, and another when something did', async (t) => {
  const { store, data } = await setUp(t);
  store.configure(SNAPSHOT);
  const rulesOf = (session: SessionFacts) => toPolicy(session, store.current('/w'), data).rules;
  const first = rulesOf(facts);
  assert.equal(rulesOf(facts), first);
  assert.deepEqual(first.slice(0, DEFAULT_RULES.length), DEFAULT_RULES);
  const own = [rule('npm test')];
  assert.equal(rulesOf({ ...facts, rules: own }), rulesOf({ ...facts, rules: own }));
  assert.equal(rulesOf({ ...facts, rules: own }).at(-1)?.pattern, 'npm test');
  assert.notEqual(rulesOf({ ...facts, approval: 'acceptEdits' }), first);
  store.addMeanwhile([rule('cargo test')]);
  const extended = rulesOf(facts);
  assert.equal(extended.at(-1)?.pattern, 'cargo test');
  assert.equal(rulesOf(facts), extended);
  store.configure(SNAPSHOT);
  assert.ok(
    rulesOf(facts).some(({ pattern }) => pattern === 'cargo test'),
    'it still waits',
  );
});

test('the folders follow the editor, or are the session’s own', async (t) => {
  const { store, data } = await setUp(t);
  const before = toPolicy(facts, store.current('/w'), data).folders;
  assert.deepEqual([before.workspace, before.adHoc], [['/w', '/other'], []]);
  store.configure(SNAPSHOT);
  const after = toPolicy(facts, store.current('/w'), data).folders;
  assert.deepEqual([after.workspace, after.adHoc], [['/w'], ['/opened']]);
  assert.equal(after.state, path.join(data.root, 'state'));
  assert.equal(after.sidecars, path.join(data.root, 'state', 'sessions', 's', 'out'));
});

test('the setting limits how long folders are looked through', async (t) => {
  const { store, data } = await setUp(t);
  const limitOf = () => toPolicy(facts, store.current('/w'), data).lookMs;
  store.configure(SNAPSHOT);
  assert.equal(limitOf(), 500);
  store.configure({ ...SNAPSHOT, settings: { 'limits.lookMs': 2000 } });
  assert.equal(limitOf(), 2000);
  store.configure({ ...SNAPSHOT, settings: { 'limits.lookMs': 0 } });
  assert.equal(limitOf(), 0);
  // There is always a limit.
  store.configure({ ...SNAPSHOT, settings: { 'limits.lookMs': 1e9 } });
  assert.equal(limitOf(), 60_000);
});

test('sessions that share one list of rules read their own sidecars, and no other', async (t) => {
  const { store, data } = await setUp(t);
  store.configure(SNAPSHOT);
  const policies = ['one', 'two'].map((id) =>
    toPolicy({ ...facts, id }, store.current('/w'), data),
  );
  assert.equal(policies[0]?.rules, policies[1]?.rules);
  const verdict = async (policy: Policy, owner: string) => {
    const target = path.join(data.sidecars(owner), 'call.txt');
    const subject = { permission: 'read', capability: 'fs.read', target, match: 'path' } as const;
    const evaluated = await evaluate(
      { tool: 'read', input: { path: target }, subjects: [subject] },
      policy,
    );
    return evaluated.decision;
  };
  // Twice, and in turn: what was compiled for one is not used for the other.
  for (let round = 0; round < 2; round += 1) {
    const seen = await Promise.all(
      policies.map(async (policy) => [await verdict(policy, 'one'), await verdict(policy, 'two')]),
    );
    assert.deepEqual(seen, [
      ['allow', 'refuse'],
      ['refuse', 'allow'],
    ]);
  }
});

test('VC-10: without a folder there is no workspace to read', async (t) => {
  const { store, data } = await setUp(t);
  store.configure({ ...SNAPSHOT, workspace: { roots: [], adHoc: [], trusted: true } });
  const { folders } = toPolicy({ ...facts, cwd: data.scratch }, store.current(data.scratch), data);
  assert.deepEqual(folders.workspace, []);
});
