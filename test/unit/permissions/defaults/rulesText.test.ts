import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ParseError, parse } from 'jsonc-parser';
import { COPY_RULES } from '../../../../src/permissions/defaults/copyRules.ts';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { shippedRulesText, toRulesText } from '../../../../src/permissions/defaults/rulesText.ts';
import { toRoots } from '../../../../src/permissions/patterns/roots.ts';
import {
  type CompiledRule,
  compileRule,
  isNarrower,
  parseRule,
} from '../../../../src/permissions/rules/compiledRule.ts';
import type { Rule } from '../../../../src/permissions/rules/rule.ts';

const TEXT = shippedRulesText();

test('the document holds every shipped rule once, in JSON that the editor finds no fault in', () => {
  assert.deepEqual(
    sortedRows(readRows()),
    sortedRows([...DEFAULT_RULES, ...COPY_RULES].map(toRow)),
  );
});

test('no rule comes after a wider one that it overrides', () => {
  const context = {
    roots: toRoots({ workspace: ['/w'], adHoc: [], cwd: '/w' }, 'linux'),
    platform: 'linux',
    cwd: '/w',
  } as const;
  const rules = readRows().map(({ options: _, ...rule }) =>
    compileRule(parseRule({ ...(rule as Rule), source: 'manifest' }), context),
  );
  const late = rules.flatMap((rule, at) =>
    rules.slice(0, at).flatMap((before) => (overrides(rule, before) ? [[before, rule]] : [])),
  );
  assert.deepEqual(
    late.map((pair) => pair.map(({ rule: { pattern } }) => pattern)),
    [],
  );
});

function overrides(rule: CompiledRule, before: CompiledRule): boolean {
  if (before.rule.permission !== rule.rule.permission) return false;
  const match = before.rule.permission === 'bash' ? 'command' : 'path';
  if (before.rule.permission === 'copy') return false;
  return isNarrower(rule, before, { match, platform: 'linux' });
}

test('every group says what it is for, and rows are one line each', () => {
  const groups = TEXT.slice(TEXT.indexOf('[\n') + 2).split('\n\n');
  assert.ok(groups.length > 10);
  for (const group of groups) {
    const [title, why, ...rows] = group.trimEnd().split('\n');
    assert.match(`${title}\n${why}`, /^ {2}\/\/ .+\n {2}\/\/ .+$/);
    for (const row of rows) assert.match(row, /^ {2}\{ "permission": .* \},?$|^\]$/);
  }
});

test('without rules the document is an empty list', () => {
  assert.deepEqual(parse(toRulesText(['None.'], [])), []);
});

interface Row extends Pick<Rule, 'permission' | 'pattern' | 'action'> {
  readonly options?: string;
}

function readRows(): readonly Row[] {
  const errors: ParseError[] = [];
  const rows: Row[] = parse(TEXT, errors, { allowTrailingComma: false });
  assert.deepEqual(errors, []);
  return rows;
}

function toRow({ permission, pattern, action, flags }: Rule): Row {
  return { permission, pattern, action, ...(flags !== undefined && { options: flags }) };
}

function sortedRows(rows: readonly Row[]): readonly string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}
