import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toErrorText } from '../../../src/base/text/boundedText.ts';
import { bench } from './running.ts';
import { validate } from './validated.ts';

const LONG = 'é'.repeat(200_000);

function program(schema: object) {
  const tools = [{ name: 'x', command: ['./tools/bin/x'], schema }];
  return { 'tools.json': JSON.stringify({ tools }), 'tools/bin/x': '#!/bin/sh\necho {}\n' };
}

const SCHEMAS: Readonly<Record<string, object>> = {
  enum: { properties: { a: { enum: [LONG, ...Array.from({ length: 20_000 }, (_, at) => at)] } } },
  const: { properties: { a: { const: LONG } } },
  required: { required: [`${LONG}!`] },
  pattern: { properties: { a: { type: 'string', pattern: `^${LONG}$` } } },
  additionalProperties: { properties: { b: {} }, additionalProperties: false },
  propertyNames: { propertyNames: { maxLength: 3 } },
};

for (const [keyword, schema] of Object.entries(SCHEMAS)) {
  test(`the error of ${keyword} is at most 2 KB`, async () => {
    const { run } = await bench(program({ type: 'object', ...schema }));
    const { refused } = (await run('workspace_x', { a: 'x', [LONG]: 1 })) as { refused: string };
    assert.ok(refused.length > 0);
    assert.ok(Buffer.byteLength(refused) <= 2048, `${Buffer.byteLength(refused)}`);
  });
}

test('a diagnostic that quotes the manifest is at most 2 KB', () => {
  const documents = [
    { tools: [{ name: LONG, command: [LONG] }] },
    { version: 1, tools: [{ id: LONG, [LONG]: 1 }] },
    { tools: [{ name: 'x', command: ['./tools/bin/x'], [LONG]: 1 }] },
  ];
  const all = [
    ...documents.map((document) => validate(document)),
    validate(`resource: tool\nid: ${LONG}\n${LONG}: 1\n`, { name: 'x.yaml' }),
  ];
  for (const { diagnostics } of all) {
    assert.ok(diagnostics.length > 0);
    for (const { message } of diagnostics) assert.ok(Buffer.byteLength(message) <= 2048);
  }
});

test('a text at the limit is whole, and a longer one ends with a whole character', () => {
  assert.equal(toErrorText('a'.repeat(2048)), 'a'.repeat(2048));
  const cut = toErrorText('é'.repeat(1025));
  assert.ok(Buffer.byteLength(cut) <= 2048 && /^é+…$/.test(cut));
});
