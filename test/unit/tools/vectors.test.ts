import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { UnknownVariableError } from '../../../src/permissions/patterns/roots.ts';
import { compileRequirements, uniteRequirements } from '../../../src/permissions/rules/scope.ts';
import { lockedTools } from '../../../src/tools/locked/lockedTools.ts';
import { ALLOW_ALL, gatehouseCall, openBed } from './bed.ts';
import { openNetBed } from './netBed.ts';
import { dataOf, errorOf, fakeTool, openSession } from './session.ts';

const WORKSPACE = { fs: { read: ['{workspace}/**'], write: ['{workspace}/**'] } };
const READ_ALL = [{ permission: 'read', pattern: '*', action: 'allow' }];
const BASH_ALL = [{ permission: 'bash', pattern: '*', action: 'allow' }];

test('VC-1 a schema failure names the field; nothing runs and no watchdog is asked', async () => {
  using bed = openBed();
  let asked = 0;
  const watchdog = async () => {
    asked += 1;
    return { action: 'allow' } as const;
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

test('VC-6 the lock has 13 ids, each with a closed schema', () => {
  const tools = lockedTools([]);
  assert.deepEqual(tools.map(({ id }) => id).toSorted(), [
    ...['bash', 'edit', 'glob', 'grep', 'question', 'read', 'skill', 'task', 'todo'],
    ...['tool_search', 'web_fetch', 'web_search', 'write'],
  ]);
  for (const { id, description, parameters } of tools) {
    assert.equal(Object(parameters).type, 'object', id);
    assert.equal(Object(parameters).additionalProperties, false, id);
    assert.ok(Object.keys(Object(Object(parameters).properties)).length > 0, id);
    assert.ok(description.length > 0, id);
  }
});

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

for (const value of [undefined, null, 'text', { data: 1 }, { ok: 'yes' }, { ok: false }]) {
  test(`VC-7 ${JSON.stringify(value)} from a tool is never passed raw`, async () => {
    using bed = openBed();
    const execute = async () => value as never;
    const tool = fakeTool({ id: 'odd', execute });
    await using session = openSession(bed, { rules: ALLOW_ALL, extra: [tool] });
    assert.match(errorOf(await session.call('odd', {})), /returned no result/);
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
  assert.match(
    errorOf(await session.call('read', { path: 'x' })),
    /The agent's capabilities don't allow/,
  );
});

test('VC-9 an unknown variable throws when the set is compiled, and is named', () => {
  const folders = { workspace: ['/w'], adHoc: [], cwd: '/w' };
  assert.throws(
    () => compileRequirements({ fs: { read: ['{workspce}/**'] } }, folders),
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
  assert.match(errorOf(envelope), /The agent's capabilities don't allow this call/);
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
      assert.match(errorOf(envelope), /The agent's capabilities don't allow this call/, command);
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
    assert.match(errorOf(called.envelope), /The agent's capabilities don't allow this call/, url);
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
      return { action: 'allow' };
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
    watchdog: async () => ({ action: 'deny', reason: 'not on a Friday' }),
  });
  assert.match(errorOf(await session.call('read', { path: 'a' })), /not on a Friday/);
});
