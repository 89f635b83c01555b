import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Envelope } from '../../../src/base/stream/envelope.ts';
import { DEFAULT_RULES } from '../../../src/permissions/defaults/defaults.ts';
import { parseRules } from '../../../src/permissions/rules/parseRules.ts';
import { sweepSidecars } from '../../../src/runtime/sidecars.ts';
import { DEAD } from '../base/disk/deadMark.ts';
import { ALLOW_ALL, gatehouseCall, openBed } from './bed.ts';
import { openNetBed } from './netBed.ts';
import { dataOf, errorOf, fakeTool, openSession } from './session.ts';

const BASH_ALL = [{ permission: 'bash', pattern: '*', action: 'allow' }];

for (const [count, cut] of [
  [1000, false],
  [1001, true],
] as const) {
  test(`VC-41 glob of ${count} files is ${cut ? 'cut' : 'whole'}`, async () => {
    using bed = openBed();
    for (let n = 0; n < count; n += 1) writeFileSync(path.join(bed.workspace, `f${n}.txt`), '');
    await using session = openSession(bed, { rules: ALLOW_ALL });
    const envelope = await session.call('glob', { pattern: '*.txt' });
    assertCut(envelope, cut, { list: 'entries', entries: 1000, all: 1001 });
  });
}

for (const [count, cut] of [
  [200, false],
  [201, true],
] as const) {
  test(`VC-42 grep with ${count} matches is ${cut ? 'cut' : 'whole'}`, async () => {
    using bed = openBed();
    writeFileSync(path.join(bed.workspace, 'f'), 'match\n'.repeat(count));
    await using session = openSession(bed, { rules: ALLOW_ALL });
    const envelope = await session.call('grep', { pattern: 'match' });
    assertCut(envelope, cut, { list: 'matches', entries: 200, all: 201 });
  });
}

function assertCut(
  envelope: Envelope,
  cut: boolean,
  expected: { readonly list: string; readonly entries: number; readonly all: number },
): void {
  const data = dataOf(envelope);
  const { truncated, output_path: file } = envelope.metadata;
  if (!cut) {
    assert.equal(truncated, undefined);
    assert.equal(file, undefined);
    assert.equal(Object(data[expected.list]).length, expected.entries);
    return;
  }
  assert.equal(truncated, true);
  assert.equal(String(data['head']).split('\n').length, expected.entries);
  assert.ok(file);
  assert.equal(readFileSync(file, 'utf8').split('\n').length, expected.all);
}

for (const [bytes, cut] of [
  [204_800, false],
  [204_801, true],
] as const) {
  test(`VC-43 bash writing ${bytes} bytes on both streams is ${cut ? 'cut' : 'whole'}`, async () => {
    using bed = openBed();
    await using session = openSession(bed, { rules: ALLOW_ALL });
    const command = `head -c 100000 /dev/zero | tr '\\0' o; head -c ${bytes - 100_000} /dev/zero | tr '\\0' e >&2`;
    const envelope = await session.call('bash', { command });
    const data = dataOf(envelope);
    if (!cut) {
      assert.equal(String(data['output']).length, bytes);
      assert.equal(envelope.metadata.truncated, undefined);
      return;
    }
    assert.equal(Buffer.byteLength(String(data['head'])), 204_800);
    assert.equal(envelope.metadata.truncated, true);
    const whole = readFileSync(envelope.metadata.output_path ?? '', 'utf8');
    assert.equal(whole.length, bytes);
    assert.equal(whole.replaceAll('o', '').length, bytes - 100_000);
  });
}

