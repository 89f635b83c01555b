import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MB } from '../../../src/base/units.ts';
import { gatehouse } from './program.ts';
import { agentcli, converse, fields, makeBed, newSession, open } from './session.ts';

// No error text of the built program grows with what it quotes.

/** The longest, in bytes: 2 KB, and the quotes of JSON around it. */
const MOST = 2_200;

const LONG = 'é'.repeat(MB / 2);

test('an error of ACP is at most 2 KB, however long the ids of a request are', async (t) => {
  const bed = await makeBed(t);
  const host = await open(t, bed);
  const sessionId = await newSession(host, bed);
  const requests: readonly (readonly [string, object])[] = [
    ['session/set_mode', { sessionId, modeId: LONG }],
    ['session/set_mode', { sessionId: LONG, modeId: 'x' }],
    ['session/set_config_option', { sessionId, configId: LONG, value: 'x' }],
    ['session/set_config_option', { sessionId, configId: 'agent', value: LONG }],
    ['session/load', { sessionId: LONG, cwd: bed.workspace, mcpServers: [] }],
    ['session/new', { cwd: LONG, mcpServers: [] }],
    ['session/new', { cwd: bed.workspace, mcpServers: [], _meta: { gatehouse: { agent: LONG } } }],
    ['session/prompt', { sessionId: LONG, prompt: [{ type: LONG }] }],
    ['_gatehouse/explain', { tool: 'read', input: 1, sessionId: LONG }],
    [`_gatehouse/${LONG}`, {}],
  ];
  for (const [method, params] of requests) {
    const { error } = await host.request(method, params);
    const text = JSON.stringify(error) ?? '';
    const name = method.slice(0, 40);
    assert.ok(error !== undefined, name);
    assert.ok(Buffer.byteLength(text) <= MOST, `${name}: ${text.length} ${text.slice(0, 300)}`);
  }
});

test('an error of a call is at most 2 KB, however long its name and arguments are', async (t) => {
  const name = 'x'.repeat(50_000);
  const files = agentcli('echo 1', {
    schema: {
      type: 'object',
      properties: {
        a: {
          enum: Array(10_000)
            .fill(0)
            .map((_, at) => `${at}`),
        },
      },
    },
  });
  const bed = await makeBed(t, { files });
  const calls = [
    { tool: name },
    { tool: 'read', input: { path: name } },
    { tool: 'read', input: { path: 'a', [name]: 1 } },
    { tool: 'glob', input: { pattern: name, path: name } },
    { tool: 'grep', input: { pattern: `(${name}` } },
    { tool: 'edit', input: { path: name, edits: [] } },
    { tool: 'write', input: { path: `/${name}`, content: '' } },
    { tool: 'bash', input: { command: 'true', cwd: name } },
    { tool: 'web_fetch', input: { url: `${name}://a` } },
    { tool: 'shop_x', input: { a: name } },
  ];
  const { results } = await converse(t, bed, { calls });
  assert.equal(results.length, calls.length);
  for (const [at, result] of results.entries()) {
    const { error_text, error } = fields(result);
    const text = String(error_text ?? error);
    const tool = calls[at]?.tool.slice(0, 20);
    assert.ok(
      text !== 'undefined' && Buffer.byteLength(text) <= MOST,
      `${tool}: ${text.length} ${text.slice(0, 300)}`,
    );
  }
  const words = ['--workspace', bed.workspace, '--user-data', bed.data];
  for (const tool of ['x'.repeat(100_000), 'read']) {
    const input = JSON.stringify({ path: 'x'.repeat(100_000), ['y'.repeat(10_000)]: 1 });
    const { stdout, stderr } = await gatehouse(['call', tool, input, ...words], { cwd: bed.root });
    assert.ok(
      Buffer.byteLength(stdout + stderr) <= MOST + 300,
      `${tool.slice(0, 9)} ${stdout.length} ${stderr.length} ${stdout.slice(0, 300)}`,
    );
  }
});
