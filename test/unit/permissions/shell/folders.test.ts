import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { test } from 'node:test';
import { evaluateBash, WORKSPACE } from '../ask.ts';

/** A file may be written anywhere but here, so the verdict tells where the shell is taken to be. */
const RULES = [
  'bash * allow',
  'fs.write ** allow',
  'fs.write there/x deny',
  `fs.write ${homedir()}/there/x deny`,
  `fs.write ${homedir()}/home deny`,
  `fs.write ${WORKSPACE}/~/x deny`,
  'fs.write /there/x deny',
];

function check(command: string, expected: string) {
  test(`the shell is followed: ${command} is ${expected}`, async () => {
    const { decision, reason } = await evaluateBash(command, RULES);
    assert.equal(decision, expected, reason);
  });
}

for (const command of [
  'cd there && ls > x',
  'cd there; ls > x',
  'cd -- there && ls > x',
  'cd ./there && ls > x',
  'cd there/a/.. && ls > x',
  'cd ../workspace/there && ls > x',
  `cd ${WORKSPACE}/there && ls > x`,
  'cd /there && ls > x',
  'cd "" && ls > there/x',
  'c"d" th"ere" && ls > x',
  'pushd there && ls > x',
  'cd a && cd ../there && ls > x',
  'cd a; cd there; ls > x',
  // The failed `cd` stays in `there`.
  'cd there && cd a || ls > x',
  'cd && ls > home',
  'cd ~ && ls > home',
  'cd ~/there && ls > x',
  // The quotes keep the tilde: `echo ~"/x"` prints `~/x`.
  'cd "~" && ls > x',
  'for i in a b; do ls > there/x; done',
])
  check(command, 'deny');

for (const command of [
  'ls > x',
  'cd there || ls > x',
  'cd there/.. && ls > x',
  'cd there/./.. && ls > x',
  'cd there//.. && ls > x',
  'cd a && ls > x',
  'pushd a; ls > x',
  'cd - || ls > x',
  // Four folders are followed: here, a, b and a/b.
  'cd a; cd b; ls > x',
  'for i in a b; do ls > x; done',
  // A substitution moves only itself.
  'for i in $(cd there; pwd); do ls > x; done',
  'for cd in a b; do CI=1; ls > x; done',
  'while ls > x; do pwd; done',
])
  check(command, 'allow');

for (const command of [
  'cd - && ls > x',
  'cd -- - && ls > x',
  'cd -P there && ls > x',
  'cd a b && ls > x',
  'cd -; ls > x',
  'if test -f a; then cd -; fi; ls > x',
  'pushd && ls > x',
  'pushd +1 && ls > x',
  'popd && ls > x',
  'cd ~root && ls > x',
  'cd ~+ && ls > x',
  'cd ~"/there" && ls > x',
  'cd ~\\/there && ls > x',
  'cd $HOME && ls > x',
  'cd a; cd b; cd c; ls > x',
  // The second round starts where the first one ended.
  'for i in a b; do ls > x; cd there; done',
  'while true; do ls > x; "cd" there; done',
  'until ls > x; do pushd there; done',
  'for i in a b; do ls > x; popd; done',
  'for i in a b; do ls > x; { true; builtin cd there; }; done',
  'for i in a b; do ls > x; command cd there; done',
])
  check(command, 'ask');

// Where the shell may be is not all known; a deny of a place where it may be holds all the same.
for (const command of [
  'case a in a) cd there; ls > x;; esac',
  'case a in a) cd -;; esac; ls > there/x',
  'while true; do ls > there/x; cd a; done',
  'popd; ls > there/x',
  'cd $HOME; ls > there/x',
  'f() { ls > there/x; }; f',
])
  check(command, 'deny');

/** A folder that is not known, and rules about names that may lie in it. */
function checkAnywhere(command: string, rules: readonly string[], expected: string) {
  test(`wherever it is, ${command} under ${rules.join(', ')} is ${expected}`, async () => {
    const { decision, reason } = await evaluateBash(command, ['bash * allow', ...rules]);
    assert.equal(decision, expected, reason);
  });
}

checkAnywhere('cd - && cat .env', ['fs.read **/.env deny'], 'deny');
checkAnywhere('cd - && cat a/../.env', ['read **/.env deny'], 'deny');
checkAnywhere('cd - && ls > .env', ['fs.write **/.env deny', 'fs.write ** allow'], 'deny');
checkAnywhere('cd - && cat .env', ['fs.read .env deny'], 'ask');
checkAnywhere('cd - && cat README', ['fs.read **/.env deny'], 'ask');
checkAnywhere('cd - && cat README', [], 'allow');
// Inside of the workspace the narrower allow would decide.
checkAnywhere('cd - && cat a.md', ['fs.read ** deny', 'fs.read **/*.md allow'], 'ask');
checkAnywhere('cd - && cat a.key', ['fs.read ** deny', 'fs.read **/*.md allow'], 'deny');
// A program that is not known only names it.
checkAnywhere('cd - && frob .env', ['fs.read **/.env deny'], 'allow');

test('a file whose folder is not known is no file that the capabilities grant', async () => {
  const capabilities = { shell: [{ cmd: '*' }], fs: { read: ['{workspace}/**'] } };
  for (const command of ['popd && cat f', 'for i in a b; do cat f; cd ..; done']) {
    const evaluated = await evaluateBash(command, ['bash * allow'], { capabilities });
    assert.equal(evaluated.decision, 'refuse', command);
  }
  const known = await evaluateBash('cd a && cat f', ['bash * allow'], { capabilities });
  assert.equal(known.decision, 'allow');
});
