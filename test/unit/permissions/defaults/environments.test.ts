import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { sizeOf } from '../../../workbench/sizes.ts';
import { bashCall, evaluate, policyOf } from '../ask.ts';

const word = fc.constantFrom(
  ...['-e', '-a', '-x', '-ax', '-ef', '-auxe', '-axe', '-fxe', '-xwwe', '-eL', '-ew', '-H', '-aw'],
  ...[
    '-u',
    '-uxww',
    '-uww',
    '-U',
    '-p',
    '-eo',
    'pid,cmd',
    'pid',
    '1',
    'root',
    'x',
    'nosuch',
    '-gx',
  ],
  ...['--forest', '--no-headers', '--sort=-rss', '--pid=1', '-C', '-ppid', '-u0', '-T', 'aux', 'w'],
);

test('no command of ps that is allowed prints the environment of a process', async () => {
  const env = { ...process.env, GATEHOUSE_TEST_TOKEN: 'in the environment' };
  const process1 = spawn('sleep', ['600'], { env, stdio: 'ignore' });
  try {
    const line = fc
      .array(word, { minLength: 1, maxLength: 4 })
      .map((each) => `ps ${each.join(' ')}`);
    for (const each of fc.sample(line, { numRuns: sizeOf(150, 600), seed: 3 })) {
      const { decision } = await evaluate(bashCall(each), policyOf(DEFAULT_RULES));
      if (decision !== 'allow' || !/e/.test(each)) continue;
      const { stdout } = spawnSync('bash', ['-c', each], { encoding: 'utf8' });
      assert.doesNotMatch(stdout, /GATEHOUSE_TEST_TOKEN=/, each);
    }
  } finally {
    process1.kill();
  }
});

test('the common forms of ps run', async () => {
  const asked: string[] = [];
  for (const line of [
    ...['ps', 'ps aux', 'ps -aux', 'ps -ef', 'ps -e', 'ps ax', 'ps -axww', 'ps -efww', 'ps -eLf'],
    ...['ps -eo pid,etime,cmd', 'ps -e -o pid,ppid --sort=-rss', 'ps -axo pid,etime', 'ps -u root'],
    ...['ps -fp 1', 'ps -p 1 -o etime=', 'ps -ef --forest', 'ps -ejH'],
    ...['ps -ax -o pid,command', 'ps -e -u 0', 'ps -Aopid,etime'],
  ]) {
    const { decision, reason } = await evaluate(bashCall(line), policyOf(DEFAULT_RULES));
    if (decision !== 'allow') asked.push(`${line}: ${reason}`);
  }
  assert.deepEqual(asked, []);
});
