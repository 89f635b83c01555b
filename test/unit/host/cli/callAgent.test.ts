import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import { run } from '../../../../src/host/cli/commands.ts';
import { type Bed, openBed } from '../../tools/bed.ts';

const AGENT = `---
description: Reads.
tools: [read, glob]
permissions:
  - {permission: read, pattern: '**/secret*', action: deny}
---
You read.
`;

test("a call made as an agent has only the agent's tools", async () => {
  using bed = openBed();
  writeFileSync(path.join(bed.workspace, 'a.txt'), 'hello\n');
  const agent = writeAgent(bed, AGENT);
  const read = await call(bed, ['read', '{"path":"a.txt"}', '--agent', agent]);
  assert.equal(read.exitCode, 0, read.stderr);
  const write = await call(bed, ['write', '{"path":"b","content":""}', '--agent', agent]);
  assert.equal(write.exitCode, 1);
  assert.match(
    write.stdout,
    /"error_text":"unknown tool: write\. The agent \\"reader\\" does not have it\."/,
  );
});

test("an agent's own rules count, and its deny is final (CA-5)", async () => {
  using bed = openBed();
  writeFileSync(path.join(bed.workspace, 'secret.txt'), 'hello\n');
  const agent = writeAgent(bed, AGENT);
  const rules = path.join(bed.root, 'rules.json');
  const allow = [{ permission: 'read', pattern: 'secret.txt', action: 'allow' }];
  writeFileSync(rules, JSON.stringify(allow));
  const words = ['read', '{"path":"secret.txt"}', '--rules', rules];
  assert.equal((await call(bed, words)).exitCode, 0);
  const denied = await call(bed, [...words, '--agent', agent]);
  assert.equal(denied.exitCode, 1);
  assert.match(denied.stdout, /secret/);
});

test('what an agent allows counts once its manifest is accepted, and what it denies at once', async () => {
  using bed = openBed();
  const own = 'permissions:\n  - {permission: write, pattern: a.txt, action: allow}';
  const text = AGENT.replace('permissions:', own).replace('[read, glob]', '[read, write]');
  const agent = writeAgent(bed, text);
  const words = ['write', '{"path":"a.txt","content":"x"}', '--agent', agent];
  const before = await call(bed, words);
  assert.equal(before.exitCode, 1);
  assert.match(
    before.stderr,
    /^.*: its allow rules have no effect until you run: gatehouse accept/,
  );
  await command(bed, 'accept', [agent]);
  const after = await call(bed, words);
  assert.deepEqual([after.exitCode, after.stderr], [0, '']);
});

test('the agents of the user need no acceptance for their rules', async () => {
  using bed = openBed();
  const own = 'permissions:\n  - {permission: write, pattern: a.txt, action: allow}';
  const text = AGENT.replace('permissions:', own).replace('[read, glob]', '[read, write]');
  const agents = path.join(bed.root, 'config', 'agents');
  mkdirSync(agents, { recursive: true });
  const agent = path.join(agents, 'own.md');
  writeFileSync(agent, text);
  const words = ['write', '{"path":"a.txt","content":"x"}', '--agent', agent];
  const config = { GATEHOUSE_CONFIG: path.join(bed.root, 'config', 'settings.json') };
  const done = await call(bed, words, config);
  assert.deepEqual([done.exitCode, done.stderr], [0, '']);
});

test('accept prints what an agent would be allowed without asking', async () => {
  using bed = openBed();
  const own = 'permissions:\n  - {permission: bash, pattern: npm *, action: allow}';
  const agent = writeAgent(bed, AGENT.replace('permissions:', own));
  const accepted = await command(bed, 'accept', [agent]);
  assert.equal(accepted.exitCode, 0, accepted.stderr);
  assert.match(accepted.stdout, /^ {2}allow bash\(npm \*\)$/m);
  assert.doesNotMatch(accepted.stdout, /secret/);
});

test('the roots of an agent are open while its manifest is accepted and unchanged', async () => {
  using bed = openBed();
  writeFileSync(path.join(bed.outside, 'far.txt'), 'far\n');
  const text = AGENT.replace('tools:', `roots: [${JSON.stringify(bed.outside)}]\ntools:`);
  const agent = writeAgent(bed, text);
  const input = JSON.stringify({ path: path.join(bed.outside, 'far.txt') });
  const words = ['read', input, '--agent', agent];

  const before = await call(bed, words);
  assert.deepEqual([before.exitCode, /no effect until/.test(before.stderr)], [1, true]);
  const accepted = await command(bed, 'accept', [agent]);
  assert.equal(accepted.exitCode, 0, accepted.stderr);
  assert.ok(accepted.stdout.includes(`opens ${bed.outside}`), accepted.stdout);
  const after = await call(bed, words);
  assert.deepEqual([after.exitCode, after.stderr], [0, '']);

  writeFileSync(agent, `${text}And more.\n`);
  assert.equal((await call(bed, words)).exitCode, 1);
  writeFileSync(agent, text);
  await command(bed, 'accept', ['--revoke', agent]);
  assert.equal((await call(bed, words)).exitCode, 1);
});

