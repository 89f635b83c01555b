import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../src/permissions/defaults.ts';
import { judge } from '../../../src/permissions/judge.ts';
import { bashCall, policyOf } from './ask.ts';
import { ORDINARY_COMMANDS } from './ordinaryCommands.ts';

test('ordinary commands ask at most a tenth more often than a careful engineer would', async () => {
  const superfluous: string[] = [];
  const missing: string[] = [];
  let ideal = 0;
  for (const entry of ORDINARY_COMMANDS) {
    const wanted = entry.startsWith('+ ') ? 'allow' : 'ask';
    const command = entry.slice(2);
    const { decision } = await judge(bashCall(command), policyOf(DEFAULT_RULES));
    if (wanted === 'ask') ideal += 1;
    if (wanted === 'allow' && decision !== 'allow') superfluous.push(command);
    if (wanted === 'ask' && decision === 'allow') missing.push(command);
  }
  assert.ok(ORDINARY_COMMANDS.length >= 300, `${ORDINARY_COMMANDS.length} commands`);
  assert.deepEqual(missing, []);
  assert.ok(
    superfluous.length <= ideal / 10,
    `${superfluous.length} of ${ideal}: ${superfluous.join(' · ')}`,
  );
});
