import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, policyOf, rulesOf } from '../../ask.ts';

/** Beside them is nothing: a look into the user's home or all temporary folders takes seconds. */
const FOLDER = realpathSync(mkdtempSync(path.join(tmpdir(), 'names-')));
/** What lies in a folder decides, so there is one. */
const WORKSPACE = path.join(FOLDER, 'workspace');
const HOME = path.join(FOLDER, 'home');
mkdirSync(HOME);
writeFileSync(path.join(HOME, 'key.txt'), '');
for (const file of ['src/a.ts', 'src/secret.txt', 'test/a.ts', '.keys/.env', '.keys/k.pem']) {
  mkdirSync(path.dirname(path.join(WORKSPACE, file)), { recursive: true });
  writeFileSync(path.join(WORKSPACE, file), '');
}
// More than the number of files that a look lists.
for (let count = 0; count < 300; count += 1) {
  mkdirSync(path.join(WORKSPACE, 'many'), { recursive: true });
  writeFileSync(path.join(WORKSPACE, `many/${count}.ts`), '');
}
after(() => rmSync(FOLDER, { recursive: true, force: true, maxRetries: 5 }));

/** Checks the decisions of the shipped rules, with further rules as lines. */
function check(
  title: string,
  expected: 'allow' | 'ask' | 'deny',
  lines: readonly string[],
  ...rules: readonly string[]
): void {
  test(`${title}: ${expected}`, async (t) => {
    useHome(t);
    const folders = { workspace: [WORKSPACE], adHoc: [], cwd: WORKSPACE };
    const policy = policyOf([...DEFAULT_RULES, ...rulesOf(...rules)], { folders });
    const wrong: string[] = [];
    for (const line of lines) {
      const { decision, reason } = await evaluate(bashCall(line), policy);
      if (decision !== expected) wrong.push(`${line} is ${decision}: ${reason}`);
    }
    assert.deepEqual(wrong, []);
  });
}

/** Other files of tests may run in this process. */
function useHome(t: TestContext): void {
  const { HOME: before } = process.env;
  process.env['HOME'] = HOME;
  t.after(() => {
    if (before === undefined) delete process.env['HOME'];
    else process.env['HOME'] = before;
  });
}

check('find passes names to a reader', 'allow', [
  "find src -name '*.ts' -exec grep -n TODO {} +",
  'find src -type f -exec wc -l {} \\;',
  "find src test -name '*.ts' -not -path '*/gen/*' -exec head -5 {} \\;",
  "find src -name '*.ts' -exec sed -n '1,5p' {} \\;",
  "find src -name '*.ts' -exec basename {} \\;",
  "find src -name '*.ts' -exec grep -l x {} \\; -exec wc -l {} \\;",
  'd=src; find "$d" -name \'*.ts\' -exec cat {} +',
]);

check('a large folder is no reason to ask', 'allow', [
  "find many -name '*.ts' -exec grep -n TODO {} +",
  "find . -name '*.ts' -print0 | xargs -0 grep -n TODO",
  'rg -l TODO many | xargs wc -l',
  'grep -R TODO many',
]);

check('find runs or writes', 'ask', [
  'find src -exec rm {} +',
  'find src -exec sh {} \\;',
  "find src -exec sh -c 'cat {}' \\;",
  'find src -exec {} \\;',
  "find src -exec sed -i 's/a/b/' {} +",
  'find src -exec sed -n w {} \\;',
  'find src -exec sed {} +',
  'find src -exec sort -o {} x \\;',
  'find src -exec sort -o x {} +',
  'find src -exec tee {} \\;',
  'find src -execdir cat {} \\;',
  'find src -ok cat {} \\;',
  'find src -exec cat x{} \\;',
  'find src -exec cat {} {} +',
  'find src -exec cat {}',
  'find src -exec cat {} + -delete',
  'find src -exec cat {} + -fprint x',
  'find src -exec grep x {} \\; -exec rm {} \\;',
  'find src -exec md5sum -c {} \\;',
  'find src -exec env cat {} \\;',
  'find src -exec ./cat {} \\;',
]);

check('find passes names from elsewhere, or of secrets', 'ask', [
  'find /etc -exec cat {} +',
  'find ~ -type f -exec grep -n key {} +',
  'find .. -exec cat {} \\;',
  "find . -name '*.pem' -exec cat {} +",
  "find .keys -name '.env*' -exec cat {} +",
  'find -files0-from list -exec cat {} +',
]);
check(
  'a deny holds for names that find passes',
  'deny',
  ["find src -name '*.txt' -exec cat {} +", 'find src -exec cat {} +'],
  'fs.read src/secret.txt deny',
);
check(
  'a deny of the command holds behind -exec',
  'deny',
  ["find src -name '*.ts' -exec grep -n TODO {} +"],
  'bash grep * deny',
);
check(
  'a deny of -exec holds',
  'deny',
  ["find src -name '*.ts' -exec grep -n TODO {} +"],
  'bash find * -exec * deny',
);

