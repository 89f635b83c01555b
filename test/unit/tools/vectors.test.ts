import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import type { Envelope } from '../../../src/base/envelope.ts';
import { UnknownVariableError } from '../../../src/permissions/places.ts';
import { compileRequirements, uniteRequirements } from '../../../src/permissions/scope.ts';
import type { Tool } from '../../../src/tools/contract.ts';
import { HEADLESS_ANSWER } from '../../../src/tools/question.ts';
import { createRegistry } from '../../../src/tools/registry.ts';
import { ALLOW_ALL, gatehouseCall, openBed } from './bed.ts';
import { listen, openNetBed } from './netBed.ts';
import { dataOf, errorOf, fakeTool, openSession } from './session.ts';

const WORKSPACE = { fs: { read: ['{workspace}/**'], write: ['{workspace}/**'] } };
const READ_ALL = [{ permission: 'read', pattern: '*', action: 'allow' }];
const BASH_ALL = [{ permission: 'bash', pattern: '*', action: 'allow' }];

test('VC-1 a schema failure names the field; nothing runs and no watchdog is asked', async () => {
  using bed = openBed();
  let asked = 0;
  const watchdog = async () => {
    asked += 1;
    return { verdict: 'allow' } as const;
  };
  await using session = openSession(bed, { rules: ALLOW_ALL, watchdog });
  const error = errorOf(await session.call('read', { path: 5 }));
  assert.match(error, /path must be string/);
  assert.equal(asked, 0);
  assert.deepEqual(
    session.chunks.map(({ type }) => type),
    ['tool-output-error'],
  );
});

for (const field of ['id', 'description', 'parameters', 'requires']) {
  test(`VC-2 a tool without ${field} is refused, and the field is named`, () => {
    const { [field]: _left, ...tool } = { ...fakeTool({ id: 'x' }) } as Record<string, unknown>;
    const registered = createRegistry().register(tool);
    assert.ok(!registered.ok);
    assert.match(registered.error, new RegExp(`"${field}"`));
  });
}

test('VC-3 a throw is an error, and the next call runs', async () => {
  using bed = openBed();
  const tool = fakeTool({
    id: 'broken',
    execute: () => {
      throw new Error('boom');
    },
  });
  await using session = openSession(bed, { rules: ALLOW_ALL, extra: [tool] });
  assert.match(errorOf(await session.call('broken', {})), /boom/);
  assert.deepEqual(dataOf(await session.call('todo', { items: [] })), { count: 0 });
});

test('VC-4 an envelope holds exactly one of data and error_text, and whole milliseconds', async () => {
  using bed = openBed();
  writeFileSync(path.join(bed.workspace, 'a'), 'text');
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const envelopes = [
    await session.call('read', { path: 'a' }),
    await session.call('read', { path: 'missing' }),
    await session.call('read', {}),
    await session.call('nothing', {}),
  ];
  for (const envelope of envelopes) {
    assert.equal('data' in envelope, !('error_text' in envelope));
    assert.ok(Number.isInteger(envelope.metadata.duration_ms));
    assert.ok(envelope.metadata.duration_ms >= 0);
    const keys = Object.keys(envelope);
    assert.deepEqual(keys, [
      'type',
      envelope.type === 'output' ? 'data' : 'error_text',
      'metadata',
    ]);
  }
});

test('VC-5 a locked id cannot be taken, built or not', () => {
  for (const id of ['bash', 'task', 'skill', 'tool_search']) {
    const registered = createRegistry().register(fakeTool({ id }));
    assert.deepEqual(registered, { ok: false, error: `The id "${id}" is locked; choose another.` });
  }
});

for (const value of [undefined, null, 'text', { data: 1 }, { ok: 'yes' }, { ok: false }]) {
  test(`VC-7 ${JSON.stringify(value)} from a tool is never passed raw`, async () => {
    using bed = openBed();
    const execute = async () => value as never;
    const tool = fakeTool({ id: 'odd', execute });
    await using session = openSession(bed, { rules: ALLOW_ALL, extra: [tool] });
    assert.match(errorOf(await session.call('odd', {})), /gave no result/);
  });
}

