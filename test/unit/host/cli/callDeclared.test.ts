import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporary } from '../harness.ts';

/** The built command. */
const MAIN = path.join(import.meta.dirname, '../../../../dist/host/main.mjs');
const ALLOW = '[{"permission": "*", "pattern": "*", "action": "allow"}]';

const ECHO = { name: 'echo', command: ['./tools/bin/echo'] };
const AGENTCLI = {
  'tools.json': JSON.stringify({ tools: [ECHO] }),
  'tools/bin/echo': '#!/bin/sh\ncat\n',
};
const DIALECTS = {
  agentcli: AGENTCLI,
  runloop: {
    'tools.json': JSON.stringify({
      version: 1,
      tools: [
        {
          ...{ id: 'echo', description: 'd', input_schema: {}, result_schema: {} },
          transport: { kind: 'exec', command: '/bin/cat' },
        },
      ],
    }),
    'policy.caps': '[capabilities]\nexec = true\n',
  },
  compozy: {
    'tools/echo.yaml': 'resource: tool\nid: echo\n',
    'compozy.yaml': 'autoload:\n  enabled: true\n  include: ["tools/*.yaml"]\n',
    'tools.ts': 'export const echo = (input: unknown) => input;\n',
  },
} as const;

for (const [dialect, files] of Object.entries(DIALECTS)) {
  test(`gatehouse call runs an accepted ${dialect} tool, by the rules, and no other`, async (t) => {
    const shop = await place(t, files);
    const words = ['call', 'workspace_echo', '{"a":[1]}', '--workspace', shop.folder];
    const before = shop.run([...words, '--rules', ALLOW]);
    assert.deepEqual([before.status, before.envelope.type], [1, 'error']);
    assert.equal(shop.run(['accept', shop.folder]).status, 0);
    const called = shop.run([...words, '--rules', ALLOW]);
    assert.deepEqual([called.status, called.envelope.data], [0, { a: [1] }], called.stderr);
    // Without a rule it asks, and there is nobody to ask.
    assert.match(shop.run(words).envelope.error_text ?? '', /No user is available/);
  });
}

test('A-19: gatehouse call gives an agentcli tool the arguments exactly as written', async (t) => {
  const shop = await place(t, AGENTCLI);
  shop.run(['accept', shop.folder]);
  const written = '{ "b": 12345678901234567890, "a":1e400, "c": 0.10, "9": 1, "1": 2 }';
  const words = ['--workspace', shop.folder, '--rules', ALLOW];
  const given = shop.run(['call', 'workspace_echo', written, ...words]);
  assert.equal(given.envelope.data, written, given.stderr);
  const piped = shop.run(['call', 'workspace_echo', '-', ...words], `\ufeff${written}`);
  assert.equal(piped.envelope.data, written, piped.stderr);
});

test('gatehouse call refuses arguments that name a field twice, and starts nothing', async (t) => {
  const shop = await place(t, AGENTCLI);
  shop.run(['accept', shop.folder]);
  const words = ['--workspace', shop.folder, '--rules', ALLOW];
  const twice = shop.run(['call', 'workspace_echo', '{"o":{"a":1,"\\u0061":2}}', ...words]);
  assert.equal(twice.status, 1);
  assert.match(twice.envelope.error_text ?? '', /The name "a" is given twice in one object\./);
  const locked = shop.run(['call', 'read', '{"path":"a","path":"b"}', ...words]);
  assert.match(locked.envelope.error_text ?? '', /The name "path" is given twice/);
});

test("gatehouse call honours the user's settings of declared tools", async (t) => {
  const shop = await place(t, { ...AGENTCLI, 'tools/bin/echo': '#!/bin/sh\nsleep 8675\n' });
  shop.run(['accept', shop.folder]);
  const words = ['call', 'workspace_echo', '--workspace', shop.folder, '--rules', ALLOW];
  shop.set({ 'gatehouse.tools.timeout': 1 });
  assert.equal(shop.run(words).envelope.error_text, 'tool timed out');
  shop.set({ 'gatehouse.tools.disabled': ['workspace_echo'] });
  assert.match(shop.run(words).envelope.error_text ?? '', /unknown tool: workspace_echo/);
});

test("gatehouse call gives schemas the user's limits.schemaMs", async (t) => {
  const part = { anyOf: [{ type: 'string', minLength: 1 }, { not: { type: 'number' } }] };
  const properties = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`p${at}`, part]));
  const tools = [{ ...ECHO, schema: { type: 'object', properties } }];
  const shop = await place(t, { ...AGENTCLI, 'tools.json': JSON.stringify({ tools }) });
  shop.run(['accept', shop.folder]);
  const words = ['call', 'workspace_echo', '{}', '--workspace', shop.folder, '--rules', ALLOW];
  shop.set({ 'gatehouse.limits.schemaMs': 10 });
  assert.match(shop.run(words).envelope.error_text ?? '', /takes longer than 10 ms/);
  shop.set({ 'gatehouse.limits.schemaMs': 60_000 });
  const { envelope } = shop.run(words);
  assert.deepEqual(envelope.data, {}, envelope.error_text);
});

test('a tool that is disabled by its former id stays disabled, until that id is removed', async (t) => {
  const shop = await place(t, AGENTCLI);
  shop.run(['accept', shop.folder]);
  const words = ['call', 'workspace_echo', '{}', '--workspace', shop.folder, '--rules', ALLOW];
  shop.set({ 'gatehouse.tools.disabled': ['shop_echo'] });
  const { status, envelope } = shop.run(words);
  assert.deepEqual([status, envelope.type], [1, 'error']);
  assert.match(envelope.error_text ?? '', /workspace_echo/);
  shop.set({ 'gatehouse.tools.disabled': [] });
  assert.deepEqual(shop.run(words).envelope.data, {});
});

interface Ended {
  readonly status: number | null;
  readonly stderr: string;
  readonly envelope: {
    readonly type?: string;
    readonly data?: unknown;
    readonly error_text?: string;
  };
}

/** A folder `shop` with these files, and the command with a data folder of its own. */
async function place(t: TestContext, files: Readonly<Record<string, string>>) {
  const root = await temporary(t);
  const folder = path.join(root, 'shop');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text, { mode: 0o755 });
  }
  const config = path.join(root, 'settings.json');
  const env = {
    ...{ PATH: process.env['PATH'], HOME: root },
    ...{ GATEHOUSE_DATA: path.join(root, 'data'), GATEHOUSE_CONFIG: config },
  };
  const set = (settings: object) => writeFileSync(config, JSON.stringify(settings));
  const run = (args: readonly string[], input = ''): Ended => {
    const options = { cwd: folder, env, input, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], options);
    const envelope = stdout.startsWith('{') ? JSON.parse(stdout) : {};
    return { status, stderr, envelope };
  };
  return { folder, run, set };
}
