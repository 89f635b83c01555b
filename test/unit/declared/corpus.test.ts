import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { stringify } from 'yaml';
import type { DialectId } from '../../../src/base/tools/dialectFacts.ts';
import { isAccepted } from '../../../src/declared/parseManifest.ts';
import { validateTogether } from '../../../src/declared/validateTogether.ts';
import { errors, surroundings, validate } from './validated.ts';

interface Case {
  readonly id: string;
  readonly area: string;
  readonly tool: string;
  readonly expect: string;
  readonly also_ok?: readonly string[];
  readonly message?: string;
  readonly message_match?: 'contains';
  readonly input: {
    readonly kind: DialectId;
    readonly document?: unknown;
    readonly documents?: readonly unknown[];
    readonly text?: string;
  };
}

const corpus: { cases: readonly Case[] } = JSON.parse(
  readFileSync(new URL('../../fixtures/adversarial.json', import.meta.url), 'utf8'),
);
const about = corpus.cases.filter(({ area }) => area === 'manifest');
const loading = about.filter(
  ({ input, expect }) =>
    /^(?:reject|ok)$/.test(expect) &&
    (input.document ?? input.documents ?? input.text) !== undefined,
);

for (const each of loading) {
  test(`${each.id} is ${each.expect}: ${JSON.stringify(each.input).slice(0, 120)}`, () => {
    const around = surroundings({ 'tools.ts': '' });
    const name = each.tool === 'tool.yaml' ? 'tool.yaml' : 'tools.json';
    const documents = each.input.documents ?? [each.input.text ?? each.input.document];
    const validated = validateTogether(
      documents.map((document, index) => {
        const written = name === 'tool.yaml' ? stringify(document) : document;
        return validate(written, {
          name: index === 0 ? name : `${index}.yaml`,
          dialect: each.input.kind,
          around,
        });
      }),
    );
    const outcome = validated.every(isAccepted) ? 'ok' : 'reject';
    assert.ok([each.expect, ...(each.also_ok ?? [])].includes(outcome), outcome);
    const { message } = each;
    if (message === undefined || outcome === 'ok') return;
    const said = validated.flatMap(errors);
    if (each.message_match === 'contains')
      assert.ok(
        said.some((text) => text.includes(message)),
        said.join(),
      );
    else assert.deepEqual(said, [message]);
  });
}

test('the corpus has its cases of loading', () =>
  assert.ok(loading.length >= 50, `${loading.length}`));

test('MA-051 ten thousand tools and ten megabytes are refused at once', () => {
  const tool = (at: number) => ({ name: `t${at}`, command: ['./tools/bin/x'] });
  const many = { tools: Array.from({ length: 10_000 }, (_, at) => tool(at)) };
  assert.deepEqual(errors(validate(many)), ['parse manifest: more than 5000 tools']);
  assert.deepEqual(errors(validate(`{"tools":[],"x":"${'x'.repeat(10_000_000)}"}`)), [
    'parse manifest: longer than 4194304 bytes',
  ]);
});

test('MA-039 a prototype stays as it was', () => {
  validate(
    '{"tools":[{"name":"x","command":["./tools/bin/x"],"schema":{"__proto__":{"polluted":1}}}],"__proto__":{"polluted":1}}',
  );
  validate(
    'resource: tool\nid: x\n__proto__:\n  polluted: 1\nwith:\n  __proto__:\n    polluted: 1\n',
    { name: 'x.yaml' },
  );
  assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
});

test('every vector and every case of the corpus has its test', () => {
  const folder = path.resolve(import.meta.dirname);
  const written = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'))
    .join('\n');
  const vectors = [
    ...['VA', 'VB', 'VD'].flatMap((letters) =>
      Array.from({ length: letters === 'VA' ? 33 : 32 }, (_, at) => `${letters}-${at + 1}`),
    ),
    ...about.filter((each) => !loading.includes(each)).map(({ id }) => id),
  ];
  assert.deepEqual(
    vectors.filter((id) => !new RegExp(`\\b${id}\\b`).test(written)),
    [],
  );
});