test('VC-8 what a tool adds is readable, what nobody named is not', async () => {
  using bed = openBed();
  for (const folder of ['docs', 'src']) {
    mkdirSync(path.join(bed.workspace, folder));
    writeFileSync(path.join(bed.workspace, folder, 'a'), folder);
  }
  writeFileSync(path.join(bed.workspace, 'x'), 'x');
  const capabilities = uniteRequirements(
    { fs: { read: ['{workspace}/docs/**'] } },
    { fs: { read: ['{workspace}/src/**'] } },
  );
  await using session = openSession(bed, { rules: READ_ALL, capabilities });
  for (const folder of ['docs', 'src']) {
    const { content } = dataOf(await session.call('read', { path: `${folder}/a` }));
    assert.equal(content, `     1\t${folder}`);
  }
  assert.match(errorOf(await session.call('read', { path: 'x' })), /Outside what this agent may/);
});

test('VC-9 an unknown variable throws when the set is compiled, and is named', () => {
  const places = { workspace: ['/w'], adHoc: [], cwd: '/w' };
  assert.throws(
    () => compileRequirements({ fs: { read: ['{workspce}/**'] } }, places),
    (fault) => fault instanceof UnknownVariableError && fault.variable === 'workspce',
  );
});

test('VC-10 without a folder nothing is read, and the process folder is no fall-back', async () => {
  using bed = openBed();
  const { envelope } = await gatehouseCall(
    bed,
    'read',
    { path: 'package.json' },
    {
      workspace: [],
      rules: READ_ALL,
      capabilities: WORKSPACE,
    },
  );
  assert.match(errorOf(envelope), /Outside what this agent may use/);
});

for (const written of [
  '../../etc/passwd',
  'link',
  '%2e%2e/secret',
  'a/../../outside/secret',
  'x\0y',
]) {
  test(`VC-11 ${JSON.stringify(written)} is not read`, async () => {
    using bed = openBed();
    writeFileSync(path.join(bed.outside, 'secret'), 'outside-secret');
    symlinkSync(path.join(bed.outside, 'secret'), path.join(bed.workspace, 'link'));
    const { envelope } = await gatehouseCall(
      bed,
      'read',
      { path: written },
      {
        rules: READ_ALL,
        capabilities: WORKSPACE,
      },
    );
    assert.doesNotMatch(errorOf(envelope), /outside-secret/);
  });
}

test('VC-12 a file in each of two roots is readable through {workspace}', async () => {
  using bed = openBed();
  writeFileSync(path.join(bed.workspace, 'a'), 'one');
  writeFileSync(path.join(bed.outside, 'b'), 'two');
  for (const file of [path.join(bed.workspace, 'a'), path.join(bed.outside, 'b')]) {
    const { exitCode } = await gatehouseCall(
      bed,
      'read',
      { path: file },
      {
        workspace: [bed.workspace, bed.outside],
        rules: READ_ALL,
        capabilities: WORKSPACE,
      },
    );
    assert.equal(exitCode, 0);
  }
});

check(
  'VC-13',
  { cmd: 'true', args: ['status'] },
  'true status',
  'true status -s',
  'true push',
  '/bin/true status',
);
check(
  'VC-14',
  { cmd: 'true', args: ['run', { wildcard: true }] },
  'true run build',
  'true run',
  'true run a b',
);
check(
  'VC-15',
  { cmd: 'true', args: [{ prefix: 'scripts/' }] },
  'true scripts/a.js',
  'true ./scripts/a.js',
);

/** `true` stands for the programs of the vectors, so that an allowed line can really run. */
function check(id: string, requirement: object, allowed: string, ...refused: string[]) {
  test(`${id} ${JSON.stringify(requirement)} grants "${allowed}" alone`, async () => {
    using bed = openBed();
    const options = { rules: BASH_ALL, capabilities: { shell: [requirement] } };
    const ran = await gatehouseCall(bed, 'bash', { command: allowed }, options);
    assert.equal(dataOf(ran.envelope)['exit_code'], 0);
    for (const command of refused) {
      const { envelope } = await gatehouseCall(bed, 'bash', { command }, options);
      assert.match(errorOf(envelope), /Outside what this agent may use/, command);
    }
  });
}

