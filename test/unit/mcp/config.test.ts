import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { McpServer } from '../../../src/base/tools/mcpServer.ts';
import { type ParseContext, parseServer } from '../../../src/mcp/config/parseServer.ts';
import { readServers } from '../../../src/mcp/config/readServers.ts';
import { temporary } from '../host/harness.ts';

const CONTEXT: ParseContext = {
  ...{ name: 'x', origin: 'settings', file: '/f', folder: '/work' },
  env: { HOME: '/home/me', TOKEN: 't0k' },
  input: (id: string) => (id === 'key' ? 'k3y' : undefined),
};

function how(entry: object): McpServer['how'] | string | undefined {
  const parsed = parseServer(entry, CONTEXT);
  return parsed.ok ? parsed.data?.how : parsed.error;
}

const PROGRAM = {
  type: 'stdio',
  argv: ['npx', '-y', 'srv'],
  ...{ env: {}, cwd: '/work', hosts: [], sandbox: true },
};

for (const [what, entry, expected] of [
  ['the shape of the specification', { type: 'local', command: ['npx', '-y', 'srv'] }, PROGRAM],
  ['that of VS Code', { type: 'stdio', command: 'npx', args: ['-y', 'srv'] }, PROGRAM],
  [
    'variables',
    { command: 'a', env: { A: '${env:TOKEN}', B: '${input:key}', C: '${NO:-d}' }, cwd: '~/b' },
    {
      ...{ ...PROGRAM, argv: ['a'], cwd: '/home/me/b' },
      env: { A: 't0k', B: 'k3y', C: 'd' },
    },
  ],
  ['a missing variable', { command: '${NO}' }, 'The environment variable NO is not set.'],
  [
    'a URL',
    { type: 'remote', url: 'https://a.example/mcp', headers: { A: 'Bearer ${TOKEN}' } },
    { type: 'http', url: 'https://a.example/mcp', headers: { A: 'Bearer t0k' } },
  ],
  [
    'a sign-in that knows this client',
    { url: 'https://a.example/', oauth: { clientId: 'known' } },
    { type: 'http', url: 'https://a.example/', headers: {}, clientId: 'known' },
  ],
  [
    'a wrong client',
    { url: 'https://a.example/', oauth: { clientId: 5 } },
    '"oauth" must be an object whose "clientId" is a string.',
  ],
  ['one that is turned off', { command: 'a', enabled: false }, undefined],
  ['another that is', { command: 'a', disabled: true }, undefined],
  ['a file URL', { url: 'file:///etc/passwd' }, '"url" must be an http or https URL.'],
  [
    'a password in a URL',
    { url: 'https://me:word@a.example/' },
    '"url" must not contain a user or a password. Use "headers".',
  ],
  [
    'a header of two lines',
    { url: 'https://a.example/', headers: { A: 'b\r\nC: d' } },
    '"headers" has an invalid header: "A".',
  ],
  [
    'no program',
    { args: ['a'] },
    '"command" must name a program, and "args" must be a list of strings.',
  ],
  [
    'a variable that would add options to its sandbox',
    { command: 'a', env: { A: 'b\0--bind\0/\0/' } },
    '"command", "args", "env" and "cwd" must not hold a NUL character.',
  ],
  ['a wrong variable', { command: 'a', env: { A: [] } }, '"env.A" must be a string.'],
] as const) {
  test(`CS-49 ${what}`, () => assert.deepEqual(how(entry), expected));
}

test('the values of variables that choose what runs are shown, those of secrets are not', () => {
  const env = {
    ...{ NODE_OPTIONS: '--require=./x.js', PATH: './bin:${env:PATH}', LD_PRELOAD: './a b.so' },
    ...{ GIT_ASKPASS: './ask', npm_config__authToken: 's', UV_PUBLISH_TOKEN: 's', MODE: 'x' },
  };
  const parsed = parseServer({ command: 'npx', args: ['server'], env }, CONTEXT);
  assert.ok(parsed.ok && parsed.data);
  assert.equal(
    parsed.data.shown,
    'npx server · variables NODE_OPTIONS=--require=./x.js, PATH=./bin:${env:PATH}, LD_PRELOAD="./a b.so", ' +
      'GIT_ASKPASS=./ask, npm_config__authToken, UV_PUBLISH_TOKEN, MODE · with ${env:PATH}',
  );
});

