import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from '../ask.ts';

const ROOT = plantWorkspace(['a.txt', 'src/a.ts', 'sub/.env', '.env']);
const README = ['bash npm test* allow', 'fs.write {workspace}/src/** allow', '* **/.env deny'];

/** Checks the decisions of the shipped rules and those of the README. */
function check(title: string, expected: 'allow' | 'ask' | 'deny', lines: readonly string[]): void {
  test(`${title}: ${expected}`, async () => {
    const rules = [...DEFAULT_RULES, ...rulesOf(...README)];
    const folders = { workspace: [ROOT], adHoc: [], cwd: ROOT };
    const wrong: string[] = [];
    for (const line of lines) {
      const { decision, reason } = await evaluate(bashCall(line), policyOf(rules, { folders }));
      if (decision !== expected) wrong.push(`${line} is ${decision}: ${reason}`);
    }
    assert.deepEqual(wrong, []);
  });
}

check('a text for a shell is decided by its commands', 'allow', [
  "bash -c 'ls src'",
  "sh -c 'ls src'",
  "bash -c 'cd src && ls'",
  "sh -c 'cd src && wc -l a.ts'",
  "timeout 5 bash -c 'ls src'",
  `bash -c 'bash -c "ls src"'`,
  "bash -c 'cat src/a.ts > src/b.ts'",
  "bash -c 'wc -l src/*.ts'",
  "timeout 5 bash -c 'cd src && ls *.ts'",
  `bash -c 'for f in src/*; do head -1 "$f"; done'`,
  `bash -c 'bash -c "ls *.txt"'`,
]);

check('commands of the text that ask', 'ask', [
  "bash -c 'touch x'",
  "sh -c 'ls; touch x'",
  `bash -c 'bash -c "touch x"'`,
  "bash -c 'ls > x'",
  "bash -c './ls'",
  "bash -c 'BASH_ENV=./x bash -c ls'",
]);

check('texts that sh reads in another way', 'ask', [
  `sh -c 'cat $(echo "\\056txt")'`,
  `sh -c 'echo "\\056txt" | xargs cat'`,
  `sh -c 'echo "a.txt\\nb" | xargs cat'`,
  `sh -c 'cat a$UID'`,
  "sh -c 'ls &> x'",
  "sh -c '[[ -f a ]] && ls'",
]);

check('texts and words that are not seen', 'ask', [
  // The names that a glob matches in another shell aren't looked up.
  "sh -c 'cat src/*.ts'",
  'sh -c \'bash -c "cat src/*.ts"\'',
  "bash -fc 'cat src/*.ts'",
  "bash -c 'xxd src/*.ts'",
  'bash -c',
  'bash -c "$x"',
  'bash -c "$(cat a.txt)"',
  `bash -c 'cat "$1"' _ a.txt`,
  `bash -c '"$@"' _ touch x`,
  `bash -c '$0 x' touch`,
  'bash -c ls -x',
  'bash -xc ls',
  'bash -lc ls',
  'bash -c -x ls',
  'bash -O extglob -c ls',
  'bash --rcfile x -c ls',
  './bash -c ls',
  "zsh -c 'ls'",
  "find . -exec sh -c 'ls {}' \\;",
  "ls | xargs -I{} sh -c 'echo {}'",
  'ls | xargs sh -c',
  'x=a.txt; export x; bash -c "cat \\$x"',
]);

check('files of the text that a rule denies', 'deny', [
  "bash -c 'cat .env'",
  "bash -c 'cat .e*'",
  "bash -c 'cat sub/.[e]nv'",
  "sh -c 'cat .env'",
  `bash -c 'bash -c "cat .env"'`,
  "cd sub && bash -c 'cat .env'",
  "bash -c 'cat' < .env",
]);

check('copies to nowhere', 'allow', ['ls | tee /dev/null', 'ls | tee -a /dev/null | wc -l']);
check('copies to a file', 'ask', [
  'ls | tee x',
  'ls | tee /dev/null x',
  'ls | tee x /dev/null',
  'ls | tee /dev/nullx',
  'ls | tee -a x',
  'ls | tee ./dev/null',
]);
