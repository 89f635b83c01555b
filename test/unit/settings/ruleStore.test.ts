import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addRule,
  findRuleOffset,
  removeRule,
  type SettingsRule,
} from '../../../src/settings/ruleStore.ts';

const RULE: SettingsRule = { permission: 'bash', pattern: 'npm test', action: 'allow' };

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

test('undo removes exactly the rule, wherever it is by now, and keeps everything else', () => {
  const before = `{
  // mine
  "gatehouse.permissions": [
    // never
    { "permission": "bash", "pattern": "rm *", "action": "deny" }
  ],
  "editor.fontSize": 13, // big
}
`;
  const added = addRule(before, RULE);
  const later = addRule(added, { ...RULE, pattern: 'ls' }).replace('13', '14');
  const removed = removeRule(later, RULE) ?? assert.fail();
  assert.doesNotMatch(removed, /npm test/);
  for (const kept of ['// mine', '// never', '"rm *"', '"ls"', '14, // big']) {
    assert.ok(removed.includes(kept), kept);
  }
  assert.equal(removeRule(removed, RULE), undefined);
});

test('of two equal rules, undo removes the newer one', () => {
  const own = { ...RULE, note: 'mine' };
  const text = addRule(JSON.stringify({ 'gatehouse.permissions': [own] }), RULE);
  const left = JSON.parse(removeRule(text, RULE) ?? '{}')['gatehouse.permissions'];
  assert.deepEqual(left, [own]);
});

test('a rule with another action is another rule', () => {
  const text = addRule('', { ...RULE, action: 'deny' });
  assert.equal(removeRule(text, RULE), undefined);
});

test('a rule is found where it is, else the list of rules', () => {
  const text = addRule(addRule('', { ...RULE, pattern: 'ls' }), RULE);
  const offset = findRuleOffset(text, RULE)?.offset ?? assert.fail();
  assert.match(text.slice(offset), /^\{\s*"permission": "bash",\s*"pattern": "npm test"/);
  const gone = findRuleOffset(text, { ...RULE, pattern: 'gone' });
  assert.match(text.slice(gone?.offset), /^\[/);
  assert.equal(gone?.exact, false);
  assert.equal(findRuleOffset('{}', RULE), undefined);
  const inWorkspaceFile = addRule('{ "settings": {} }', RULE, ['settings']);
  assert.ok(findRuleOffset(inWorkspaceFile, RULE, { section: ['settings'] })?.exact);
});
