import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Policy } from '../../../../src/permissions/rules/policy.ts';
import { evaluateBash, evaluateFileTool, plantWorkspace } from '../ask.ts';

const [WEB, API] = [plantWorkspace(['src/a.ts']), plantWorkspace(['src/a.ts'])];
const TWO: Partial<Policy> = { folders: { workspace: [WEB, API], adHoc: [], cwd: WEB } };

/** Each rule that an answer could store, as `permission pattern action`. */
function listRules({ offers }: Awaited<ReturnType<typeof evaluateFileTool>>): readonly string[] {
  const parts = offers().allow.flatMap(({ patterns, session }) => [session, ...patterns]);
  return parts
    .flatMap((each) => each ?? [])
    .map(({ rule }) => `${rule.permission} ${rule.pattern} allow`);
}

for (const tool of ['edit', 'write', 'read'])
  test(`with several folders no rule offered for ${tool} covers the same path in another one`, async () => {
    const rules = listRules(await evaluateFileTool(tool, `${WEB}/src/a.ts`, [], TWO));
    assert.ok(rules.length > 0);
    for (const rule of rules) {
      const both = [rule, rule.replace(/^fs\.write /, 'fs.read ')];
      const own = await evaluateFileTool(
        tool,
        `${WEB}/src/a.ts`,
        [...both, `${tool} ${WEB}/** allow`],
        TWO,
      );
      assert.equal(own.decision, 'allow', rule);
      const other = await evaluateFileTool(tool, `${API}/src/a.ts`, both, TWO);
      assert.equal(other.decision, 'ask', rule);
    }
  });

test('with several folders a rule offered for a command covers the file in its own folder', async () => {
  const { offers } = await evaluateBash('echo x > src/a.ts', ['bash * allow'], TWO);
  const patterns = offers().allow.flatMap((part) => part.patterns.map(({ rule }) => rule.pattern));
  assert.ok(patterns.includes(`${WEB}/src/a.ts`), patterns.join());
  assert.ok(
    patterns.every((each) => !each.includes('{workspace}')),
    patterns.join(),
  );
});

test('a folder within another one is offered alone', async () => {
  const folders = { workspace: [WEB, `${WEB}/src`], adHoc: [], cwd: WEB };
  const rules = listRules(await evaluateFileTool('write', `${WEB}/src/a.ts`, [], { folders }));
  assert.ok(rules.includes(`fs.write ${WEB}/src/** allow`), rules.join());
  assert.ok(!rules.includes(`fs.write ${WEB}/** allow`), rules.join());
});

test('with one folder the rules are relative to the workspace', async () => {
  const folders = { workspace: [WEB], adHoc: [], cwd: WEB };
  const rules = listRules(await evaluateFileTool('write', `${WEB}/src/a.ts`, [], { folders }));
  assert.ok(rules.includes('fs.write {workspace}/src/** allow'), rules.join());
});
