import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadOrdinaryLines } from '../../../bench/promptRates.ts';
import { decideCopy } from '../../../src/gate/copies.ts';
import { COPY_RULES } from '../../../src/permissions/defaults/copyRules.ts';
import { DEFAULT_RULES } from '../../../src/permissions/defaults/defaults.ts';
import { evaluate } from '../../../src/permissions/evaluate/evaluate.ts';
import { createPolicyCompiler } from '../../../src/permissions/rules/policyCompiler.ts';
import { policyOf, WORKSPACE } from '../permissions/ask.ts';
import { hostedTerminal } from './hosted.ts';

test('of the ordinary lines that ask under the shipped rules, at least half run in a copy before anybody is asked', async () => {
  const policy = policyOf([...COPY_RULES, ...DEFAULT_RULES]);
  const compiler = createPolicyCompiler();
  const operation = { ...hostedTerminal, runsInCopy: () => true };
  const asking: string[] = [];
  const copied: string[] = [];
  for (const { text } of loadOrdinaryLines()) {
    const target = text.replaceAll('{workspace}', WORKSPACE);
    const subject = {
      permission: 'bash',
      capability: 'shell.run',
      target,
      match: 'command',
    } as const;
    const input = { command: target };
    const call = { tool: 'bash', input, subjects: [subject] } as const;
    const decision = await evaluate(call, compiler.compile(policy));
    if (decision.decision !== 'ask') continue;
    asking.push(target);
    const given = { operation: { ...operation, id: 'bash' }, input, subjects: [subject] };
    const inCopy = await decideCopy({ ...given, decision, policy, compiler });
    if (inCopy?.decision === 'allow') copied.push(target);
  }
  assert.ok(asking.length > 100, `${asking.length} lines ask`);
  assert.ok(copied.length >= asking.length / 2, `${copied.length} of ${asking.length}`);
});
