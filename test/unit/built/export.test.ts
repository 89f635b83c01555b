import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporary } from '../host/harness.ts';
import { gatehouse, place } from './program.ts';

// The function tools that the built `gatehouse tools export` writes.

async function exported(t: Parameters<typeof temporary>[0], entry: object): Promise<unknown> {
  const cwd = await temporary(t);
  await place(cwd, { 'tools.json': { tools: [entry] } });
  const { code, stdout, stderr } = await gatehouse(['tools', 'export', '--openai', '.'], { cwd });
  assert.deepEqual([code, stderr], [0, '']);
  return JSON.parse(stdout);
}

const command = ['./tools/bin/get_time'];
const schema = {
  type: 'object',
  properties: { timezone: { type: 'string', description: 'e.g. Europe/Helsinki' } },
  required: ['timezone'],
  additionalProperties: false,
};

test('VA-27 an entry is a function tool whose parameters are its schema, key by key', async (t) => {
  const entry = { name: 'get_time', description: 'Tells the time.', schema, command };
  const parameters = schema;
  assert.deepEqual(await exported(t, entry), [
    {
      type: 'function',
      function: { name: 'get_time', description: 'Tells the time.', parameters },
    },
  ]);
});

test('VA-28 an entry without a description has no such key', async (t) => {
  assert.deepEqual(await exported(t, { name: 'get_time', schema, command }), [
    { type: 'function', function: { name: 'get_time', parameters: schema } },
  ]);
});
