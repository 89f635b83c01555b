import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCheck } from '../../../../src/declared/schemas/createCheck.ts';
import { validateSchemas } from '../../../../src/declared/validateSchemas.ts';
import { validate } from '../validated.ts';

// The smallest limit that the setting allows. The thread of this file has not served any schema before.

const LIMIT_MS = 10;

/** Tools whose schemas need the schema worker. */
function tools(count: number, more: object) {
  return validate({
    tools: Array.from({ length: count }, (_, at) => ({
      name: `t${at}`,
      command: ['./tools/bin/x'],
      schema: { ...more, type: 'object', not: { title: `tool ${at}` } },
    })),
  });
}

for (const dialect of [
  'http://json-schema.org/draft-07/schema#',
  'https://json-schema.org/draft/2019-09/schema',
  'https://json-schema.org/draft/2020-12/schema',
]) {
  test(`what is loaded for ${dialect} is not the time of its first schema`, async () => {
    const [manifest] = await validateSchemas([tools(1, { $schema: dialect })], LIMIT_MS);
    assert.deepEqual(manifest?.diagnostics, []);
  });
}

test('many small schemas fit, though they take longer than ten times the limit together', async () => {
  const [manifest] = await validateSchemas([tools(400, {})], LIMIT_MS);
  assert.deepEqual(manifest?.diagnostics, []);
});

test('the first call of a tool is validated within the limit', async () => {
  const schema = { type: 'object', required: ['a'] };
  const what = 'the arguments of x';
  const check = createCheck({ schema, otherwise: 'draft-07', what, timeoutMs: LIMIT_MS });
  assert.equal(await check({ a: 1 }), undefined);
  assert.equal(await check({}), "must have required property 'a'");
});
