import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { diagnoseRules } from '../../../../src/language-server/rules/diagnostics.ts';
import { readRuleDocument } from '../../../../src/language-server/rules/ruleDocument.ts';
import { parseRules } from '../../../../src/permissions/rules/parseRules.ts';
import type { Call, Decision } from '../../../../src/permissions/rules/policy.ts';
import type { Rule } from '../../../../src/permissions/rules/rule.ts';
import { bashCall, evaluate, policyOf } from '../../permissions/ask.ts';
import { apply, diagnose, readSettings, toSettings, URI } from './settings.ts';

const RUNS = { numRuns: 400, seed: 14 } as const;

const field = fc.oneof(
  fc.constantFrom('bash', 'bsh', 'read', 'fs.*', '*', 'allow', 'deny', 'Deny', 'ls', '**/.env', ''),
  fc.jsonValue({ maxDepth: 2 }),
);
const entry = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.record(
    { permission: field, pattern: field, action: field, added_at: field, source: field, x: field },
    { requiredKeys: [] },
  ),
);
const value = fc.oneof({ weight: 4, arbitrary: fc.array(entry) }, { weight: 1, arbitrary: entry });

test('any JSON value as rules has a diagnostic for each entry that can’t be read, inside it', () => {
  fc.assert(
    fc.property(value, (rules) => {
      const text = toSettings(rules);
      const found = diagnose(text);
      for (const { offset, length } of found) {
        assert.ok(length > 0 && offset >= 0 && offset + length <= text.length);
      }
      if (rules === null) return;
      const { entries, list } = readSettings(text);
      const [start = 0, end = 0] = list ? [list.offset, list.offset + list.length] : [];
      const errors = found.filter(({ severity }) => severity === 'error');
      assert.ok(errors.every(({ offset, length }) => offset >= start && offset + length <= end));
      if (!Array.isArray(rules)) {
        assert.equal(errors.length, 1);
        return;
      }
      for (const { node, rule } of entries) {
        const isSaid = errors.some(
          ({ offset, length }) =>
            offset >= node.offset && offset + length <= node.offset + node.length,
        );
        assert.equal(isSaid, rule.broken === true, JSON.stringify(rule));
      }
    }),
    RUNS,
  );
});

test('any text of a settings file is read without an exception', () => {
  const piece = fc.constantFrom(
    ...['{', '}', '[', ']', ',', ':', '"', '//', '/*', '*/', '\n', 'null', '5', '\\', '\u2028'],
    ...['"gatehouse.permissions"', '"settings"', '"permission"', '"pattern"', '"action"', '"bash"'],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const text = `{"gatehouse.permissions": ${pieces.join('')}`;
      // Without a value there is no list yet.
      const document = readRuleDocument(URI, text);
      const found = document === undefined ? [] : diagnoseRules(document);
      assert.ok(found.every(({ offset, length }) => offset + length <= text.length + 1));
    }),
    RUNS,
  );
});

const rule = fc.record(
  {
    permission: fc.constantFrom('bash', 'shell.run', 'read', 'fs.read', '*'),
    pattern: fc.constantFrom(
      '*',
      'ls',
      'ls *',
      'git *',
      'git status',
      'src/**',
      './src/**',
      '**/.env',
    ),
    action: fc.constantFrom('allow', 'ask', 'deny'),
    added_at: fc.constantFrom(1, 2),
  },
  { requiredKeys: ['permission', 'pattern', 'action'] },
);

const STRICTNESS = { allow: 0, ask: 1, deny: 2, refuse: 3 } as const;

test('entries that can’t be read never loosen a decision, wherever they stand', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(rule, { maxLength: 4 }),
      value,
      fc.constantFrom('ls', 'git status', 'src/a', '.env'),
      async (rules, damage, target) => {
        const read = parseRules(damage, 'project').rules;
        const broken = read.filter((each) => each.broken === true);
        const [before, after] = [
          await decideOn(target, toRules(rules)),
          await decideOn(target, [...broken, ...toRules(rules)]),
        ];
        assert.ok(STRICTNESS[after] >= STRICTNESS[before], `${before} became ${after}`);
      },
    ),
    { numRuns: 300, seed: 14 },
  );
});

test('removing a rule that a diagnostic calls without effect changes no decision', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(rule, { minLength: 2, maxLength: 6 }),
      fc.array(rule, { maxLength: 2 }),
      fc.constantFrom('ls', 'ls a', 'git status', 'git push', 'src/a', 'src/.env', '.env'),
      async (rules, elsewhere, target) => {
        const text = toSettings(rules);
        const fixes = diagnose(text).flatMap(({ unneeded, fixes: own = [] }) =>
          unneeded ? own : [],
        );
        for (const fix of fixes) {
          const { rules: left } = apply(text, fix);
          assert.ok(Array.isArray(left) && left.length === rules.length - 1);
          const others = toRules(elsewhere);
          const [before, after] = [
            await decideOn(target, [...toRules(rules), ...others]),
            await decideOn(target, [...toRules(left), ...others]),
          ];
          assert.equal(after, before);
        }
      },
    ),
    { numRuns: 300, seed: 14 },
  );
});

function toRules(value: unknown): readonly Rule[] {
  return parseRules(value, 'project').rules;
}

function readCall(target: string): Call {
  const subject = { permission: 'read', capability: 'fs.read', target, match: 'path' } as const;
  return { tool: 'read', input: { path: target }, subjects: [subject] };
}

async function decideOn(target: string, rules: readonly Rule[]): Promise<Decision['decision']> {
  const policy = policyOf(rules);
  const isPath = target.includes('/') || target.startsWith('.');
  const decided = isPath
    ? await evaluate(readCall(target), policy)
    : await evaluate(bashCall(target), policy);
  return decided.decision;
}

test('a fix keeps comments and layout, and the file can still be read', () => {
  const text = `{
  // Before.
  "gatehouse.permissions": [
    // First.
    {"permission": "bash", "pattern": "ls", "action": "allow"}, // Same line.
    /* Second. */ {"permission": "bash", "pattern": "ls *", "action": "allow"} // End.
    // Last.
  ],
  "editor.tabSize": 3, // After.
}`;
  const [fix] = diagnose(text)[0]?.fixes ?? [];
  assert.ok(fix);
  const next = apply(text, fix).text;
  for (const comment of ['Before.', 'First.', 'Same line.', 'Second.', 'End.', 'Last.', 'After.'])
    assert.ok(next.includes(comment), next);
  assert.equal(parse(next)['gatehouse.permissions'].length, 1);
  assert.deepEqual(diagnose(next), []);
});
