import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import type { Chunk } from '../../../src/base/stream/chunk.ts';
import type { AskReply } from '../../../src/gate/ask.ts';
import { type Policy, UNREADABLE } from '../../../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../../../src/permissions/rules/policyCompiler.ts';
import type { Rule } from '../../../src/permissions/rules/rule.ts';
import type { CallContext } from '../../../src/tools/call.ts';
import { callTool } from '../../../src/tools/callTool.ts';
import { createRegistry } from '../../../src/tools/registry.ts';
import { type Bench, bench, place, ROOT, runtime } from './running.ts';

after(() => rmSync(ROOT, { recursive: true, force: true, maxRetries: 5 }));

const ALLOW: Rule = { permission: '*', pattern: '*', action: 'allow', source: 'session' };

/** Calls a declared tool through the one door. */
async function call(
  { loaded, folder }: Bench,
  tool: string,
  {
    rules = [] as readonly Rule[],
    headless = false,
    reply = 'allow' as AskReply['outcome'],
    input = {} as unknown,
    capabilities = {} as Partial<Policy>,
  },
) {
  const asked: string[] = [];
  const chunks: Chunk[] = [];
  const context: CallContext = {
    sessionId: 's',
    compiler: createPolicyCompiler(),
    registry: createRegistry(loaded.tools.map((each) => each.tool)),
    policy: () => ({
      rules,
      folders: { workspace: [folder], adHoc: [], cwd: folder },
      shell: 'bash',
      platform: 'linux',
      headless,
      readGit: UNREADABLE,
      ...capabilities,
    }),
    runtime: (_, signal) =>
      runtime(folder, {
        signal,
        limits: { toolTimeoutMs: 300_000 } as never,
        sidecars: { write: async () => ({ ok: true, data: '/side/car' }) },
      }),
    ...(!headless && {
      ask: async (request) => {
        asked.push(request.decision.reason);
        return { outcome: reply };
      },
    }),
  };
  const request = { toolCallId: 'c', tool, input };
  const envelope = await callTool(
    request,
    context,
    (chunk) => void chunks.push(chunk),
    new AbortController().signal,
  );
  return { envelope, asked, chunks };
}

const manifest = JSON.stringify({ tools: [{ name: 'x', command: ['./tools/bin/x'] }] });
const files = { 'tools.json': manifest, 'tools/bin/x': '#!/bin/sh\ntouch ran\necho \'{"a":1}\'\n' };

test('without a rule a declared tool asks, and a rejection starts no process', async () => {
  const asking = await bench(files);
  const { envelope, asked } = await call(asking, 'workspace_x', { reply: 'reject' });
  assert.deepEqual([envelope.type, asked.length], ['error', 1]);
  assert.equal(existsSync(path.join(asking.folder, 'ran')), false);
});

test('a rule on its id lets it run, and the envelope is the common one', async () => {
  const { envelope, asked } = await call(await bench(files), 'workspace_x', {
    rules: [{ ...ALLOW, permission: 'workspace_x' }],
  });
  assert.deepEqual(asked, []);
  assert.ok(envelope.type === 'output');
  assert.deepEqual(envelope.data, { a: 1 });
});

test('headless it is denied', async () => {
  const { envelope } = await call(await bench(files), 'workspace_x', { headless: true });
  assert.equal(envelope.type, 'error');
});

test('where no program may run it is refused, whatever the rules', async () => {
  const capabilities = { capabilities: { fs: { read: ['/**'] } } };
  const { envelope, asked } = await call(await bench(files), 'workspace_x', {
    rules: [ALLOW],
    capabilities,
  });
  assert.deepEqual([envelope.type, asked], ['error', []]);
});

test('MA-075 arguments that do not fit are a tool error, and no process', async () => {
  const tools = [
    { name: 'x', command: ['./tools/bin/x'], schema: { type: 'object', required: ['a'] } },
  ];
  const strict = await bench({ ...files, 'tools.json': JSON.stringify({ tools }) });
  const { envelope } = await call(strict, 'workspace_x', { rules: [ALLOW] });
  assert.match(
    envelope.type === 'error' ? envelope.error_text : '',
    /must have required property 'a'/,
  );
  assert.equal(existsSync(path.join(strict.folder, 'ran')), false);
});

test('MA-061 what a flood printed goes to a sidecar', async () => {
  const flood = await bench({ ...files, 'tools/bin/x': '#!/bin/sh\nyes 0123456789\n' });
  const { envelope } = await call(flood, 'workspace_x', { rules: [ALLOW] });
  assert.equal(envelope.type, 'error');
  assert.deepEqual(
    [envelope.metadata.truncated, envelope.metadata.output_path],
    [true, '/side/car'],
  );
});

function confirmed(confirmExternalActions = true) {
  const folder = place({ x: '#!/bin/sh\necho 1\n' });
  const entry = {
    id: 'a.b',
    description: 'd',
    transport: { kind: 'exec', command: path.join(folder, 'x') },
    input_schema: {},
    result_schema: {},
    requires_confirmation: true,
  };
  const text = JSON.stringify({ version: 1, tools: [entry] });
  return bench(
    { 'tools.json': text, 'policy.caps': '[capabilities]\nexec = true\n' },
    { confirmExternalActions },
  );
}

test('MA-095 a confirmation is asked even when a rule allows the call', async () => {
  const { asked } = await call(await confirmed(), 'workspace_a_b', { rules: [ALLOW] });
  assert.deepEqual(asked, ['workspace_a_b requires confirmation of every call.']);
});

test('MA-096 headless a confirmation is a denial, even where prompts are off', async () => {
  for (const prompts of [true, false]) {
    const { envelope } = await call(await confirmed(prompts), 'workspace_a_b', {
      rules: [ALLOW],
      headless: true,
    });
    assert.equal(envelope.type, 'error');
  }
});

test('VD-24 with confirmations off a rule is enough', async () => {
  const { envelope, asked } = await call(await confirmed(false), 'workspace_a_b', {
    rules: [ALLOW],
  });
  assert.deepEqual([envelope.type, asked], ['output', []]);
});

test('MA-093 an attachment without its grant is not there for the model', async () => {
  const entry = {
    id: 'a.b',
    description: 'd',
    transport: { kind: 'exec', command: '/bin/true' },
    input_schema: {},
    result_schema: {},
    capabilities: ['net:api.mail.example'],
  };
  const text = JSON.stringify({ version: 1, tools: [entry] });
  const hidden = await bench({
    'tools.json': text,
    'policy.caps': '[capabilities]\nexec = true\n',
  });
  const { envelope } = await call(hidden, 'workspace_a_b', { rules: [ALLOW] });
  assert.match(envelope.type === 'error' ? envelope.error_text : '', /workspace_a_b/);
  assert.match(hidden.loaded.notOffered[0]?.why ?? '', /reason=cap_missing/);
});

test('VA-25 a name that nobody has is an error that names it', async () => {
  const { envelope } = await call(await bench(files), 'nope', { rules: [ALLOW] });
  assert.equal(envelope.type === 'error' && envelope.error_text, 'unknown tool: nope');
});

test('the request names the tool with its arguments', async () => {
  const tool = (await bench(files)).tool('workspace_x');
  assert.equal(tool.title?.({}), 'workspace_x');
  assert.equal(tool.title?.({ path: 'a b' }), 'workspace_x {"path":"a b"}');
  assert.ok((tool.title?.({ text: 'x'.repeat(5000) }) ?? '').length < 200);
});