for (const [name, text, expected] of [
  [
    'an unknown variable',
    AGENT.replace('tools:', "requires: {fs: {read: ['{nope}/x']}}\ntools:"),
    /Unknown variable \{nope\}/,
  ],
  ['an unknown key', AGENT.replace('tools:', 'tolls:'), /must not have the property "tolls"/],
] as const) {
  test(`an agent with ${name} is refused before anything runs, and cannot be accepted`, async () => {
    using bed = openBed();
    const agent = writeAgent(bed, text);
    const called = await call(bed, ['read', '{"path":"a"}', '--agent', agent]);
    assert.deepEqual([called.exitCode, called.stdout], [2, '']);
    assert.match(called.stderr, expected);
    const accepted = await command(bed, 'accept', [agent]);
    assert.deepEqual([accepted.exitCode, accepted.stdout], [1, '']);
    assert.match(accepted.stderr, expected);
  });
}

test('the bundled host reads an agent like the source does', () => {
  using bed = openBed();
  writeFileSync(path.join(bed.workspace, 'a.txt'), 'hello\n');
  const agent = writeAgent(bed, AGENT);
  const main = path.resolve(import.meta.dirname, '../../../../dist/host/main.mjs');
  const words = [
    'call',
    'read',
    '{"path":"a.txt"}',
    '--agent',
    agent,
    '--workspace',
    bed.workspace,
  ];
  const ran = spawnSync(process.execPath, [main, ...words, '--user-data', bed.data], {
    encoding: 'utf8',
  });
  assert.deepEqual([ran.status, ran.stderr], [0, '']);
  assert.match(ran.stdout, /hello/);
});

test('the tool of a manifest can be called once the manifest is accepted, and asks like any other', async () => {
  using bed = openBed();
  const tools = path.join(bed.workspace, 'tools');
  mkdirSync(path.join(tools, 'bin'), { recursive: true });
  const manifest = path.join(bed.workspace, 'tools.json');
  const clock = { name: 'clock', description: 'Tells the time.', command: ['./tools/bin/clock'] };
  writeFileSync(manifest, JSON.stringify({ tools: [clock] }));
  writeFileSync(path.join(tools, 'bin/clock'), '#!/bin/sh\necho noon\n', { mode: 0o755 });
  const id = 'workspace_clock';
  const rules = path.join(bed.root, 'rules.json');
  writeFileSync(rules, JSON.stringify([{ permission: id, pattern: '*', action: 'allow' }]));
  const before = await call(bed, [id, '{}', '--rules', rules]);
  assert.match(before.stdout, /unknown tool: /);
  assert.equal((await command(bed, 'accept', [manifest])).exitCode, 0);
  const denied = await call(bed, [id, '{}']);
  assert.deepEqual([denied.exitCode, /denied/.test(denied.stdout)], [1, true]);
  const called = await call(bed, [id, '{}', '--rules', rules]);
  assert.match(called.stdout, /noon/);
  // The user names the agent for this call, so its rules may be about tools of the workspace.
  const own = `tools: [${id}]\npermissions:\n  - {permission: ${id}, pattern: '*', action: allow}`;
  const agent = path.join(bed.root, 'clock.md');
  writeFileSync(agent, AGENT.replace(/tools:[\s\S]*?action: deny\}/, own));
  await command(bed, 'accept', [agent]);
  assert.match((await call(bed, [id, '{}', '--agent', agent])).stdout, /noon/);
});

test('a missing agent, or one given with a requirement set, is a usage error', async () => {
  using bed = openBed();
  const missing = await call(bed, ['read', '{}', '--agent', 'nope.md']);
  assert.deepEqual([missing.exitCode, missing.stdout], [2, '']);
  assert.match(missing.stderr, /nope\.md: .*no such file/);
  const agent = writeAgent(bed, AGENT);
  writeFileSync(path.join(bed.root, 'caps.json'), '{}');
  const both = await call(bed, ['read', '{}', '--agent', agent, '--capabilities', 'caps.json']);
  assert.match(both.stderr, /not both/);
});

function writeAgent(bed: Bed, text: string): string {
  const folder = path.join(bed.workspace, '.gatehouse', 'agents');
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'reader.md');
  writeFileSync(file, text);
  return file;
}

function call(bed: Bed, words: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return command(bed, 'call', [...words, '--workspace', bed.workspace], env);
}

/** `gatehouse …` in this process, with the bed's data folder. */
async function command(
  bed: Bed,
  name: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const exitCode = await run({
    args: [name, ...words],
    stdin: Readable.from([]),
    stdout,
    stderr,
    env: { ...process.env, GATEHOUSE_DATA: bed.data, ...env },
    cwd: bed.root,
  });
  return { exitCode, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}
