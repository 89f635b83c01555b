import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { getMessage } from '../../../src/base/faults.ts';
import type { McpServer, StdioServer } from '../../../src/base/tools/mcpServer.ts';
import {
  createServerStart,
  type ServerStartParts,
} from '../../../src/host/services/serverStart.ts';
import { createProcessTransport } from '../../../src/mcp/connect/processTransport.ts';
import type { Egress, LiveOptions } from '../../../src/runtime/sandbox/sandbox.ts';
import { openSandboxBed, type SandboxBed } from '../runtime/sandbox/bed.ts';

const SERVER = fileURLToPath(new URL('confinedServer.mjs', import.meta.url));

interface Opened extends AsyncDisposable {
  call(name: string, input?: object): Promise<string>;
  run(line: string): Promise<string>;
}

interface Entry extends Partial<Pick<StdioServer, 'hosts' | 'env'>> {
  /** A folder on PATH. */
  readonly path?: string;
  /** More variables of the host, which the user passes on. */
  readonly host?: Readonly<Record<string, string>>;
  /** Default: that of the bed. */
  readonly workspace?: string;
  /** Default: the workspace. */
  readonly cwd?: string;
  readonly mode?: 'auto' | 'require';
}

/** A real server in the real sandbox, started as the host starts the one of an entry. */
async function open(
  bed: SandboxBed,
  toArgv: (file: string) => StdioServer['argv'],
  { hosts = [], env = {}, path: search, host = {}, mode = 'auto', ...given }: Entry = {},
  masks: LiveOptions['masks'] = [],
): Promise<Opened> {
  const { base, home, sandbox } = bed;
  const { workspace = bed.workspace, cwd = workspace } = given;
  const folder = path.join(base, 'srv');
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'server.mjs');
  copyFileSync(SERVER, file);
  const start = (_: string, folders: readonly string[], egress: Egress) =>
    sandbox.live({ folder: path.join(base, 'live'), workspace: folders, masks, egress });
  const live: Partial<Awaited<ReturnType<ServerStartParts['copies']>>> = {
    state: sandbox.state,
    live: start,
  };
  const PATH = [search, path.dirname(process.execPath), '/usr/bin:/bin'].filter(Boolean).join(':');
  const prepare = createServerStart({
    env: { ...host, PATH, HOME: home },
    settings: () => ({ sandboxMode: mode, passedVariables: Object.keys(host) }),
    copies: async () => live as Awaited<ReturnType<ServerStartParts['copies']>>,
    confinement: {
      start: mode === 'require' ? start : () => assert.fail('it is confined by its entry'),
    },
  });
  const server: McpServer = {
    ...{ name: 's', origin: 'settings', file: 'f', shown: '', hash: '', timeoutMs: 60_000 },
    how: { type: 'stdio', cwd, sandbox: true, argv: toArgv(file), env, hosts },
  };
  const transport = createProcessTransport({
    prepare: () => prepare(server, [workspace]),
    parse: (line) => JSON.parse(line),
  });
  const client = new Client({ name: 't', version: '1' });
  await client.connect(transport).catch((fault) => {
    throw new Error(`${fault.message} ${transport.describeEnd()}`);
  });
  const call = async (name: string, input: object = {}) => {
    const { content } = await client.callTool({ name, arguments: { ...input } });
    return (content as readonly { readonly text: string }[]).map(({ text }) => text).join('');
  };
  return {
    call,
    run: (line) => call('run', { line }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const byNode = (file: string): StdioServer['argv'] => [process.execPath, file];

test('a confined server reaches the hosts of its entry on 80 and 443, and on other ports that it names', async (t) => {
  const site = createServer((_, answer) => answer.end('ok'));
  site.on('connection', (socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  t.after(() => site.close());
  const { port } = site.address() as AddressInfo;
  await using bed = await openSandboxBed(
    {},
    {
      lookup: async () => [{ address: '93.184.216.34', family: 4 }],
      dial: () => ({ host: '127.0.0.1', port }),
    },
  );
  const hosts = [
    'api.example.com',
    '*.wild.example',
    'other.example:8443',
    '10.0.0.5',
    '[fd00::1]',
  ];
  await using server = await open(bed, byNode, { hosts });
  for (const [url, status] of [
    ['http://api.example.com/', '200'],
    ['https://api.example.com/', '200'],
    ['http://api.example.com:443/', '200'],
    ['https://api.example.com:80/', '200'],
    ['https://a.wild.example/', '200'],
    ['https://10.0.0.5/', '200'],
    ['http://[fd00::1]/', '200'],
    ['https://other.example:8443/', '200'],
    ['https://other.example/', '403'],
    ['http://other.example/', '403'],
    ['https://api.example.com:8443/', '403'],
    ['http://api.example.com:8080/', '403'],
    ['https://evil.example/', '403'],
    ['https://10.0.0.6/', '403'],
  ]) {
    assert.equal(await server.call('ask', { url }), status, url);
  }
});

test('a confined server starts whatever its command line names, and sees that', async () => {
  await using bed = await openSandboxBed();
  const { base, home, outside } = bed;
  const at = (name: string) => path.join(base, name);
  for (const name of ['bin', 'data', 'far']) mkdirSync(at(name));
  symlinkSync(at('srv/server.mjs'), at('bin/linked.mjs'));
  symlinkSync(at('far'), at('data/far'));
  symlinkSync('/usr/bin/env', at('data/env'));
  writeFileSync(at('far/x'), 'far');
  writeFileSync(at('data/y'), 'data');
  const shell = (program: string) => (file: string) =>
    [program, '-c', 'exec "$0" "$@"', process.execPath, file] as const;
  const also =
    (...more: readonly string[]) =>
    (file: string) =>
      [process.execPath, file, ...more] as const;
  const rows: readonly (readonly [
    StdioServer['argv'] | ((file: string) => StdioServer['argv']),
    string,
    string,
  ])[] = [
    [shell('/bin/sh'), 'echo ok', 'ok\n'],
    [shell('/bin/bash'), 'echo ok', 'ok\n'],
    [(file) => ['/bin/env', process.execPath, file], 'echo ok', 'ok\n'],
    [() => [process.execPath, at('bin/linked.mjs')], 'echo ok', 'ok\n'],
    [also(at('data'), at('data/far/x')), `cat ${at('data/far/x')} ${at('data/y')}`, 'fardata'],
    [also(at('data/env')), `${at('data/env')} echo ok`, 'ok\n'],
    [also(at('data/y'), at('data')), `cat ${at('data/y')}`, 'data'],
    [also('/bin', '/lib', '/usr', '/etc/hostname'), 'echo ok', 'ok\n'],
    [also('/dev/null', '/dev', '/proc', '/proc/self/status', '/sys'), 'echo ok', 'ok\n'],
    [also('/tmp', '/run', '/var/tmp', '/'), 'echo x >/tmp/x && cat /tmp/x', 'x\n'],
    [also(home, path.dirname(home), outside), 'echo ok', 'ok\n'],
  ];
  for (const [toArgv, line, said] of rows) {
    const make = typeof toArgv === 'function' ? toArgv : () => toArgv;
    await using server = await open(bed, make, { path: at('bin') });
    assert.equal(await server.run(line), said, make('server').join(' '));
  }
});

test('a confined server that names HOME, a folder above it or /proc sees no more of them', async () => {
  await using bed = await openSandboxBed();
  const { base, home } = bed;
  mkdirSync(path.join(home, '.ssh'));
  writeFileSync(path.join(home, '.ssh/id'), 'sEcReT');
  symlinkSync(home, path.join(base, 'house'));
  for (const named of [`${home}/`, base, path.join(base, 'house'), '/proc']) {
    await using server = await open(bed, (file) => [process.execPath, file, named]);
    const line = `cat '${home}/.ssh/id' '${named}/.ssh/id' /proc/${process.pid}/environ; echo own >~/own && cat ~/own`;
    const said = await server.run(line);
    assert.doesNotMatch(said, /sEcReT|PATH=/, named);
    assert.match(said, /own\n/, named);
  }
});

test('a file that rules hide is hidden also by a link that a confined server names', async () => {
  await using bed = await openSandboxBed();
  const { base } = bed;
  mkdirSync(path.join(base, 'data'));
  symlinkSync(path.join(base, 'data'), path.join(base, 'link'));
  const secret = path.join(base, 'data/secret');
  writeFileSync(secret, 'sEcReT');
  writeFileSync(path.join(base, 'data/open'), 'open');
  const names = [path.join(base, 'link'), path.join(base, 'link/secret'), path.join(base, 'data')];
  for (const more of [names.slice(0, 1), names.slice(1, 2), names]) {
    await using server = await open(bed, (file) => [process.execPath, file, ...more], {}, [secret]);
    const said = await server.run(
      `cat '${base}/link/secret' '${base}/data/secret' '${base}/link/open'`,
    );
    assert.doesNotMatch(said, /sEcReT/, more.join(' '));
  }
});

test('a confined server that names the folder above its workspace reads that, and writes the workspace', async () => {
  await using bed = await openSandboxBed();
  const workspace = path.join(bed.outside, 'deep');
  mkdirSync(workspace);
  writeFileSync(path.join(bed.outside, 'x'), 'x');
  const toArgv = (file: string) => [process.execPath, file, bed.outside] as const;
  await using server = await open(bed, toArgv, { workspace });
  const line = `cat ../x; echo w >own && cat own; echo w >../own`;
  assert.match(await server.run(line), /^xw\n.*Read-only/);
});

test('a confined server gets the variables of its entry as they are, also those that bash has itself', async () => {
  await using bed = await openSandboxBed();
  const env = {
    ...{ A: 'a b\n$(id)`id`"', UID: '1234', EUID: '1235', PPID: '7', RANDOM: 'r', SECONDS: 's' },
    ...{
      SHELLOPTS: 'xtrace:noexec',
      BASHOPTS: 'x',
      BASH_ENV: '/none',
      IFS: '/1',
      PS4: '$(exit 1)',
    },
    ...{ POSIXLY_CORRECT: '1', EXECIGNORE: '*', BASH_XTRACEFD: '4', GROUPS: 'g', 'x y': 'z' },
  };
  const hosts = ['example.com'];
  for (const toArgv of [byNode, (file: string) => ['node', file] as const]) {
    await using server = await open(bed, toArgv, { env, hosts });
    const got: Record<string, string> = JSON.parse(await server.call('env'));
    assert.deepEqual(Object.fromEntries(Object.keys(env).map((name) => [name, got[name]])), env);
    const own = Object.keys(got).filter((name) => name.startsWith('GATE_') && name !== 'GATE_RUN');
    assert.deepEqual(own, []);
  }
});

test("no variable of the host's own or of an entry stands for what the sandbox sets for its wrapper", async () => {
  await using bed = await openSandboxBed();
  const names = { GATE_SET_0: 'PATH=/evil', GATE_SET_9: 'EVIL=1', GATE_OPTIONS: 'no', GATE_E: 'x' };
  await using server = await open(bed, byNode, { env: names, host: names });
  const got: Record<string, string> = JSON.parse(await server.call('env'));
  assert.equal(got['EVIL'], undefined);
  assert.notEqual(got['PATH'], '/evil');
});

test('a server whose sandbox can not be built says why, that nothing was run, and what to do', async () => {
  await using bed = await openSandboxBed();
  const { base, outside, workspace } = bed;
  const turnOff = 'To run the server without the sandbox, set "sandbox": false in its entry.';
  const required = 'No server runs without the sandbox while gatehouse.sandbox.mode is "require".';
  const gone = [path.join(workspace, 'gone')];
  const many = Array.from({ length: 2501 }, (_, at) => path.join(base, String(at)));
  const broken = async () => Promise.reject(new Error('The list broke off.'));
  const rows: readonly (readonly [Entry, LiveOptions['masks'], RegExp])[] = [
    [{}, gone, /gone was moved or deleted meanwhile\. Nothing was run\. The server is tried/],
    [{}, many, /more than 2500 files, which the sandbox can't hide\. Nothing was run\. The/],
    [{ mode: 'require' }, broken, /set up: The list broke off\. Nothing was run\. The server/],
    [{ cwd: outside }, [], /did not start the command in .*outside\. Nothing was run, and nothing/],
  ];
  for (const [entry, masks, why] of rows) {
    const opened = await open(bed, byNode, entry, masks).catch(getMessage);
    if (typeof opened !== 'string') await opened[Symbol.asyncDispose]();
    assert.ok(typeof opened === 'string', `it started: ${why}`);
    assert.match(opened, why);
    const advice = entry.mode === 'require' ? required : turnOff;
    assert.ok(opened.includes(`The server is tried again. ${advice}`), opened);
    assert.doesNotMatch(opened, /exited|--refused/);
  }
});