test('VC-16 a named host is compared whole and without case, on every hop', async () => {
  using bed = openBed();
  await using net = await openNetBed({
    answer: (request, response) => {
      if (request.url !== '/go') return void response.end('reached');
      response.writeHead(302, { location: 'http://evil.io/' }).end();
    },
  });
  const options = {
    rules: ALLOW_ALL,
    capabilities: { net: { hosts: ['api.example.com'] } },
    net: net.hooks,
  };
  const fetch = (url: string) => gatehouseCall(bed, 'web_fetch', { url }, options);
  const { envelope } = await fetch('http://API.EXAMPLE.COM/');
  assert.match(String(dataOf(envelope)['content']), /reached/);
  const refused = [
    'http://api.example.com.evil.io/',
    'http://evil.io/?api.example.com',
    'http://api.example.com/go',
  ];
  for (const url of refused) {
    const called = await fetch(url);
    assert.match(errorOf(called.envelope), /Outside what this agent may use/, url);
  }
  assert.deepEqual(net.requests, ['api.example.com /', 'api.example.com /go']);
});

test('VC-17 what capabilities refuse never reaches the watchdog', async () => {
  using bed = openBed();
  let asked = 0;
  await using session = openSession(bed, {
    rules: READ_ALL,
    capabilities: WORKSPACE,
    watchdog: async () => {
      asked += 1;
      return { verdict: 'allow' };
    },
  });
  errorOf(await session.call('read', { path: '/etc/passwd' }));
  assert.equal(asked, 0);
});

test('VC-18 the reason of the watchdog reaches the model', async () => {
  using bed = openBed();
  writeFileSync(path.join(bed.workspace, 'a'), 'text');
  await using session = openSession(bed, {
    rules: READ_ALL,
    watchdog: async () => ({ verdict: 'deny', reason: 'not on a Friday' }),
  });
  assert.match(errorOf(await session.call('read', { path: 'a' })), /not on a Friday/);
});

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

test('VC-45 a sidecar is readable in its session, and refused in another', async () => {
  using bed = openBed();
  const rules = [...BASH_ALL];
  await using session = openSession(bed, { rules, limits: { bashBytes: 10 } });
  await using other = openSession(bed, { rules: ALLOW_ALL });
  const envelope = await session.call('bash', { command: 'seq 100' });
  const file = envelope.metadata.output_path ?? '';
  const { content } = dataOf(await session.call('read', { path: file }));
  assert.match(String(content), /\t100$/);
  assert.match(errorOf(await other.call('read', { path: file })), /out of reach/);
  assert.equal(statSync(path.dirname(file)).mode & 0o777, 0o700);
});

test('VC-46 the sidecar is gone when the session is closed', async () => {
  using bed = openBed();
  const session = openSession(bed, { rules: BASH_ALL, limits: { bashBytes: 10 } });
  const envelope = await session.call('bash', { command: 'seq 100' });
  const file = envelope.metadata.output_path ?? '';
  assert.ok(existsSync(file));
  await session.runtime.close();
  assert.ok(!existsSync(file));
  assert.match(errorOf(await session.call('read', { path: file })), /does not exist/);
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
  assert.match(String(dataOf(envelope)['note']), /was not kept/);
  assert.equal(dataOf(envelope)['head'], '1\n2\n3\n4\n5\n');
});

test('VC-50 a tool with a limit of ten has the same shape', async () => {
  using bed = openBed();
  const tool = fakeTool({
    id: 'rows',
    output: { list: { key: 'rows', entries: 10 } },
    execute: async () => ({
      ok: true,
      data: { rows: Array.from({ length: 11 }, (_, n) => `r${n}`) },
    }),
  });
  await using session = openSession(bed, { rules: ALLOW_ALL, extra: [tool] });
  const envelope = await session.call('rows', {});
  assertCut(envelope, true, { list: 'rows', entries: 10, all: 11 });
});

test('VC-51 every headless host answers a question with the same words', async () => {
  using bed = openBed();
  const input = { questions: [{ question: 'Which?' }] };
  await using session = openSession(bed);
  const first = errorOf((await gatehouseCall(bed, 'question', input)).envelope);
  const second = errorOf(await session.call('question', input));
  assert.equal(first, second);
  assert.equal(first, HEADLESS_ANSWER);
});

