import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, evaluateBash, policyOf } from './ask.ts';
import { ORDINARY_COMMANDS } from './ordinaryCommands.ts';

test('ordinary commands ask at most a tenth more often than a careful engineer would', async () => {
  const superfluous: string[] = [];
  const missing: string[] = [];
  const denied: string[] = [];
  let ideal = 0;
  for (const entry of ORDINARY_COMMANDS) {
    const wanted = entry.startsWith('+ ') ? 'allow' : 'ask';
    const command = entry.slice(2);
    const { decision } = await evaluate(bashCall(command), policyOf(DEFAULT_RULES));
    if (wanted === 'ask') ideal += 1;
    if (wanted === 'allow' && decision !== 'allow') superfluous.push(command);
    if (wanted === 'ask' && decision === 'allow') missing.push(command);
    if (decision !== 'allow' && decision !== 'ask') denied.push(command);
  }
  assert.ok(ORDINARY_COMMANDS.length >= 300, `${ORDINARY_COMMANDS.length} commands`);
  assert.deepEqual([missing, denied], [[], []]);
  assert.ok(
    superfluous.length <= ideal / 10,
    `${superfluous.length} of ${ideal}: ${superfluous.join(' · ')}`,
  );
});

test('a pattern is not offered that a narrower rule asks about all the same', async () => {
  const offers = async (command: string, ...rules: readonly string[]) =>
    (await evaluateBash(command, rules)).candidates.map((each) =>
      each.rules.map(({ pattern }) => pattern).join(' ; '),
    );
  assert.deepEqual(await offers('git push origin x', 'bash git push ask'), [
    'git push origin x',
    'git push origin *',
    'git push *',
  ]);
  assert.deepEqual(await offers('git push origin x', 'bash git * ask'), [
    'git push origin x',
    'git push origin *',
    'git push *',
    'git *',
  ]);
  // A program that is not known may start what its words name, whatever allows the program.
  assert.deepEqual(await offers('frob rm x', 'bash rm * ask'), []);
  assert.deepEqual(await offers('frob x; git push', 'bash git push ask'), [
    'frob x ; git push',
    'frob * ; git push',
  ]);
});