check('xargs counts what a known command lists', 'allow', [
  "find src -name '*.ts' | xargs wc -l",
  "find src -name '*.ts' | sort | head -20 | xargs wc -l",
  'rg -l createServer src | xargs wc -l',
  'rg -l createServer | xargs -n1 dirname | sort -u',
  'rg --files src | grep -v test | xargs wc -l | tail -1',
  'git ls-files | xargs wc -l',
  "git ls-files '*.ts' | xargs -r wc -l",
  'git diff --name-only main | xargs -I{} basename {}',
  'grep -rl x src | xargs wc -l',
  'git ls-files 2>/dev/null | xargs wc -l',
]);
check('xargs reads what ends with NUL', 'allow', [
  "find src -name '*.md' -print0 | xargs -0 cat",
  "find src -name '*.py' -print0 | xargs -0 -n 20 -P4 grep -n import",
  "rg -l0 createServer src | xargs -0 sed -n '1,5p'",
  "git ls-files -z '*.ts' | xargs -0 grep -n x",
  "git ls-files -z '*.ts' | xargs -0 sed -n 1p --",
]);
check('names without spaces are not split', 'allow', [
  "find src -name '*.ts' | xargs cat",
  "find src -name '*.ts' | xargs -I{} cat {}",
  'rg -l foo | xargs head -5',
]);
check('NUL ends the names for one of both only', 'ask', [
  "find src -name '*.ts' -print0 | xargs cat",
  "find src -name '*.ts' | xargs -0 cat",
  "find src -name '*.ts' -print0 | sort | xargs -0 cat",
]);
check('a name may be an option', 'ask', [
  "git ls-files -z | xargs -0 sed -n '1,5p'",
  "rg -l0 foo | xargs -0 sed -n '1,5p'",
  'git ls-files -z | xargs -0 sort',
]);
// It would take the first name for the pattern, and read its own input.
check('a name would be the pattern of grep', 'ask', [
  'find src -print0 | xargs -0 grep',
  'find src -print0 | xargs -0 grep -n',
  'find src -print0 | xargs -0 egrep -i -n',
  'find src -print0 | xargs -0 fgrep --',
]);
check('a pattern stands before the names', 'allow', [
  'find src -print0 | xargs -0 grep a-',
  'find src -print0 | xargs -0 grep -n a -- ',
]);
check('xargs runs, writes, or gets names from elsewhere', 'ask', [
  'find src | xargs rm',
  'find src -print0 | xargs -0 sh',
  "find src -print0 | xargs -0 sh -c 'cat $0'",
  'find src -print0 | xargs -0 sed -i s/a/b/',
  'find src -print0 | xargs -0 tee',
  'find src -print0 | xargs -0 sed',
  'find src -print0 | xargs -0 env cat',
  'find /etc -print0 | xargs -0 cat',
  'ls /etc | xargs cat',
  'cat list | xargs wc -l',
  'echo /etc/passwd | xargs wc -l',
  'printf /etc/passwd | xargs wc -l',
  'echo "$(find src)" | xargs wc -l',
  "find src -printf '/etc/passwd' | xargs wc -l",
  "find src -print0 | sed -z 's/src/etc/' | xargs -0 cat",
  "find src | sed 's/src/etc/' | xargs wc -l",
  'rg x src | xargs wc -l',
  'rg -l x src -r /etc/passwd | xargs wc -l',
  'grep -c x src | xargs wc -l',
  'git log --format=%s | xargs wc -l',
  'git diff main | xargs wc -l',
  'find src | xargs wc -l < list',
  'find src | xargs -a list wc -l',
  'find src |& xargs wc -l',
  'find src -exec echo {} + | xargs wc -l',
  'find src | (read -r x; xargs wc -l)',
  'find src | xargs -I{} wc -l x{}',
  'find src | xargs --process-slot-var=PATH wc -l',
  'find src | grep -o / | xargs wc -l',
  'find src | head -c 3 | xargs wc -l',
]);
check(
  'a deny holds for names behind a pipe',
  'deny',
  [
    'find src -print0 | xargs -0 cat',
    "find src -name '*.txt' | xargs wc -l",
    'rg --files src | xargs wc -l',
    'git ls-files | xargs wc -l',
  ],
  'fs.read src/secret.txt deny',
);
check(
  'a deny of the command holds behind xargs',
  'deny',
  ['find src | xargs wc -l'],
  'bash wc * deny',
);

check('a pipe is a file to a reader', 'allow', [
  'diff <(sort a) <(sort b)',
  'diff -u <(git show HEAD:a) a',
  'comm -13 <(sort a) <(sort b)',
  'cat <(ls) <(pwd)',
  'grep -f <(cut -f1 a) b',
  'while read -r x; do echo "$x"; done < <(git ls-files)',
]);
check('a pipe is code or an option to others, or is filled by others', 'ask', [
  'bash <(cat a)',
  'source <(cat a)',
  '. <(cat a)',
  'sed -f <(cat a) b',
  'awk -f <(cat a) b',
  'diff <(npm test) a',
  'diff <(cat ~/.ssh/id_rsa) a',
  'cat >(tee a)',
  'sort -o <(ls) a',
  'sort --files0-from <(ls)',
  'wc --files0-from <(ls)',
  'wc --files0-from=<(ls)',
  'cp <(ls) a',
  'tee <(ls)',
  'python3 <(ls)',
  'git diff --no-index <(ls) a',
]);

check('a launcher does not have the options of what it starts', 'allow', [
  'timeout 10 tail -f x',
  'timeout 10 grep -rn x src',
  'timeout -k 5 10 git log -5 --oneline',
  'time -p grep -c x a',
  'timeout 5 time ls -la',
]);
check('what a launcher starts is evaluated', 'ask', [
  'timeout 10 npm test',
  'timeout -f 10 tail x',
  'timeout 10 sed -i s/a/b/ x',
  'timeout 10 find . -delete',
  'timeout 10 sort -o a b',
  'timeout 10 timeout 5 rm x',
  'timeout "$(cat x)" ls',
]);