test('what is shown and accepted has no values of other variables, and changes with all that decides what runs', () => {
  const parse = (entry: object) => {
    const parsed = parseServer(entry, CONTEXT);
    assert.ok(parsed.ok && parsed.data);
    return parsed.data;
  };
  const first = parse({
    command: 'a',
    args: ['${input:key}'],
    env: { A: 'secret' },
    hosts: ['b.c'],
  });
  assert.equal(first.shown, 'a ${input:key} · variables A · hosts b.c');
  const sends = parse({
    url: 'https://b.c/',
    headers: { A: 'Bearer ${env:TOKEN}', B: 'secret ${OTHER:-x}' },
  });
  assert.equal(
    sends.shown,
    'https://b.c/ · headers A, B · with ${env:TOKEN}, ${OTHER:-x}',
    'what leaves the environment is shown',
  );
  const elsewhere = parse({ command: 'node', args: ['srv.js'], cwd: '${userHome}/x y' });
  assert.equal(elsewhere.shown, 'node srv.js · in "${userHome}/x y"', 'srv.js is of that folder');
  const same = parse({ command: ['a', '${input:key}'], env: { A: 'secret' }, hosts: ['b.c'] });
  assert.equal(same.hash, first.hash);
  for (const other of [
    { command: 'a', args: ['${input:key}'], env: { A: 'other' }, hosts: ['b.c'] },
    { command: 'a', args: ['${input:key}'], env: { A: 'secret' }, hosts: ['*'] },
    { command: 'a', args: ['${input:key}'], env: { A: 'secret' }, hosts: ['b.c'], sandbox: false },
  ]) {
    assert.notEqual(parse(other).hash, first.hash);
  }
});

test('an entry of the settings that names the workspace is accepted for each workspace by itself', () => {
  const variable = `$${'{workspaceFolder}'}`;
  const hash = (entry: object, folder: string, origin: ParseContext['origin']) => {
    const parsed = parseServer(entry, { ...CONTEXT, folder, origin });
    assert.ok(parsed.ok && parsed.data);
    return parsed.data.hash;
  };
  const own = { command: 'node', args: [`${variable}/server.js`], cwd: '/home/me' };
  const inEnv = { command: 'srv', env: { CONFIG: `${variable}/x.json` }, cwd: '/home/me' };
  for (const entry of [own, inEnv]) {
    assert.notEqual(hash(entry, '/a', 'settings'), hash(entry, '/b', 'settings'));
    // Those of files are kept for their file.
    assert.equal(hash(entry, '/a', 'workspace'), hash(entry, '/b', 'workspace'));
  }
  const other = { command: 'node', args: ['server.js'], cwd: '/home/me' };
  assert.equal(hash(other, '/a', 'settings'), hash(other, '/b', 'settings'));
});

test('values of variables that may choose what runs are shown', () => {
  const parsed = parseServer(
    {
      command: 'npx',
      env: {
        OPENSSL_CONF: './x.cnf',
        GOFLAGS: '-toolexec=./x',
        YARN_RC_FILENAME: 'x.yml',
        MY_LAUNCHER: 'tools/x.sh',
        EXTRA: '--import=./x.mjs',
        MORE: 'https://a.example/b.js a=./b',
        GIT_CONFIG_KEY_0: 'core.sshCommand',
        LOG_LEVEL: 'debug',
        API_TOKEN: 'a/b.js',
        SLACK_WEBHOOK: 'https://hooks.example/T0/B0',
        DATABASE: 'postgres://me:secret@db.example/x',
        SOME: 'Zm9v/YmFy+c2VjcmV0MTIzNDU2Nzg5MA==',
      },
    },
    CONTEXT,
  );
  assert.ok(parsed.ok && parsed.data);
  assert.equal(
    parsed.data.shown,
    'npx · variables OPENSSL_CONF=./x.cnf, GOFLAGS=-toolexec=./x, YARN_RC_FILENAME=x.yml, ' +
      'MY_LAUNCHER=tools/x.sh, EXTRA=--import=./x.mjs, MORE="https://a.example/b.js a=./b", GIT_CONFIG_KEY_0=core.sshCommand, LOG_LEVEL, API_TOKEN, SLACK_WEBHOOK, DATABASE, SOME',
  );
});

test('the home folder is that of Windows where there is no other', () => {
  const env = { USERPROFILE: '/users/$&me' };
  const entry = { command: '${userHome}/srv', cwd: '~/b' };
  const parsed = parseServer(entry, { ...CONTEXT, env });
  const { argv, cwd } = Object(parsed.ok && parsed.data?.how);
  assert.deepEqual([argv, cwd], [['/users/$&me/srv'], '/users/$&me/b']);
});

test('issue 18: a file that is nested thousands deep names no servers, and those of the settings stay', async (t) => {
  const folder = await temporary(t);
  const file = path.join(folder, '.mcp.json');
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  writeFileSync(file, `{"mcpServers": {"a": {"command": "b", "c": ${deep}}}}`);
  const session = {
    ...{ id: 's', agent: 'gatehouse', folders: [folder], trusted: true, searchHosts: [] },
    ...{ timeoutMs: 1000, schemaMs: 1000, confirmExternalActions: true },
    mcp: { configured: { own: { command: 'srv' } }, servers: [] },
  };
  const { servers, bad } = readServers(session, { env: {}, settingsKey: '/settings' });
  assert.deepEqual(
    servers.map(({ name }) => name),
    ['own'],
  );
  assert.deepEqual(
    bad.map((each) => [each.name, each.file]),
    [['.mcp.json', file]],
  );
  assert.match(bad[0]?.why ?? '', /^The file cannot be read: /);
});
