import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findRenames, renameRules } from '../../../../../src/host/session/policy/renames.ts';
import type { Rule } from '../../../../../src/permissions/rules/rule.ts';

const renames = findRenames([
  { id: 'workspace_x', formerId: 'shop_x' },
  { id: 'a_y', formerId: 'shop_y' },
  { id: 'b_y', formerId: 'shop_y' },
]);

/** The permissions and actions of a rule about former ids, as it is read now. */
function read(permission: string, action: Rule['action']): readonly string[] {
  const rule: Rule = { permission, pattern: '*', action, source: 'project' };
  return renameRules([rule], renames).map((each) => `${each.action} ${each.permission}`);
}

test('a rule for a former id is one for the ids of now, but an allow for one of several is none', () => {
  assert.deepEqual(read('shop_x', 'allow'), ['allow workspace_x']);
  assert.deepEqual(read('shop_y', 'deny'), ['deny a_y', 'deny b_y']);
  assert.deepEqual(read('shop_y', 'allow'), []);
});

test('a deny or ask with a wildcard still covers the tools whose former ids it matches', () => {
  const deny = ['deny shop_*', 'deny workspace_x', 'deny a_y', 'deny b_y'];
  assert.deepEqual(read('shop_*', 'deny'), deny);
  assert.deepEqual(read('*_x', 'ask'), ['ask *_x']);
  assert.deepEqual(read('shop_*', 'allow'), ['allow shop_*']);
});
