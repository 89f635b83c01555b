import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListedRule } from '../../../../src/acp/gatehouse/rules.ts';
import { createRuleUses, type RuleUsesParts } from '../../../../src/extension/rules/ruleUses.ts';

const NOW = 1_000_000_000;

/** A host that lists these rules in pages of two. */
function open(rules: readonly ListedRule[], more: Partial<RuleUsesParts['link']> = {}) {
  const asked: unknown[] = [];
  const clock = { now: () => NOW, after: () => ({ dispose: () => undefined }) };
  const connection = {
    call: (method: string, query: { file: string; offset: number }) => {
      asked.push([method, query.file, query.offset]);
      const page = rules.slice(query.offset, query.offset + 2);
      return Promise.resolve({ total: rules.length, permissions: [], rules: page });
    },
  };
  const link = {
    started: true,
    listsRules: true,
    connection: () => Promise.resolve(connection),
    ...more,
  } as unknown as RuleUsesParts['link'];
  const t = (text: string, ...values: readonly unknown[]) =>
    text.replace(/\{(\d)\}/g, (_, at) => String(values[Number(at)]));
  return { asked, clock, readUses: createRuleUses({ link, clock, t }) };
}

function rule(pattern: string, hits: number, lastUsed?: number): ListedRule {
  const fields = { permission: 'bash', pattern, action: 'allow', source: 'project', hits } as const;
  return { ...fields, ...(lastUsed !== undefined && { lastUsed }) };
}

test('uses are read in pages and said in words', async () => {
  const { asked, readUses } = open([
    rule('ls', 0),
    rule('cat', 1, NOW - 120_000),
    rule('git log', 12, NOW),
  ]);
  const uses = await readUses('/w/.vscode/settings.json');
  assert.deepEqual(
    uses.map(({ pattern, text }) => [pattern, text]),
    [
      ['ls', 'Not used yet'],
      ['cat', 'Used once, 2 min ago'],
      ['git log', 'Used 12 times, last just now'],
    ],
  );
  assert.deepEqual(asked, [
    ['rules', '/w/.vscode/settings.json', 0],
    ['rules', '/w/.vscode/settings.json', 2],
  ]);
});

test('keys typed in a row ask once for each file, later ones again', async () => {
  const { asked, clock, readUses } = open([rule('ls', 1)]);
  await Promise.all([readUses('/a'), readUses('/a'), readUses('/b')]);
  assert.equal(asked.length, 2);
  clock.now = () => NOW + 5000;
  await readUses('/a');
  assert.equal(asked.length, 3);
});

test('many rules take a bounded number of pages, and no host is started', async () => {
  const many = Array.from({ length: 100 }, (_, at) => rule(`ls ${at}`, at));
  const { asked, readUses } = open(many);
  assert.equal((await readUses('/a')).length, 8);
  assert.equal(asked.length, 4);
  const stopped = open(many, { started: false });
  assert.deepEqual(await stopped.readUses('/a'), []);
  const old = open(many, { listsRules: false });
  assert.deepEqual([await old.readUses('/a'), old.asked], [[], []]);
});
