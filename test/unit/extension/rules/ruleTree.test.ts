import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListedRule } from '../../../../src/acp/gatehouse/rules.ts';
import { type RuleItem, toGroups, toItems } from '../../../../src/extension/rules/ruleTree.ts';
import { english } from '../english.ts';

const RULE: ListedRule = {
  ...{ permission: 'bash', pattern: 'npm *', action: 'allow', source: 'project', hits: 0 },
  origin: { layer: 'user', file: '/u/settings.json', index: 3 },
};
const NOW = 10 * 60_000;

function toRule(more: Partial<ListedRule>): RuleItem {
  const [item] = toItems({ rules: [{ ...RULE, ...more }], total: 1 }, 'bash', NOW, english);
  assert.equal(item?.kind, 'rule');
  return item;
}

test('groups are named by what their rules are about', () => {
  const permissions = ['bash', 'call:edit', 'fs.write', '*'].map((permission) => ({
    ...{ permission, count: 2 },
  }));
  assert.deepEqual(
    toGroups({ permissions }, english).map(({ label, count }) => `${label} ${count}`),
    ['bash 2', 'edit, exact calls 2', 'fs.write 2', 'All tools (*) 2'],
  );
});

test('a rule shows its action, place, hits and last use, and says them', () => {
  const { description, icon, spoken, reference } = toRule({ hits: 12, lastUsed: 5 * 60_000 });
  assert.equal(description, 'allow · 12 hits, 5 min ago · user settings');
  assert.equal(spoken, 'allow, bash, npm *, 12 hits, 5 min ago, user settings');
  assert.equal(icon, 'check');
  assert.deepEqual(reference, {
    rule: { permission: 'bash', pattern: 'npm *', action: 'allow' },
    ...{ layer: 'user', file: '/u/settings.json', index: 3 },
  });
  const inFile = { layer: 'workspace', file: '/w/.vscode/settings.json', index: 0 } as const;
  assert.match(toRule({ origin: inFile }).tooltip, /workspace settings: \/w\/\.vscode/);
  // Where the user settings of a remote window are isn't known.
  assert.doesNotMatch(toRule({}).tooltip, /\/u\//);
  const shipped = toRule({ origin: { layer: 'default', index: 0 }, hits: 1, action: 'deny' });
  assert.equal(shipped.description, 'deny · 1 hit · shipped');
  assert.equal(shipped.icon, 'circle-slash');
});

test('a rule that waits or is broken says so and why', () => {
  const waiting = toRule({ state: 'waiting', origin: { layer: 'workspace', index: 0 } });
  assert.equal(waiting.description, 'waits for you to accept it · never used · workspace settings');
  assert.match(waiting.spoken, /has no effect until you accept it/);
  const broken = toRule({ state: 'broken', problem: '"action" must be "allow".' });
  assert.match(broken.description, /^broken · /);
  assert.match(broken.tooltip, /"action" must be "allow"\. It turns an allow/);
  assert.deepEqual([waiting.icon, broken.icon], ['clock', 'warning']);
});

test('hidden characters are visible, and a long group is loaded in parts', () => {
  assert.equal(toRule({ pattern: 'a\u200Bb\nc' }).label, 'a␣U+200Bb ⏎ c');
  const items = toItems({ rules: [RULE, RULE], total: 10_000 }, 'bash', NOW, english);
  assert.equal(items.length, 3);
  assert.equal(items[2]?.label, 'Show More (9998 left)');
});
