import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Wire } from '../acp/validate.ts';
import { place } from './program.ts';
import {
  agentcli,
  type Bed,
  type Call,
  compozy,
  converse,
  fields,
  makeBed,
  open,
  runloop,
  takeTurn,
} from './session.ts';

// The capability set of a session, through the built `gatehouse acp`. Every rule allows everything.

const EVERYTHING = [{ permission: '*', pattern: '**', action: 'allow' }];

/** A bed with an agent of the user, `a`, of this front matter. */
function bedOf(t: TestContext, front: string, settings: object = {}): Promise<Bed> {
  return makeBed(t, {
    files: agentcli('cat docs/a x'),
    settings: { 'gatehouse.permissions': EVERYTHING, ...settings },
    dataFiles: { 'agents/a.md': `---\ndescription: A.\n${front}\n---\nYou work.\n` },
  });
}

async function callAs(
  t: TestContext,
  bed: Bed,
  calls: readonly Call[],
  meta: object = { agent: 'a' },
) {
  const { results, asks } = await converse(t, bed, { calls, meta });
  assert.equal(asks.length, 0, JSON.stringify(asks));
  return results.map((each) => fields(each));
}

const refused = (result: Readonly<Record<string, unknown>> | undefined) =>
  /capabilities don't allow this call/.test(String(result?.['error_text']));

const read = (file: string) => ({ tool: 'read', input: { path: file } });
const bash = (command: string) => ({ tool: 'bash', input: { command } });

test('VC-8 what an agent and its tools declare is readable, and nothing else', async (t) => {
  const bed = await bedOf(t, 'requires: {fs: {read: ["{workspace}/docs/**"]}}');
  await place(bed.workspace, { 'docs/a': 'page\n', x: 'rest\n' });
  const [docs, rest] = await callAs(t, bed, [read('docs/a'), read('x')]);
  assert.deepEqual([docs?.['type'], refused(rest)], ['output', true]);
});

for (const [dialect, files, more] of [
  ['agentcli', agentcli("echo '{}'"), 'shop/tools/bin/x more'],
  ['runloop', runloop("echo '{}'"), 'shop/bin/x more'],
  ['compozy', compozy('return {};'), ''],
] as const) {
  test(`C-7, C-8 a tool of ${dialect} adds its own program to the declared set, and no other command`, async (t) => {
    const front = 'requires: {fs: {read: ["{workspace}/**"]}, shell: [{cmd: git, args: [status]}]}';
    const bed = await makeBed(t, {
      files,
      settings: { 'gatehouse.permissions': EVERYTHING },
      dataFiles: { 'agents/a.md': `---\ndescription: A.\n${front}\n---\nYou work.\n` },
    });
    const own = more === '' ? 'node -e 1' : path.join(bed.workspace, more);
    const calls = [{ tool: 'shop_x' }, bash('git status'), bash(own), bash('node -e 1')];
    const results = await callAs(t, bed, calls);
    assert.deepEqual(results.map(refused), [false, false, true, true], JSON.stringify(results));
    assert.equal(results[0]?.['type'], 'output');
  });
}

test('VC-9 an agent with an unknown variable does not start, and the variable is named', async (t) => {
  const bed = await bedOf(t, 'requires: {fs: {read: ["{workspce}/**"]}}');
  const host = await open(t, bed);
  const params = { cwd: bed.workspace, mcpServers: [], _meta: { gatehouse: { agent: 'a' } } };
  const { error } = await host.request('session/new', params);
  assert.match(JSON.stringify(error), /workspce/);
});

test('VC-10 without a folder nothing of the workspace is readable', async (t) => {
  const bed = await bedOf(t, 'tools: [read]');
  await place(bed.workspace, { 'README.md': 'words\n' });
  const scratch = path.join(bed.data, 'user/scratch');
  const calls = [read('README.md'), read(path.join(bed.workspace, 'README.md'))];
  const results = await callAs(t, { ...bed, workspace: scratch }, calls);
  assert.doesNotMatch(JSON.stringify(results), /words/);
  assert.deepEqual(results.map(refused), [false, true]);
  assert.match(String(results[0]?.['error_text']), /README\.md/);
});

test('VC-11, VC-40 a path, a link and a NUL that lead outside are refused', async (t) => {
  const bed = await bedOf(t, 'tools: [read]');
  await place(bed.root, { 'outside/secret': 'hidden words\n' });
  await symlink(path.join(bed.root, 'outside/secret'), path.join(bed.workspace, 'link'));
  const paths = ['../outside/secret', 'link', 'a/../../outside/secret', '/etc/passwd', 'x\0y'];
  const results = await callAs(t, bed, [...paths, '%2e%2e/outside/secret'].map(read));
  assert.deepEqual(
    results.slice(0, -1).map(refused),
    paths.map(() => true),
  );
  assert.doesNotMatch(JSON.stringify(results), /hidden words/);
});

