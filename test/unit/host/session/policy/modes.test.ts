import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { BUILT_IN_AGENT } from '../../../../../src/agentDefinitions/builtIn.ts';
import { openDataFolder } from '../../../../../src/host/config/dataFolder.ts';
import { createRuleList, toPolicy } from '../../../../../src/host/session/policy/policy.ts';
import type { Action, Rule, Scope } from '../../../../../src/permissions/rules/rule.ts';
import { evaluate, WORKSPACE } from '../../../permissions/ask.ts';
import { temporary } from '../../harness.ts';

const MODES = ['ask', 'acceptEdits', 'readOnly', 'autopilot'] as const;
type Mode = (typeof MODES)[number];

/** Where a rule of the user may be from, with its source. */
const ORIGINS = {
  user: 'project',
  workspace: 'project',
  folder: 'project',
  manifest: 'manifest',
  session: 'session',
} as const satisfies Readonly<Record<string, Scope>>;
type Origin = keyof typeof ORIGINS;
const ALL_ORIGINS = ['user', 'workspace', 'folder', 'manifest', 'session'] as const;

const WRITE = {
  tool: 'write',
  input: { path: 'src/f', content: '' },
  subjects: [{ permission: 'write', capability: 'fs.write', target: 'src/f', match: 'path' }],
} as const;
const COMMAND = {
  tool: 'bash',
  input: { command: 'mix one' },
  subjects: [{ permission: 'bash', capability: 'shell.run', target: 'mix one', match: 'command' }],
} as const;
type Call = typeof WRITE | typeof COMMAND;

interface Words {
  readonly permission: string;
  readonly pattern: string;
}

/** Words of rules that match the call. */
const MATCHING = new Map<Call, fc.Arbitrary<Words>>([
  [
    WRITE,
    fc.record({
      permission: fc.constantFrom('write', 'fs.write', 'fs.*', '*'),
      pattern: fc.constantFrom('*', '**', '{workspace}/**', 'src/**', 'src/f', '**/f'),
    }),
  ],
  [
    COMMAND,
    fc.record({
      permission: fc.constantFrom('bash', 'shell.run', 'shell.*', '*'),
      pattern: fc.constantFrom('*', 'mix *', 'mix one'),
    }),
  ],
]);

const anyRule: fc.Arbitrary<Rule> = fc
  .record({
    permission: fc.constantFrom('write', 'edit', 'fs.write', 'fs.*', 'bash', '*', 'w*'),
    pattern: fc.constantFrom('*', '**', '{workspace}/**', 'src/**', 'src/f', 'mix *', 'sub/**'),
    action: fc.constantFrom<Action>('deny', 'ask', 'allow'),
    origin: fc.constantFrom(...ALL_ORIGINS),
  })
  .map(({ action, origin, ...words }) => toRule(words, action, origin));

for (const mode of MODES) {
  for (const origin of ALL_ORIGINS) {
    for (const action of ['deny', 'ask'] as const) {
      test(`${mode} does not beat a rule of layer ${origin} that says ${action}`, async (t) => {
        const decide = await createDecide(t);
        for (const [call, words] of MATCHING) {
          const rule = words.map((each) => toRule(each, action, origin));
          await fc.assert(
            fc.asyncProperty(rule, async (own) => {
              const { decision, reason } = await decide(call, [own], mode);
              assert.equal(decision, action, reason);
            }),
            { numRuns: 20, seed: 14 },
          );
        }
      });
    }
  }
}

test('a mode changes only what no rule of the user decides, and never a deny or an ask', async (t) => {
  const decide = await createDecide(t);
  assert.equal((await decide(WRITE, [], 'ask')).decision, 'ask');
  assert.equal((await decide(WRITE, [], 'acceptEdits')).decision, 'allow');
  const rules = fc.array(anyRule, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(
      rules,
      fc.constantFrom<Call>(WRITE, COMMAND),
      fc.constantFrom(...MODES),
      async (own, call, mode) => {
        const before = await decide(call, own, 'ask');
        const after = await decide(call, own, mode);
        const decided = before.subjects.some(
          ({ rule }) => rule !== undefined && rule.origin?.layer !== 'default',
        );
        if (decided) assert.equal(after.decision, before.decision, before.reason);
      },
    ),
    { numRuns: 400, seed: 8 },
  );
});

function toRule(words: Words, action: Action, origin: Origin): Rule {
  return { ...words, action, source: ORIGINS[origin], origin: { layer: origin, index: 0 } };
}

/** Evaluates calls in a session of one mode, with the rules where sessions keep those of their layer. */
async function createDecide(t: TestContext) {
  const root = await temporary(t);
  const data = openDataFolder({ GATEHOUSE_DATA: path.join(root, 'data') });
  return (call: Call, own: readonly Rule[], approval: Mode) => {
    const from = (...layers: readonly string[]) =>
      own.filter(({ origin }) => layers.includes(origin?.layer ?? ''));
    const session = {
      ...{ id: 's', cwd: WORKSPACE, additionalDirectories: [], approval, tools: [] },
      ...{ capabilities: undefined, scratchRules: [], canAsk: true, rules: from('session') },
      definition: { ...BUILT_IN_AGENT, permissions: from('manifest') },
      listRules: createRuleList(),
    };
    const rules = from('user', 'workspace', 'folder');
    const configuration = { settings: { limits: { lookMs: 60_000 } }, rules, problems: [] };
    return evaluate(call as never, toPolicy(session as never, configuration as never, data));
  };
}
