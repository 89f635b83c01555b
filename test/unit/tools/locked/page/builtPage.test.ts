import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { openBed } from '../../bed.ts';

const MAIN = path.resolve(import.meta.dirname, '../../../../../dist/host/main.mjs');

test('the built host finds the program of its thread for a large page', async (t) => {
  using bed = openBed();
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    // Bare text, what is left when the thread fails, would have no stars.
    response.end(`<h1>Title</h1>${'<p>Some <b>words</b>.</p>'.repeat(800)}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://${host}/`;
  const rules = path.join(bed.root, 'rules.json');
  writeFileSync(
    rules,
    JSON.stringify([{ permission: 'web_fetch', pattern: host, action: 'allow' }]),
  );
  const words = ['call', 'web_fetch', JSON.stringify({ url }), '--rules', rules];
  const child = spawn(process.execPath, [MAIN, ...words, '--user-data', bed.data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output = await text(child.stdout);
  assert.match(output, /Some \*\*words\*\*/);
});
