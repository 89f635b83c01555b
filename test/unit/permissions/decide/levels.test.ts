import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide } from '../../../../src/permissions/decide/decide.ts';
import { createPolicyCompiler } from '../../../../src/permissions/rules/policyCompiler.ts';
import type { Action, Rule } from '../../../../src/permissions/rules/rule.ts';
import { policyOf, rulesOf } from '../ask.ts';

/** A rule as it is written, of one session of a chain of so many. */
function at(level: number | undefined, of: number, text: string): Rule {
  const [rule] = rulesOf(text);
  assert.ok(rule);
  return level === undefined ? rule : { ...rule, level: { at: level, of } };
}

/** The decision about a text, which is the target of the rules about `todo`. */
function decideText(rules: readonly Rule[], text: string): Action {
  const { rules: all } = createPolicyCompiler().compile(policyOf(rules));
  const question = { tool: 'todo', capability: undefined, match: 'text', text } as const;
  return decide(question, all, 'linux').action;
}

const ROWS: readonly (readonly [
  name: string,
  expected: Action,
  ...rules: readonly (readonly [level: number | undefined, text: string])[],
])[] = [
  ['an allow of each level allows', 'allow', [0, 'todo * allow'], [1, 'todo * allow']],
  ['an allow of one level alone asks', 'ask', [1, 'todo * allow']],
  ['an allow for all levels allows', 'allow', [undefined, 'todo * allow']],
  ['a deny of the upper level holds', 'deny', [0, 'todo * deny'], [1, 'todo a b allow']],
  ['a deny of the lower level holds', 'deny', [0, 'todo * allow'], [1, 'todo a b deny']],
  [
    "a narrower allow of one level doesn't lift an ask of the other",
    'ask',
    [0, 'todo a * ask'],
    [0, 'todo * allow'],
    [1, 'todo a b allow'],
  ],
  [
    'a narrower allow lifts an ask of its own level',
    'allow',
    [0, 'todo a * ask'],
    [0, 'todo a b allow'],
    [1, 'todo * allow'],
  ],
  [
    'a level without a rule of its own has the rules for all',
    'allow',
    [undefined, 'todo * allow'],
    [1, 'todo a b allow'],
  ],
];

for (const [name, expected, ...rules] of ROWS) {
  test(`CS-29: of a chain of two sessions, ${name}`, () => {
    const chain = rules.map(([level, text]) => at(level, 2, text));
    assert.equal(decideText(chain, 'a b'), expected);
    assert.equal(decideText(chain.toReversed(), 'a b'), expected, 'in any order');
  });
}
