import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide } from '../../../../src/permissions/decide/decide.ts';
import { isConfiguration } from '../../../../src/permissions/decide/tightenFile.ts';
import { createPolicyCompiler } from '../../../../src/permissions/rules/policyCompiler.ts';
import type { Action, Rule } from '../../../../src/permissions/rules/rule.ts';
import { policyOf, rulesOf } from '../ask.ts';

/** A file that was reached by two links, of which the second leads over the first. */
const FILE = { path: '/w/real', names: ['/w/first', '/w/second'] };
const RULES = ['read /w/** allow'];

function decideRead(rules: readonly string[], names: readonly string[] = FILE.names): Action {
  const { rules: all } = createPolicyCompiler().compile(policyOf(rulesOf(...RULES, ...rules)));
  const file = { path: FILE.path, ...(names.length > 0 && { names }) };
  const question = { tool: 'read', capability: 'fs.read', match: 'path', ...file } as const;
  return decide(question, all, 'linux').action;
}

for (const [expected, rule] of [
  ['deny', 'read /w/first deny'],
  ['deny', 'read /w/second deny'],
  ['deny', 'read /w/real deny'],
  ['ask', 'read /w/second ask'],
  ['allow', 'read /w/third deny'],
] as const)
  test(`a file that two links lead to is under ${rule} decided as ${expected}`, () => {
    assert.equal(decideRead([rule]), expected);
  });

test('an allow for a link allows nothing of the file that it leads to', () => {
  assert.equal(decideRead(['read /w/re* ask', 'read /w/first allow']), 'ask');
  assert.equal(decideRead(['read /w/re* ask', 'read /w/real allow']), 'allow');
});

/** Whether one of the rules asks about the file as long as it holds a password. */
function isAsked(pattern: string): boolean {
  const rule: Rule = {
    permission: 'fs.read',
    pattern,
    action: 'ask',
    source: 'project',
    credentials: true,
  };
  // These ask, or match nothing, whatever the file holds.
  const others = rulesOf('fs.read /w/** ask', 'fs.read /w/fourth ask');
  return isConfiguration(FILE, createPolicyCompiler().compile(policyOf([rule, ...others])));
}

test('a file is configuration by its own name or by that of any link', () => {
  for (const name of [FILE.path, ...FILE.names]) assert.ok(isAsked(name), name);
  assert.ok(!isAsked('/w/third'));
});
