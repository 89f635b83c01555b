import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { toRecord } from '../../../../src/base/json.ts';
import { diagnose, toSettings } from './settings.ts';

const PACKAGE = new URL('../../../../package.json', import.meta.url);

/** The setting as package.json declares it. */
function readSetting(): Readonly<Record<string, unknown>> {
  const { contributes }: { contributes: { configuration: readonly object[] } } = JSON.parse(
    readFileSync(PACKAGE, 'utf8'),
  );
  const own = contributes.configuration
    .map((each) => toRecord(toRecord(each)['properties'])['gatehouse.permissions'])
    .find((each) => each !== undefined);
  return toRecord(own);
}

function bodies(schema: unknown): readonly unknown[] {
  const snippets = toRecord(schema)['defaultSnippets'];
  return Array.isArray(snippets) ? snippets.map((each) => toRecord(each)['body']) : [];
}

/** What a snippet inserts with each of the values that it offers first to last. */
function expand(body: unknown): readonly string[] {
  const text = JSON.stringify(body);
  const most = Math.max(
    1,
    ...[...text.matchAll(/\|([^|]*)\|/g)].map((each) => each[1]?.split(',').length ?? 0),
  );
  return Array.from({ length: most }, (_, at) =>
    text
      .replaceAll(/\$\{\d+\|([^|]*)\|\}/g, (_all, values: string) => {
        const all = values.split(',');
        return all[at] ?? all.at(-1) ?? '';
      })
      .replaceAll(/\$\{\d+:([^}]*)\}/g, '$1'),
  );
}

test('what the snippets insert is a list of rules, or a rule, without a problem', () => {
  const setting = readSetting();
  const lists = bodies(setting).flatMap(expand);
  const rules = bodies(setting['items']).flatMap(expand);
  assert.ok(lists.length >= 3 && rules.length >= 8, `${lists.length}, ${rules.length}`);
  for (const text of [...lists, ...rules.map((rule) => `[${rule}]`)]) {
    assert.doesNotMatch(text, /\$\{/);
    const found = diagnose(toSettings(JSON.parse(text)));
    assert.deepEqual(
      found.map(({ message }) => message),
      [],
      text,
    );
  }
});
