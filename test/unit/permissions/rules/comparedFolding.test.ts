import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CompiledRule,
  FOLDING,
  toCompared,
} from '../../../../src/permissions/rules/compiledRule.ts';
import type { Action } from '../../../../src/permissions/rules/rule.ts';

const [PLAIN, FOLDED] = ['plain', 'folded'] as unknown as readonly [never, never];

function compare(action: Action, folds: boolean | undefined) {
  const rule = {
    rule: { permission: 'fs.read', pattern: '**/.env', action, source: 'session' },
    path: () => PLAIN,
    folded: () => FOLDED,
  } satisfies Pick<CompiledRule, 'rule' | 'path' | 'folded'>;
  return toCompared(rule, folds, 'linux');
}

test('in a folder that ignores case, denies and asks ignore it, and allows do not', () => {
  const folding = { pattern: FOLDED, platform: FOLDING };
  const plain = { pattern: PLAIN, platform: 'linux' };
  assert.deepEqual(compare('deny', true), folding);
  assert.deepEqual(compare('ask', true), folding);
  assert.deepEqual(compare('allow', true), plain);
});

test('elsewhere, and where it is not known, every rule is compared as written', () => {
  const plain = { pattern: PLAIN, platform: 'linux' };
  for (const action of ['deny', 'ask', 'allow'] as const) {
    assert.deepEqual(compare(action, false), plain);
    assert.deepEqual(compare(action, undefined), plain);
  }
});
