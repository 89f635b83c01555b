import assert from 'node:assert/strict';
import { symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from '../../ask.ts';

const WORKSPACE = plantWorkspace(['src/a.ts', 'src/b.md', 'test/c.ts']);

/** Checks the decisions of the shipped rules. */
function check(title: string, expected: 'allow' | 'ask', lines: readonly string[]): void {
  test(`${title}: ${expected}`, async () => {
    const folders = { workspace: [WORKSPACE], adHoc: [], cwd: WORKSPACE };
    const policy = policyOf(DEFAULT_RULES, { folders, lookMs: 60_000 });
    for (const line of lines) {
      const { decision, reason } = await evaluate(bashCall(line), policy);
      assert.equal(decision, expected, `${line}: ${reason}`);
    }
  });
}

check('errors may go elsewhere, and so may the output of the reader', 'allow', [
  'find src 2>/dev/null | xargs wc -l',
  'find src 2>|/dev/null | xargs wc -l',
  'find src 2>>/dev/null | xargs wc -l',
  'find src | xargs wc -l 2>/dev/null',
  'find src | xargs wc -l >/dev/null',
  'find src | xargs wc -l >>/dev/null 2>|/dev/null',
  'find src 2>/dev/null | sort 2>/dev/null | xargs wc -l',
]);

check('the names come from elsewhere, or a variable changes what is printed', 'ask', [
  'find src 2>&1 | xargs wc -l',
  'find src >/dev/null | xargs wc -l',
  'find src 3>/dev/null | xargs wc -l',
  'find src {fd}>/dev/null | xargs wc -l',
  'find src < a | xargs wc -l',
  'LANG=C find src | xargs wc -l',
  'LANG=C | xargs wc -l',
  '2>/dev/null | xargs wc -l',
  '(find src) | xargs wc -l',
  'find src | xargs wc -l {fd}>/dev/null',
  'find src | xargs wc -l <<< /etc/passwd',
  'find src | xargs wc -l 0<&3',
  'sort | xargs wc -l',
  'find src | LANG=C sort | xargs wc -l',
]);

check('a filter leaves names out', 'allow', [
  'find src | sort -u | xargs wc -l',
  'find src | sort -rV | xargs wc -l',
  'find src | head | xargs wc -l',
  'find src | head -n 5 | xargs wc -l',
  'find src | tail -n5 | xargs wc -l',
  'find src | tail -5 | xargs wc -l',
  'find src | grep test | xargs wc -l',
  'find src | grep -v -i test | xargs wc -l',
  "find src | grep -vE '\\.ts$' | xargs wc -l",
]);

check('a filter may change names', 'ask', [
  'find src | sort -o x | xargs wc -l',
  'find src | sort list | xargs wc -l',
  'find src | sort -t / -k 2 | xargs wc -l',
  'find src | head list | xargs wc -l',
  'find src | tail -c 5 | xargs wc -l',
  'find src | grep -o test | xargs wc -l',
  'find src | grep test list | xargs wc -l',
  'find src | grep -e test | xargs wc -l',
  'find src | grep -n test | xargs wc -l',
  'find src | grep | xargs wc -l',
  'find src | grep "$x" | xargs wc -l',
  'find src | rg test | xargs wc -l',
  'find src | uniq | xargs wc -l',
]);

check('one pattern of git limits the names', 'allow', [
  "git ls-files '*.ts' | xargs wc -l",
  "git ls-files -- '*.ts' | xargs wc -l",
  'git diff --name-only --cached | xargs wc -l',
  'git diff --name-only --diff-filter=AM main | xargs wc -l',
  "git diff --name-only -- '*.ts' | xargs wc -l",
  'git ls-files -m | xargs wc -l',
]);

check('git prints something else', 'ask', [
  'git diff --name-status | xargs wc -l',
  'git diff --name-only --stat | xargs wc -l',
  'git ls-files -o | xargs wc -l',
  'git ls-files -s | xargs wc -l',
  'git ls-tree HEAD | xargs wc -l',
  'git log --name-only | xargs wc -l',
  'git | xargs wc -l',
]);

check('find has tests that must all hold', 'allow', [
  'find src -type f -name "*.ts" -size +1 | xargs wc -l',
  'find src ! -name "*.md" | xargs wc -l',
  'find src -not -path "*/x/*" -maxdepth 2 | xargs wc -l',
  'find | xargs wc -l',
  'find src test -newer src/a.ts | xargs wc -l',
]);

check('find does or prints more', 'ask', [
  'find src -ls | xargs wc -l',
  'find src -fprint x | xargs wc -l',
  'find src -name a -o -name b | xargs wc -l',
  'find src -delete | xargs wc -l',
  'find -L src | xargs wc -l',
]);

test('a test of find that is negated limits nothing', async () => {
  const workspace = plantWorkspace(['src/a.ts', 'src/secret.txt', 'out/a.ts']);
  symlinkSync(path.join(path.dirname(workspace), 'else'), path.join(workspace, 'out/link'));
  writeFileSync(path.join(path.dirname(workspace), 'else'), 'x');
  const folders = { workspace: [workspace], adHoc: [], cwd: workspace };
  const rules = [...DEFAULT_RULES, ...rulesOf('fs.read **/secret.txt deny')];
  for (const [line, expected] of [
    ["find src -name '*.ts' -exec cat {} +", 'allow'],
    ["find src -name '*.txt' -exec cat {} +", 'deny'],
    ["find src ! -name '*.ts' -exec cat {} +", 'deny'],
    ["find src -not -name '*.ts' -exec cat {} +", 'deny'],
    ["find src -type f -not -name '*.md' -name '*.ts' -exec cat {} +", 'allow'],
    ["find src -name '*.ts' -name '*.txt' -exec cat {} +", 'deny'],
    ['find out -type f -exec cat {} +', 'allow'],
    ['find out -type d -exec ls {} +', 'ask'],
    ['find out ! -type f -exec ls {} +', 'ask'],
    ['find out -not -type d -exec cat {} +', 'ask'],
    ['find out -exec cat {} +', 'ask'],
    ["find src -iname '*.ts' -exec cat {} +", 'deny'],
  ] as const) {
    const { decision, reason } = await evaluate(
      bashCall(line),
      policyOf(rules, { folders, lookMs: 60_000 }),
    );
    assert.equal(decision, expected, `${line}: ${reason}`);
  }
});
