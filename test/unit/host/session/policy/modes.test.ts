import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { BUILT_IN_AGENT } from '../../../../../src/agentDefinitions/builtIn.ts';
import { openDataFolder } from '../../../../../src/host/config/dataFolder.ts';
import { createRuleList, toPolicy } from '../../../../../src/host/session/policy/policy.ts';
import type { Action, Rule } from '../../../../../src/permissions/rules/rule.ts';
import { evaluate, WORKSPACE } from '../../../permissions/ask.ts';
import { temporary } from '../../harness.ts';

const MODES = ['ask', 'acceptEdits', 'readOnly', 'autopilot'] as const;

const rule: fc.Arbitrary<Rule> = fc.record({
  permission: fc.constantFrom('write', 'edit', 'fs.write', 'fs.*', '*', 'w*'),
  pattern: fc.constantFrom('*', '**', '{workspace}/**', 'src/**', 'src/f', '**/f', '/**', 'sub/**'),
  action: fc.constantFrom<Action>('deny', 'ask', 'allow'),
  source: fc.constantFrom('project', 'session'),
});
const rules = fc.array(rule, { minLength: 1, maxLength: 3 });

test('a mode changes only what no rule of the user decides, and never a deny or an ask', async (t) => {
  const root = await temporary(t);
  const data = openDataFolder({ GATEHOUSE_DATA: path.join(root, 'data') });
  const subject = { permission: 'write', capability: 'fs.write', target: 'src/f', match: 'path' };
  const input = { path: 'src/f', content: '' };
  const call = { tool: 'write', input, subjects: [subject] } as const;
  const decide = (own: readonly Rule[], approval: (typeof MODES)[number]) => {
    const facts = {
      id: 's',
      cwd: WORKSPACE,
      additionalDirectories: [],
      definition: BUILT_IN_AGENT,
    };
    const more = { capabilities: undefined, scratchRules: [], canAsk: true, rules: own, tools: [] };
    const session = { ...facts, ...more, approval, listRules: createRuleList() };
    const configuration = { settings: { limits: { lookMs: 60_000 } }, rules: [], problems: [] };
    const policy = toPolicy(session as never, configuration as never, data);
    return evaluate(call as never, policy);
  };
  assert.equal((await decide([], 'ask')).decision, 'ask');
  assert.equal((await decide([], 'acceptEdits')).decision, 'allow');
  await fc.assert(
    fc.asyncProperty(rules, fc.constantFrom(...MODES), async (own, mode) => {
      const before = await decide(own, 'ask');
      const after = await decide(own, mode);
      const decided = before.subjects.some((each) => each.rule && each.rule.origin === undefined);
      if (decided) assert.equal(after.decision, before.decision, before.reason);
    }),
    { numRuns: 300, seed: 8 },
  );
});
