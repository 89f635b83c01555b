import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { traced, traceFile } from '../../../../src/host/front/trace.ts';

test('every line of both directions is traced, without secrets', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-trace-'));
  const file = traceFile(folder, process.pid);
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const pipes = traced({ stdin, stdout }, folder);

  const ask = '{"jsonrpc":"2.0","id":7,"method":"_gatehouse/secret","params":{"id":"model/x"}}';
  const reply = '{"jsonrpc":"2.0","id":7,"result":{"value":"key-é"}}';
  const other = '{"jsonrpc":"2.0","id":8,"result":{"value":"kept"}}';
  pipes.stdout.end(`${ask}\n`);
  assert.equal(await text(stdout), `${ask}\n`);
  const bytes = Buffer.from(`${reply}\n${other}\n`);
  stdin.write(bytes.subarray(0, 48));
  stdin.end(bytes.subarray(48));
  assert.equal(await text(pipes.stdin), `${reply}\n${other}\n`);

  const redacted = '{"jsonrpc":"2.0","id":7,"result":{"value":null}}';
  const expected = `> ${ask}\n< ${redacted}\n< ${other}\n`;
  const end = Date.now() + 120_000; // The file is written behind the pipes' back: look until it is there.
  while (readTrace(file) !== expected && Date.now() < end) await sleep(5);
  assert.equal(readTrace(file), expected);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  rmSync(folder, { recursive: true });
});

test('what MCP servers need of the user, and what a sign-in leaves, is traced without its value', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-trace-'));
  const file = traceFile(folder, process.pid);
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const pipes = traced({ stdin, stdout }, folder);
  const ask = { id: 1, method: '_gatehouse/server_input', params: { server: 'x' } };
  const store = { id: 2, method: '_gatehouse/store_secret', params: { id: 'i', value: 't0ken' } };
  pipes.stdout.end(`${JSON.stringify(ask)}\n${JSON.stringify(store)}\n`);
  assert.match(await text(stdout), /t0ken/, 'the client gets it');
  stdin.end(`${JSON.stringify({ id: 1, result: { value: 's3cret' } })}\n`);
  await text(pipes.stdin);
  const end = Date.now() + 120_000;
  while (readTrace(file).split('\n').length < 4 && Date.now() < end) await sleep(5);
  const lines = readTrace(file);
  assert.match(lines, /server_input.*store_secret.*"value":null/s);
  assert.doesNotMatch(lines, /t0ken|s3cret/);
  rmSync(folder, { recursive: true });
});

test('what MCP servers get of a client or of the settings is traced by its name only', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-trace-'));
  const file = traceFile(folder, process.pid);
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const pipes = traced({ stdin, stdout }, folder);
  const mcpServers = [
    { name: 'a', command: 'x', args: [], env: [{ name: 'TOKEN', value: 's3cret' }] },
    { type: 'http', name: 'b', url: 'http://b', headers: [{ name: 'X-Key', value: 's3cret' }] },
  ];
  const start = { id: 1, method: 'session/new', params: { cwd: '/w', mcpServers } };
  const mcp = {
    c: { command: ['x'], env: { OTHER: 's3cret' } },
    d: { headers: { Own: 's3cret' } },
  };
  const settings = { mcp, model: { id: 'kept' } };
  const configure = { id: 2, method: '_gatehouse/configure', params: { settings } };
  const sent = `${JSON.stringify(start)}\n${JSON.stringify(configure)}\n`;
  stdin.end(sent);
  assert.equal(await text(pipes.stdin), sent, 'the host gets it');
  const end = Date.now() + 120_000;
  while (readTrace(file).split('\n').length < 3 && Date.now() < end) await sleep(5);
  const lines = readTrace(file);
  for (const name of ['TOKEN', 'X-Key', 'OTHER', 'Own', 'kept', '"command":"x"'])
    assert.ok(lines.includes(name), name);
  assert.doesNotMatch(lines, /s3cret/);
  rmSync(folder, { recursive: true });
});

test('without a folder, nothing is traced', () => {
  const pipes = { stdin: new PassThrough(), stdout: new PassThrough() };
  assert.deepEqual(traced(pipes, undefined), pipes);
});

function readTrace(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