for (const character of ['é', '€', '😀']) {
  test(`VC-44 a cut within ${character} leaves whole characters`, async () => {
    using bed = openBed();
    for (let shift = 0; shift < 4; shift += 1) {
      await using session = openSession(bed, { rules: ALLOW_ALL, limits: { bashBytes: 101 } });
      writeFileSync(path.join(bed.workspace, 'text'), 'x'.repeat(shift) + character.repeat(60));
      const head = String(dataOf(await session.call('bash', { command: 'cat text' }))['head']);
      assert.ok(Buffer.byteLength(head) <= 101);
      assert.ok(Buffer.byteLength(head) > 101 - 4);
      assert.doesNotMatch(head, /\ufffd/);
    }
  });
}

test('VC-43 output that is no text is cut by what its text takes, and every byte is kept', async () => {
  using bed = openBed();
  const noise = Buffer.alloc(90, 0xff);
  writeFileSync(path.join(bed.workspace, 'noise'), noise);
  for (const bashBytes of [100, 80]) {
    await using session = openSession(bed, { rules: ALLOW_ALL, limits: { bashBytes } });
    const envelope = await session.call('bash', { command: 'cat noise' });
    const head = String(dataOf(envelope)['head']);
    assert.equal(head, '\ufffd'.repeat(Math.floor(bashBytes / 3)));
    assert.deepEqual(readFileSync(envelope.metadata.output_path ?? ''), noise);
  }
});

test('VC-42 grep with much context is cut by bytes as well, and its file has all of it', async () => {
  using bed = openBed();
  const lines = Array.from(
    { length: 9000 },
    (_, at) => `${at % 40 ? 'z' : 'needle'}${'y'.repeat(480)}`,
  );
  writeFileSync(path.join(bed.workspace, 'f'), lines.join('\n'));
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const envelope = await session.call('grep', { pattern: 'needle', context: 20 });
  const head = String(dataOf(envelope)['head']);
  assert.equal(envelope.metadata.truncated, true);
  assert.ok(Buffer.byteLength(head) <= 200 * 1024 && head.length > 100_000);
  const whole = readFileSync(envelope.metadata.output_path ?? '', 'utf8');
  assert.ok(whole.startsWith(head) && whole.length > 2_000_000);
});

test('VC-45 a sidecar is readable in its session, and refused in another', async () => {
  using bed = openBed();
  const rules = [...BASH_ALL];
  await using session = openSession(bed, { rules, limits: { bashBytes: 10 } });
  await using other = openSession(bed, { rules: ALLOW_ALL });
  const envelope = await session.call('bash', { command: 'seq 100' });
  const file = envelope.metadata.output_path ?? '';
  const { content } = dataOf(await session.call('read', { path: file }));
  assert.match(String(content), /\t100$/);
  assert.match(errorOf(await other.call('read', { path: file })), /own state/);
  assert.equal(statSync(path.dirname(file)).mode & 0o777, 0o700);
});

test('VC-45 the shipped rules let a session read its own sidecar, and a rule of the user still denies', async () => {
  using bed = openBed();
  const shipped = [...DEFAULT_RULES, ...parseRules(BASH_ALL).rules];
  const limits = { bashBytes: 10 };
  await using session = openSession(bed, { parsed: shipped, limits });
  const { metadata } = await session.call('bash', { command: 'seq 100' });
  const path = metadata.output_path ?? '';
  assert.match(String(dataOf(await session.call('read', { path }))['content']), /\t100$/);
  assert.match(errorOf(await session.call('write', { path, content: '' })), /own state/);
  const deny = [{ permission: 'read', pattern: '**/out/**', action: 'deny' }];
  const parsed = [...shipped, ...parseRules(deny).rules];
  const { sidecars } = session.folders;
  await using strict = openSession(bed, { parsed, limits, ...(sidecars && { sidecars }) });
  assert.match(errorOf(await strict.call('read', { path })), /denies/);
});

test('VC-46 the sidecar is gone when the session is closed', async () => {
  using bed = openBed();
  const session = openSession(bed, { rules: BASH_ALL, limits: { bashBytes: 10 } });
  const envelope = await session.call('bash', { command: 'seq 100' });
  const file = envelope.metadata.output_path ?? '';
  assert.ok(existsSync(file));
  await session.runtime.close();
  assert.ok(!existsSync(file));
  assert.deepEqual(readdirSync(path.join(bed.data, 'state', 'sessions')), []);
  assert.match(errorOf(await session.call('read', { path: file })), /does not exist/);
});

