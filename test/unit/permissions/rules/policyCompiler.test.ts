import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { UnknownVariableError } from '../../../../src/permissions/patterns/roots.ts';
import type { Policy } from '../../../../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../../../../src/permissions/rules/policyCompiler.ts';
import { policyOf, rulesOf } from '../ask.ts';

const RULES = rulesOf('bash ls allow', 'read {workspace}/** allow', '* .env deny');
const POLICY = policyOf(RULES);

test('an unchanged policy is compiled once', () => {
  const { compile } = createPolicyCompiler();
  const first = compile(POLICY);
  const again = compile({ ...POLICY, folders: { ...POLICY.folders } });
  assert.equal(again.rules, first.rules);
  assert.equal(again.index, first.index);
});

test('another list of rules, folder or platform is compiled anew', () => {
  const { compile } = createPolicyCompiler();
  const first = compile(POLICY);
  const others: readonly Policy[] = [
    { ...POLICY, rules: RULES.toReversed() },
    { ...POLICY, rules: RULES.map((rule) => ({ ...rule })) },
    { ...POLICY, rules: RULES.slice(1) },
    { ...POLICY, platform: 'win32' },
    { ...POLICY, folders: { ...POLICY.folders, cwd: '/nonexistent/else' } },
    { ...POLICY, folders: { ...POLICY.folders, adHoc: ['/nonexistent/opened'] } },
  ];
  for (const other of others) assert.notEqual(compile(other).rules, first.rules);
  assert.equal(compile(POLICY).rules, first.rules);
});

test('lists of the same rules share what is compiled', () => {
  const { compile } = createPolicyCompiler();
  assert.equal(compile({ ...POLICY, rules: [...RULES] }).rules, compile(POLICY).rules);
});

test('sessions that share a list keep their own sidecars', () => {
  const { compile } = createPolicyCompiler();
  const capabilities = { fs: { read: ['{workspace}/**'] } };
  const session = (name: string) =>
    compile({
      ...POLICY,
      capabilities,
      folders: { ...POLICY.folders, state: '/d/state', sidecars: `/d/state/sessions/${name}/out` },
    });
  const [one, two] = [session('one'), session('two')];
  assert.equal(one.rules, two.rules);
  assert.equal(one.scope?.allowsRead('/d/state/sessions/one/out/a'), true);
  assert.equal(two.scope?.allowsRead('/d/state/sessions/one/out/a'), false);
});

test('a requirement set is compiled once, and another one anew', () => {
  const { compile } = createPolicyCompiler();
  const capabilities = { fs: { read: ['docs/**'] } };
  const first = compile({ ...POLICY, capabilities });
  assert.equal(compile({ ...POLICY, capabilities }).scope, first.scope);
  assert.notEqual(compile({ ...POLICY, capabilities: { ...capabilities } }).scope, first.scope);
  assert.equal(compile(POLICY).scope, undefined);
});

test('a requirement set with an unknown variable throws, each time', () => {
  const { compile } = createPolicyCompiler();
  const capabilities = { fs: { read: ['{elsewhere}/**'] } };
  for (let round = 0; round < 2; round += 1) {
    assert.throws(() => compile({ ...POLICY, capabilities }), UnknownVariableError);
  }
});

test('a root that leads elsewhere is noticed within a second', (t) => {
  const { link, one, two } = linkedRoot(t);
  let now = 0;
  const { compile } = createPolicyCompiler(() => now);
  const policy = policyOf(RULES, { folders: { workspace: [link], adHoc: [], cwd: link } });
  const first = compile(policy);
  assert.deepEqual(first.roots.workspace, [one]);

  unlinkSync(link);
  symlinkSync(two, link);
  now = 1000;
  const later = compile(policy);
  assert.deepEqual(later.roots.workspace, [two]);
  assert.notEqual(later.rules, first.rules);
});

test('rules and capabilities are compiled for the same roots, whatever a link does meanwhile', (t) => {
  const { link, one, two } = linkedRoot(t);
  let now = 0;
  const { compile } = createPolicyCompiler(() => now);
  const policy = policyOf(RULES, { folders: { workspace: [link], adHoc: [], cwd: link } });
  compile(policy);
  unlinkSync(link);
  symlinkSync(two, link);
  const limited = { ...policy, capabilities: { fs: { read: ['{workspace}/**'] } } };
  const { roots, scope } = compile(limited);
  assert.deepEqual(roots.workspace, [one]);
  assert.equal(scope?.allowsRead(path.join(two, 'a')), false);

  unlinkSync(link);
  symlinkSync(one, link);
  now = 1000;
  assert.equal(compile(limited).scope?.allowsRead(path.join(two, 'a')), false);
});

test('lists that are no longer used are dropped', () => {
  const { compile } = createPolicyCompiler();
  const first = compile(POLICY);
  for (let index = 0; index < 16; index += 1) {
    compile({ ...POLICY, rules: RULES.map((rule) => ({ ...rule })) });
  }
  assert.notEqual(compile(POLICY).rules, first.rules);
});

function linkedRoot(t: TestContext) {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'policy-compiler-')));
  t.after(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));
  const [one, two, link] = ['one', 'two', 'link'].map((name) => path.join(base, name));
  assert.ok(one && two && link);
  mkdirSync(one);
  mkdirSync(two);
  symlinkSync(one, link);
  return { one, two, link };
}