test('VC-52 each question has its answers, in order', async () => {
  using bed = openBed();
  await using session = openSession(bed, {
    ask: async () => ({ outcome: 'cancelled' }),
    services: { askQuestions: async () => ({ ok: true, data: [['a'], ['b', 'c']] }) },
  });
  const options = [{ label: 'b' }, { label: 'c' }];
  const questions = [{ question: 'One?' }, { question: 'Two?', options, multi_select: true }];
  assert.deepEqual(dataOf(await session.call('question', { questions })), {
    answers: [['a'], ['b', 'c']],
  });
});

test('VC-53 no question is a schema error', async () => {
  using bed = openBed();
  await using session = openSession(bed);
  assert.match(
    errorOf(await session.call('question', { questions: [] })),
    /questions must NOT have fewer/,
  );
});

test('VC-54 an abort ends a waiting question, and the surface is told by the same signal', async () => {
  using bed = openBed();
  const abort = new AbortController();
  let told = false;
  await using session = openSession(bed, {
    services: {
      askQuestions: (_questions, signal) => {
        signal.addEventListener('abort', () => {
          told = true;
        });
        queueMicrotask(() => abort.abort());
        return new Promise(() => undefined);
      },
    },
  });
  const input = { questions: [{ question: 'Which?' }] };
  assert.match(errorOf(await session.call('question', input, abort.signal)), /cancelled/);
  assert.ok(told);
});

test('VC-67 the 26th search of a session says that the quota is used up', async () => {
  using bed = openBed();
  const server = createServer((_request, response) => response.end('{"results":[]}'));
  await using session = openSession(bed, { rules: ALLOW_ALL, services: await searching(server) });
  for (let n = 0; n < 25; n += 1) dataOf(await session.call('web_search', { query: 'x' }));
  assert.match(errorOf(await session.call('web_search', { query: 'x' })), /quota of 25/);
  server.close();
});

test('VC-68 a provider that hangs is an error at the time limit', async () => {
  using bed = openBed();
  const server = createServer(() => undefined);
  await using session = openSession(bed, {
    rules: ALLOW_ALL,
    limits: { webSearchTimeoutMs: 300 },
    services: await searching(server),
  });
  const started = performance.now();
  assert.match(errorOf(await session.call('web_search', { query: 'x' })), /within 300 ms/);
  assert.ok(performance.now() - started < 3000);
  server.closeAllConnections();
  server.close();
});

test('VC-69 a session keeps its provider, and sessions differ', async () => {
  using bed = openBed();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url?.split('/')[1] ?? '');
    response.end('{"results":[]}');
  });
  const port = await listen(server);
  const providers = ['one', 'two'].map((name) => ({
    id: 'searxng' as const,
    baseUrl: `http://127.0.0.1:${port}/${name}`,
  }));
  const used = new Set<string>();
  for (let n = 0; n < 12; n += 1) {
    await using session = openSession(bed, {
      id: `session-${n}`,
      rules: ALLOW_ALL,
      services: { searchProviders: async () => providers },
    });
    asked.length = 0;
    for (let call = 0; call < 2; call += 1)
      dataOf(await session.call('web_search', { query: 'x' }));
    assert.equal(new Set(asked).size, 1);
    used.add(asked[0] ?? '');
  }
  assert.deepEqual([...used].sort(), ['one', 'two']);
  server.close();
});

async function searching(server: Server) {
  const baseUrl = `http://127.0.0.1:${await listen(server)}`;
  return { searchProviders: async () => [{ id: 'searxng' as const, baseUrl }] };
}

/** The rows of the tools that are built; `task`, `skill` and `tool_search` follow with theirs. */
const KINDS: Readonly<Record<string, Tool['kind']>> = {
  read: 'read',
  write: 'edit',
  edit: 'edit',
  glob: 'search',
  grep: 'search',
  bash: 'execute',
  todo: 'other',
  question: 'other',
  web_search: 'fetch',
  web_fetch: 'fetch',
};

for (const [id, kind] of Object.entries(KINDS)) {
  test(`VC-80 ${id} is of kind ${kind}`, () => {
    assert.equal(createRegistry().get(id)?.kind, kind);
  });
}
