import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { calls, prompt, temporary } from '../host/harness.ts';
import { listen } from '../tools/netBed.ts';
import { listServers, openHost, startSession, stdio } from './servers.ts';
import { HOSTILE } from './source.ts';

test('PR-046, CS-61 a schema that refers to another host: nothing is fetched, and no call passes unvalidated', async (t) => {
  const asked: string[] = [];
  const elsewhere = createServer(({ url = '' }, response) => {
    asked.push(url);
    response.end('{}');
  });
  t.after(() => elsewhere.close());
  const remote = `http://127.0.0.1:${await listen(elsewhere)}/schema.json`;
  const file = path.join(await temporary(t), 'tools.json');
  const schemas: Readonly<Record<string, object>> = {
    whole: { type: 'object', $ref: remote },
    part: { type: 'object', properties: { a: { $ref: `${remote}#/a` } } },
    dynamic: { type: 'object', properties: { a: { $dynamicRef: remote } } },
    named: { $schema: remote, type: 'object' },
  };
  const tools = Object.entries(schemas).map(([name, inputSchema]) => ({ name, inputSchema }));
  writeFileSync(
    file,
    JSON.stringify([...tools, { name: 'fine', inputSchema: { type: 'object' } }]),
  );
  const names = [...Object.keys(schemas), 'fine'];
  const host = await openHost(t, {
    script: [
      { calls: names.map((name) => ({ tool: `srv_${name}`, input: { a: 1 } })) },
      { text: 'Done.' },
    ],
  });
  const sessionId = await startSession(host, [stdio('srv', HOSTILE, 'tools', file)]);
  await prompt(host, sessionId);
  const ended = calls(host).filter(({ status }) => status === 'completed' || status === 'failed');
  assert.deepEqual(ended.map(({ status }) => status).sort(), [
    'completed',
    ...Object.keys(schemas).map(() => 'failed'),
  ]);
  assert.match(JSON.stringify(ended.find(({ status }) => status === 'completed')), /fine \{/);
  await listServers(host, sessionId);
  assert.deepEqual(asked, []);
});
