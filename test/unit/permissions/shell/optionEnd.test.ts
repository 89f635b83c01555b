import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, policyOf, rulesOf } from '../ask.ts';
import { check, spelled } from '../checks.ts';

/** The decision of the shipped rules. */
function shipped(command: string, expected: string, ...rules: readonly string[]) {
  test(`shipped rules and ${rules.join(', ')} make ${command} ${expected}`, async () => {
    const policy = policyOf([...DEFAULT_RULES, ...rulesOf(...rules)]);
    const { decision, reason } = await evaluate(bashCall(command), policy);
    assert.equal(decision, expected, reason);
  });
}

// An option takes the `--`, so what follows are options: each of these ran a program, wrote a file,
// removed logs or printed the environment.
for (const command of [
  'git grep -e x -e -- -Oid',
  'git grep -e x -e -- --open-files-in-pager=id',
  'git log -L -- --output=README.md',
  'git show -L -- --output=README.md',
  'openssl x509 -in -- -writerand f',
  'journalctl -u -- --vacuum-time=1s',
  'diff -x -- -l src/f src/k',
  'jq -n --arg a -- -f src/f',
  'ls -T -- --unknown src',
])
  shipped(command, 'ask');
spelled('git grep *', 'git grep -e x -e -- -Oid', 'ask');
spelled('git log *', 'git log -L -- --output=f', 'ask');
spelled('jq *', "jq -n --arg a -- -f 'x y'", 'allow');
spelled('sort *', 'sort --unknown -- -o f', 'ask');
check('fs.read **/.env deny', 'grep --unknown -- -f .env x', 'deny');
// These are revisions, whose files may be denied ones.
spelled('git grep *', 'git grep -e x -e -- HEAD~1', 'ask');
spelled('git grep *', 'git grep -n -e x -- src', 'allow');
// Before the pattern, it marks no paths: these search all files for `x`.
for (const command of [
  'git grep -- x',
  'git grep -n -- x',
  'git grep -A 1 -- x',
  'git grep --max-depth 1 -- x',
  'git grep --cached -- x -- src',
]) {
  shipped(command, 'ask');
  spelled('git grep *', command, 'ask');
}
shipped('git grep x -- src', 'allow');
for (const options of ['-n -i', '--count -i', '-A 1 -w', '--max-depth=1', '--all-match -l'])
  shipped(`git grep ${options} x -- src`, 'allow');

for (const command of [
  'grep -rn -- "--foo" src/a.py',
  'grep -n -e x -- -y src/f',
  'git log --oneline -- -x',
  'git diff --stat -- src',
  'git log -5 -- src',
  'cat -- -x',
])
  shipped(command, 'allow');

// Jq takes two words behind `--arg`, whatever they look like, so the next one is its program or a file.
for (const command of [
  "jq -n --arg a --arg '$ENV'",
  "jq -n --arg a --indent '$ENV'",
  "jq -n --arg a --argjson 'env.X'",
  'jq -R . --arg a --arg .env',
  'jq -R . --arg a --indent .env',
  'jq -R . --arg a --indent /etc/hostname',
])
  shipped(command, 'ask');
shipped("jq --arg a -n '.x == $a' src/f", 'allow');
shipped("jq --arg name prod '.x[$name]' src/f", 'allow');
check('fs.read **/.env deny', 'jq -R . --arg a --arg .env', 'deny');
check('fs.read **/.env deny', 'jq . --rawfile a .env', 'deny');