test('a sidecar of a host that was killed is gone at the next start, one that is used is not', async () => {
  using bed = openBed();
  const state = path.join(bed.data, 'state');
  await using session = openSession(bed, { rules: BASH_ALL, limits: { bashBytes: 10 } });
  const used = (await session.call('bash', { command: 'seq 100' })).metadata.output_path ?? '';
  const left = path.join(state, 'sessions', 'ses_killed', 'out');
  mkdirSync(left, { recursive: true });
  writeFileSync(path.join(left, `call-1a2b3c4d-${DEAD}.txt`), 'left');
  await sweepSidecars(state);
  assert.ok(existsSync(used));
  assert.deepEqual(readdirSync(path.join(state, 'sessions')), [
    path.basename(path.dirname(path.dirname(used))),
  ]);
});

test('VC-47 a page of 5 MB with 10 KB of text is whole', async () => {
  using bed = openBed();
  const page = `<html><head><script>${'x'.repeat(5_000_000)}</script></head><body><p>${'word '.repeat(2000)}</p></body></html>`;
  await using net = await openNetBed({
    answer: (_request, response) => response.setHeader('content-type', 'text/html').end(page),
  });
  const url = 'http://docs.example/';
  const called = await gatehouseCall(
    bed,
    'web_fetch',
    { url },
    { rules: ALLOW_ALL, net: net.hooks },
  );
  assert.equal(called.envelope.metadata.truncated, undefined);
  assert.match(String(dataOf(called.envelope)['content']), /^(word ?){2000}$/);
});

test('VC-48 10 MB from a tool of an MCP server are cut by the runtime', async () => {
  using bed = openBed();
  const text = 'y'.repeat(10 * 1024 * 1024);
  const tool = fakeTool({
    id: 'server_dump',
    execute: async () => ({ ok: true, data: { content: [{ type: 'text', text }] } }),
  });
  await using session = openSession(bed, { rules: ALLOW_ALL, extra: [tool] });
  const envelope = await session.call('server_dump', {});
  assert.equal(Buffer.byteLength(String(dataOf(envelope)['head'])), 204_800);
  assert.equal(envelope.metadata.truncated, true);
  assert.ok(readFileSync(envelope.metadata.output_path ?? '', 'utf8').includes(text));
});

test('VC-49 a sidecar that cannot be written is said, and the head is there', async () => {
  using bed = openBed();
  const blocked = path.join(bed.root, 'blocked');
  writeFileSync(blocked, 'a file where the folder should be');
  await using session = openSession(bed, {
    rules: ALLOW_ALL,
    limits: { bashBytes: 10 },
    sidecars: path.join(blocked, 'out'),
  });
  const envelope = await session.call('bash', { command: 'seq 100' });
  assert.equal(envelope.metadata.truncated, true);
  assert.equal(envelope.metadata.output_path, undefined);
  assert.match(String(dataOf(envelope)['note']), /output was lost/);
  assert.equal(dataOf(envelope)['head'], '1\n2\n3\n4\n5\n');
});

test('VC-50 a tool with a limit of ten has the same shape', async () => {
  using bed = openBed();
  const tool = fakeTool({
    id: 'rows',
    output: () => ({ list: { key: 'rows', entries: 10 } }),
    execute: async () => ({
      ok: true,
      data: { rows: Array.from({ length: 11 }, (_, n) => `r${n}`) },
    }),
  });
  await using session = openSession(bed, { rules: ALLOW_ALL, extra: [tool] });
  const envelope = await session.call('rows', {});
  assertCut(envelope, true, { list: 'rows', entries: 10, all: 11 });
});
