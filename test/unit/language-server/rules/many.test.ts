import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toConfiguration } from '../../../../src/host/config/configuration.ts';
import { compile } from '../../../../src/language-server/rules/checks/relations.ts';
import { findUnneeded } from '../../../../src/language-server/rules/checks/unneeded.ts';
import { parseRules } from '../../../../src/permissions/rules/parseRules.ts';
import { diagnose, readSettings, toSettings } from './settings.ts';

const MANY = 10_000;
const rules = Array.from({ length: MANY }, (_, index) => ({
  permission: 'bash',
  pattern: `git log ${index}`,
  action: 'allow',
}));

test('of 10,000 rules each pattern is read a few times, however many are equal', () => {
  for (const list of [rules, rules.map((each) => ({ ...each, pattern: 'git log' }))]) {
    let read = 0;
    const listed = parseRules(list, 'project').rules.map((rule, index) => {
      const compiled = compile(rule);
      return {
        index,
        compiled: {
          ...compiled,
          command: () => {
            read += 1;
            return compiled.command();
          },
        },
      };
    });
    findUnneeded(listed);
    assert.ok(read <= 2 * MANY, `${read}`);
  }
});

test('10,000 broken rules have a bounded number of diagnostics, errors first', () => {
  const broken = rules.map((each, index) => (index % 2 === 0 ? { ...each, permission: 'bsh' } : 5));
  const found = diagnose(toSettings(broken));
  assert.equal(found.length, 1000);
  assert.ok(found.every(({ severity }) => severity === 'error'));
  assert.equal(readSettings(toSettings(broken)).entries.length, MANY);
});

test('a workspace file with 10,000 rules that wait is looked at once', () => {
  let looked = 0;
  const acceptances = {
    accept: () => undefined,
    has: () => false,
    hasFile: () => {
      looked += 1;
      return false;
    },
    keptRules: () => [],
    keepRules: () => undefined,
    stamp: () => '',
  };
  const file = '/w/.vscode/settings.json';
  const written = rules.map((entry, index) => ({
    entry,
    origin: { layer: 'workspace', file, index } as const,
  }));
  const { rules: inForce } = toConfiguration({ raw: {}, rules: written }, acceptances, {});
  assert.deepEqual([inForce.length, looked], [0, 1]);
});
