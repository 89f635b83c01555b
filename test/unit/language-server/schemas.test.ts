import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { getDialect } from '../../../src/declared/dialects.ts';
import { validateSchema } from '../../../src/declared/manifest/parseSchema.ts';
import { createCheck } from '../../../src/declared/schemas/createCheck.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../../schemas');
const read = (name: string) => JSON.parse(readFileSync(path.join(FOLDER, name), 'utf8'));

for (const name of readdirSync(FOLDER)) {
  test(`schemas/${name} is a valid schema`, () =>
    assert.deepEqual(validateSchema(read(name), 'draft-07'), []));
}

const names = (schema: { properties: object }) => Object.keys(schema.properties);
const words = (fields: readonly { name: string }[] | undefined) => fields?.map(({ name }) => name);

test('the schemas and the completion have the same fields with the same words', () => {
  const agentcli = read('agentcli-tools.json').properties.tools.items;
  const runloop = read('runloop-tools.json').properties.tools.items;
  const compozy = read('compozy-tool.json');
  assert.deepEqual(names(agentcli), words(getDialect('agentcli').fields['/tools/*']));
  assert.deepEqual(names(runloop), words(getDialect('runloop').fields['/tools/*']));
  assert.deepEqual(
    names(runloop.properties.transport),
    words(getDialect('runloop').fields['/tools/*/transport']),
  );
  assert.deepEqual(names(compozy), words(getDialect('compozy').fields['']));
  assert.equal(
    agentcli.properties.command.description,
    getDialect('agentcli').fields['/tools/*']?.[3]?.doc,
  );
});

test('tools.json is validated by its dialect', async () => {
  const schema = read('tools.json');
  const fits = createCheck({ schema, otherwise: 'draft-07', what: 'it', timeoutMs: 60_000 });
  assert.equal(
    await fits({ tools: [{ name: 'a', command: ['./tools/bin/a'], timeoutSec: 5 }] }),
    undefined,
  );
  assert.equal(
    await fits({ version: 1, tools: [{ id: 'a', transport: { kind: 'exec', command: '/x' } }] }),
    undefined,
  );
  assert.match((await fits({ tools: [{ name: 5 }] })) ?? '', /name must be string/);
  assert.match(
    (await fits({ version: 1, tools: [{ transport: { kind: 'unix' } }] })) ?? '',
    /kind must be equal/,
  );
});
