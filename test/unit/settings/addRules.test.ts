import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addRule,
  addRules,
  readRules,
  type SettingsRule,
} from '../../../src/settings/ruleStore.ts';

const RULE: SettingsRule = { permission: 'bash', pattern: 'npm test', action: 'allow' };

test('several rules are added at once, each on its lines', () => {
  const others: SettingsRule[] = ['a', 'b'].map((pattern) => ({ ...RULE, pattern }));
  const before = `{
  "gatehouse.permissions": [
    { "permission": "bash", "pattern": "rm *", "action": "deny" } // never
  ]
}
`;
  const after = addRules(before, [RULE, ...others]);
  const single = [RULE, ...others].reduce((text, rule) => addRule(text, rule), before);
  assert.equal(after, single);
  assert.ok(after.includes('// never'));
});

test('several rules are added to an array on one line, and to an empty file', () => {
  const rules: SettingsRule[] = ['a', 'b'].map((pattern) => ({ ...RULE, pattern }));
  const inline = '{"gatehouse.permissions": [{"permission":"bash","pattern":"x","action":"ask"}]}';
  for (const text of [inline, '', '{\r\n\t"a": 1\r\n}']) {
    const added = JSON.parse(addRules(text, rules))['gatehouse.permissions'];
    assert.deepEqual(added.slice(-2), rules);
    assert.ok(!text.includes('\r') || !/[^\r]\n/.test(addRules(text, rules)));
  }
});

test('the rules of a text are read as they are, also those of a workspace file', () => {
  const broken = { ...RULE, action: 'alow' };
  const settings = { 'gatehouse.permissions': [RULE, broken, 7] };
  const text = JSON.stringify({ settings });
  assert.deepEqual(JSON.parse(JSON.stringify(readRules(text, ['settings']))), [RULE, broken, 7]);
  for (const other of ['', '[]', text, '{ "gatehouse.permissions": {} }']) {
    assert.deepEqual(readRules(other), []);
  }
});
