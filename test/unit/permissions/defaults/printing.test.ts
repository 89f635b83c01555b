import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, plantWorkspace, policyOf } from '../ask.ts';

const root = plantWorkspace(['a.txt', 'b.txt', '.env']);
execFileSync('git', ['init', '-q', root]);
const policy = policyOf(DEFAULT_RULES, { folders: { workspace: [root], adHoc: [], cwd: root } });

const ALLOWED = [
  ...['join a.txt b.txt', 'join -t , -1 1 -2 2 a.txt b.txt', 'shuf -n 3 a.txt', 'shuf -i 1-9'],
  ...['tsort a.txt', 'pr -t -w 80 a.txt', 'unexpand -a a.txt', 'sum a.txt', 'b2sum a.txt'],
  ...['sha224sum a.txt', 'sha384sum a.txt', 'base32 a.txt', 'factor 12', 'numfmt --to=iec 2048'],
  ...['echo 1+1 | bc -l', 'bc <<< 1+1', 'logname', 'getconf PAGESIZE', 'umask', 'jobs -l'],
  ...['command ls', 'command -v ls', 'nice -n 5 wc -l a.txt', 'git show-branch --all'],
  ...['git -P log', 'git -P diff --stat', 'git -P branch -a', 'git -P show -s'],
];

for (const line of ALLOWED)
  test(`\`${line}\` doesn't ask`, async () => {
    const { decision, reason } = await evaluate(bashCall(line), policy);
    assert.equal(decision, 'allow', reason);
  });

const ASKING = [
  ...['join a.txt .env', 'shuf .env', 'shuf -o x a.txt', 'shuf --output=x a.txt', 'tsort .env'],
  ...['shuf -r a.txt', 'shuf --repeat -i 1-9', 'shuf -er a b'],
  ...['shuf --random-source=.env a.txt', 'pr .en?', 'sum {a.txt,.env}', 'b2sum -c a.txt'],
  ...['base32 .env', 'unexpand ../x', 'bc a.txt', 'BC_ENV_ARGS=a.txt bc', 'getconf -v ../x PATH'],
  ...['umask 000', 'jobs -x ls', 'command rm a.txt', 'command -p ls', 'command cat .env'],
  ...['nice rm a.txt', 'nice cat .env', 'command . ./a.txt', 'command eval "$x"', 'git -P push'],
  ...[
    'git -P diff --output=x',
    'git -P branch x',
    'git -P tag x',
    'git -P grep -O x',
    'ls | xargs bc',
  ],
  ...['git -P config x y', 'git show-branch --output=x', 'command exec ./a.txt', 'nice ./a.txt'],
];

for (const line of ASKING)
  test(`\`${line}\` asks`, async () => {
    assert.notEqual((await evaluate(bashCall(line), policy)).decision, 'allow');
  });
