import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, evaluateBash, plantWorkspace, policyOf } from '../../ask.ts';

function list(count: number): string {
  return Array.from({ length: count }, (_, at) => `v${at}`).join(' ');
}

test('up to 64 combinations of values are evaluated', async () => {
  const policy = policyOf(DEFAULT_RULES);
  for (const [line, expected] of [
    [`for a in ${list(8)}; do for b in ${list(8)}; do cat "$a$b"; done; done`, 'allow'],
    [`for a in ${list(8)}; do for b in ${list(9)}; do cat "$a$b"; done; done`, 'ask'],
    [`for a in ${list(64)}; do cat "$a"; done`, 'allow'],
    [`for a in ${list(65)}; do cat "$a"; done`, 'ask'],
    ['for a in {1..64}; do cat "$a"; done', 'allow'],
    ['for a in {1..2}; do for b in {1..33}; do cat "$a$b"; done; done', 'ask'],
  ] as const) {
    const { decision, reason } = await evaluate(bashCall(line), policy);
    assert.equal(decision, expected, `${line}: ${reason}`);
  }
});

test('a program that starts nothing may name what is denied', async () => {
  const rules = ['bash * allow', 'bash rm * deny', 'bash timeout * allow'];
  for (const [line, expected] of [
    ['ls rm x', 'allow'],
    ['cat rm x', 'allow'],
    ['timeout 5 ls rm x', 'allow'],
    ['timeout 5 rm x', 'deny'],
    ['frob rm x', 'ask'],
  ] as const)
    assert.equal((await evaluateBash(line, rules)).decision, expected, line);
});

test('the options of a command that another starts are not its own', async () => {
  const workspace = plantWorkspace(['src/a.ts']);
  const folders = { workspace: [workspace], adHoc: [], cwd: workspace };
  const policy = policyOf(DEFAULT_RULES, { folders, lookMs: 60_000 });
  for (const line of [
    'timeout 10 tail -f x',
    'timeout 10 grep -rn x src',
    "find src -name '*.ts' -exec grep -n x {} +",
    "find src -name '*.ts' -print0 | xargs -0 grep -n x",
    'time ls -la',
  ]) {
    const { decision, reason } = await evaluate(bashCall(line), policy);
    assert.equal(decision, 'allow', `${line}: ${reason}`);
  }
});

test('a glob may start with a variable whose text is known', async () => {
  const workspace = plantWorkspace(['src/a.ts', 'src/b.ts', 'my dir/c.ts']);
  const folders = { workspace: [workspace], adHoc: [], cwd: workspace };
  const policy = policyOf(DEFAULT_RULES, { folders, lookMs: 60_000 });
  for (const [line, expected] of [
    ['d=src; wc -l $d/*.ts', 'allow'],
    ['d=src; wc -l "$d"/*.ts', 'allow'],
    ['d=src; e=ts; wc -l $d/?.$e', 'allow'],
    ['d="my dir"; wc -l $d/*.ts', 'ask'],
    ["d='s*'; wc -l $d/*.ts", 'ask'],
    ['d=-x; wc -l $d*', 'ask'],
    ['wc -l $d/*.ts', 'ask'],
    ['d=src; wc -l $d/[ab].ts', 'ask'],
  ] as const) {
    const { decision, reason } = await evaluate(bashCall(line), policy);
    assert.equal(decision, expected, `${line}: ${reason}`);
  }
});

test('what a loop appends, or assigns to an element, is unknown in its next iteration', async () => {
  const policy = policyOf(DEFAULT_RULES);
  for (const [line, expected] of [
    ['f=a; while [ -e x ]; do cat "$f"; f=b; done', 'allow'],
    ['f=a; while [ -e x ]; do cat "$f"; f+=b; done', 'ask'],
    ['f=a; while [ -e x ]; do cat "$f"; f[0]=b; done', 'ask'],
    ['f=a; while [ -e x ]; do cat "$f"; f=(b); done', 'ask'],
    ['f=a; while [ -e x ]; do cat "$f"; f=~; done', 'ask'],
    ['f=a; while [ -e x ]; do cat "$f"; f="b c"; done', 'allow'],
    ['f=a; while [ -e x ]; do cat "$f"; f=$y; done', 'ask'],
    ['f=a; while [ -e x ]; do cat "$f"; read -r f; done', 'ask'],
    ['f=1; while [ -e x ]; do echo "$f"; f=$((f+1)); done', 'allow'],
  ] as const) {
    const { decision, reason } = await evaluate(bashCall(line), policy);
    assert.equal(decision, expected, `${line}: ${reason}`);
  }
});