test('VC-12 a file in each of two roots is readable', async (t) => {
  const bed = await bedOf(t, 'tools: [read]');
  await place(bed.root, { 'w/a': 'one\n', 'more/b': 'two\n', 'other/c': 'three\n' });
  const files = ['w/a', 'more/b', 'other/c'].map((file) => path.join(bed.root, file));
  const calls = files.map((file, index) => ({ calls: [{ ...read(file), id: `c${index}` }] }));
  const host = await open(t, bed, { script: [...calls, { text: 'Done.' }] });
  const additionalDirectories = [path.join(bed.root, 'more')];
  const params = { cwd: bed.workspace, mcpServers: [], additionalDirectories };
  const reply = await host.request('session/new', params);
  const { results } = await takeTurn(host, Object(reply.result).sessionId);
  assert.deepEqual(
    results.map((each) => refused(fields(each))),
    [false, false, true],
  );
});

for (const [id, requirement, fits, fails] of [
  [
    'VC-13',
    '{cmd: git, args: [status]}',
    ['git status'],
    ['git status -s', 'git push', '/opt/x/git status'],
  ],
  [
    'VC-14',
    '{cmd: npm, args: [run, {wildcard: true}]}',
    ['npm run build'],
    ['npm run', 'npm run a b'],
  ],
  [
    'VC-15',
    '{cmd: node, args: [{prefix: scripts/}]}',
    ['node scripts/a.js'],
    ['node ./scripts/a.js'],
  ],
] as const) {
  test(`${id} a command is covered by its whole line of arguments: ${requirement}`, async (t) => {
    const bed = await bedOf(
      t,
      `requires: {fs: {read: ["{workspace}/**"]}, shell: [${requirement}]}`,
    );
    const results = await callAs(t, bed, [...fits, ...fails].map(bash));
    assert.deepEqual(results.map(refused), [...fits.map(() => false), ...fails.map(() => true)]);
  });
}

test('VC-16 a host is compared whole and without case, on every hop', async (t) => {
  const server = createServer((request, response) => {
    if (request.url === '/away') response.writeHead(302, { location: 'http://evil.example/' });
    response.end('words');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const bed = await bedOf(t, `requires: {net: {hosts: ["LocalHost:${port}"]}}`, {
    'gatehouse.permissions': [
      ...EVERYTHING,
      { permission: 'net.fetch', pattern: `localhost:${port}`, action: 'allow' },
    ],
  });
  const urls = [
    `http://LOCALHOST:${port}/`,
    `http://localhost.evil.example:${port}/`,
    `http://evil.example/?localhost:${port}`,
    `http://localhost:${port}/away`,
  ];
  const calls = urls.map((url) => ({ tool: 'web_fetch', input: { url } }));
  const results = await callAs(t, bed, calls);
  assert.equal(results[0]?.['type'], 'output', JSON.stringify(results[0]));
  assert.deepEqual(
    results.slice(1).map((each) => each['type']),
    ['error', 'error', 'error'],
  );
  assert.deepEqual(results.slice(1, 3).map(refused), [true, true]);
});

const WATCHDOG = `#!/bin/sh
cat >> given
echo '{"verdict":"deny","reason":"not on a Saturday"}'
`;

test('VC-17, VC-18 the watchdog is not asked about what capabilities refuse, and its reason reaches the model', async (t) => {
  const bed = await bedOf(t, 'tools: [read]');
  await place(bed.data, { watch: WATCHDOG });
  const settings = {
    'gatehouse.permissions': EVERYTHING,
    'gatehouse.watchdog.command': [path.join(bed.data, 'watch')],
    'gatehouse.limits.watchdogMs': 60_000,
  };
  await place(bed.data, { 'settings.json': settings });
  await place(bed.workspace, { a: 'one\n' });
  const [outside, inside] = await callAs(t, bed, [read('/etc/hostname'), read('a')]);
  assert.deepEqual([refused(outside), refused(inside)], [true, false]);
  assert.doesNotMatch(JSON.stringify(outside), /Saturday/);
  assert.match(String(inside?.['error_text']), /not on a Saturday/);
});

test('VC-82 a call is asked about once, with the four kinds of options; a rule asks nothing', async (t) => {
  const rule = (pattern: string, action: string) => ({ permission: 'bash', pattern, action });
  const permissions = [rule('touch yes', 'allow'), rule('touch no', 'deny')];
  const bed = await makeBed(t, { settings: { 'gatehouse.permissions': permissions } });
  const { asks, results } = await converse(t, bed, {
    calls: ['touch yes', 'touch no', 'npm test'].map(bash),
    answer: () => 'reject',
  });
  const kinds = asks.map(({ params }) =>
    Object(params).options.map(({ kind }: { readonly kind: string }) => kind),
  );
  assert.deepEqual(kinds, [['allow_once', 'allow_always', 'reject_once', 'reject_always']]);
  assert.deepEqual(
    results.map((each) => fields(each)['type']),
    ['output', 'error', 'error'],
  );
});

test('VC-87 a path outside the scope is refused before any request to the client', async (t) => {
  const bed = await bedOf(t, 'tools: [write]');
  const requests: Wire[] = [];
  const { results } = await converse(t, bed, {
    calls: [{ tool: 'write', input: { path: '/etc/x', content: '' } }],
    capabilities: { fs: { readTextFile: true, writeTextFile: true } },
    meta: { agent: 'a' },
    other: (message) => void requests.push(message),
  });
  assert.equal(refused(fields(results[0])), true);
  assert.deepEqual(requests, []);
});
