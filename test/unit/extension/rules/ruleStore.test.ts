import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WireRule } from '../../../../src/acp/gatehouse/rules.ts';
import { addRule, hasCommentsInRules } from '../../../../src/extension/rules/ruleStore.ts';

const RULE: WireRule = { permission: 'bash', pattern: 'npm test', action: 'allow' };

test('an empty file becomes one with the rule', () => {
  assert.deepEqual(JSON.parse(addRule('', RULE)), { 'gatehouse.permissions': [RULE] });
});

test('comments, order and layout of the rest are kept', () => {
  const before = `{
  // mine
  "editor.fontSize": 13, // big
  "gatehouse.permissions": [
    // never
    { "permission": "bash", "pattern": "rm *", "action": "deny" }
  ],
}
`;
  const after = addRule(before, RULE);
  for (const kept of ['// mine', '// big', '// never', '"pattern": "rm *"']) {
    assert.ok(after.includes(kept), kept);
  }
  assert.match(after, /"rm \*"[\s\S]*"npm test"/);
});

test('line ends of the file are kept', () => {
  const after = addRule('{\r\n  "a": 1\r\n}\r\n', RULE);
  assert.doesNotMatch(after, /[^\r]\n/);
});

test('in a workspace file the rule goes into its settings', () => {
  const after = addRule('{ "folders": [], "settings": {} }', RULE, ['settings']);
  assert.deepEqual(JSON.parse(after).settings, { 'gatehouse.permissions': [RULE] });
});

test('a file that does not contain an object is not changed', () => {
  assert.throws(() => addRule('[]', RULE));
});

test('only comments inside the rules are found', () => {
  const rules = (inside: string) => `{ /* x */ "gatehouse.permissions": [ ${inside} ] }`;
  assert.equal(hasCommentsInRules(rules('')), false);
  assert.equal(hasCommentsInRules(rules('/* mine */')), true);
});
