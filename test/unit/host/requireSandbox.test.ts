import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { calls, connect, newSession, prompt, temporary } from './harness.ts';

/** The built command. */
const MAIN = path.join(import.meta.dirname, '../../../dist/host/main.mjs');
const ALLOW = [
  { permission: '*', pattern: '*', action: 'allow' },
  { permission: 'bash', pattern: './script.sh *', action: 'allow' },
];
const NOWHERE = '/nowhere';

interface CallOptions {
  readonly bwrap?: string;
  /** Of the workspace, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** What the state folder holds as `unconfined.json`. */
  readonly accepted?: string;
}

/** Runs `gatehouse call` in a workspace with a repository, with every call allowed. */
async function call(t: TestContext, tool: string, input: object, options: CallOptions = {}) {
  const root = await temporary(t);
  const folder = path.join(root, 'shop');
  const { bwrap = '', files = {}, accepted } = options;
  for (const [name, text] of Object.entries({ '.git/config': '[core]\n', ...files })) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text, { mode: 0o755 });
  }
  writeFileSync(path.join(root, 'settings.json'), JSON.stringify({ 'sandbox.mode': 'require' }));
  const env = {
    ...{ PATH: process.env['PATH'], HOME: root, GATEHOUSE_BWRAP: bwrap },
    ...{ GATEHOUSE_DATA: path.join(root, 'data') },
    GATEHOUSE_CONFIG: path.join(root, 'settings.json'),
    SECRET_TOKEN: 'hidden',
    BASH_ENV: path.join(root, 'profile'),
  };
  writeFileSync(path.join(root, 'profile'), `printf x > ${root}/escaped`);
  const start = (...args: string[]) =>
    spawnSync(process.execPath, [MAIN, ...args], { cwd: folder, env, encoding: 'utf8' });
  if (tool !== 'bash') {
    const accepting = start('accept', folder);
    assert.equal(accepting.status, 0, accepting.stderr + accepting.stdout);
  }
  if (accepted !== undefined) {
    mkdirSync(path.join(root, 'data/state'), { recursive: true });
    writeFileSync(path.join(root, 'data/state/unconfined.json'), accepted);
  }
  const words = ['--workspace', folder, '--rules', JSON.stringify(ALLOW)];
  const { stdout, stderr } = start('call', tool, JSON.stringify(input), ...words);
  const read = (name: string) => {
    const file = path.join(folder, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  };
  const envelope = JSON.parse(stdout || '{}');
  return { root, envelope, stderr, read };
}

test('required: a command writes the workspace, and neither .git nor anything outside', async (t) => {
  const outside = path.join(await temporary(t), 'outside');
  // What a script does is not analyzed.
  const script = `#!/bin/bash\nprintf x > file; printf x > .git/config; mv .git other; printf x > ${outside}; printf "$HOME $SECRET_TOKEN" > home; printf x > ~/kept`;
  const given = { files: { 'script.sh': script } };
  const ran = await call(t, 'bash', { command: './script.sh 1' }, given);
  const { root, envelope, stderr, read } = ran;
  assert.equal(envelope.type, 'output', stderr + envelope.error_text);
  assert.deepEqual(
    [read('file'), read('.git/config'), read('home')],
    ['x', '[core]\n', `${root} `],
  );
  assert.deepEqual([existsSync(outside), existsSync(path.join(root, 'kept'))], [false, false]);
});

for (const [what, options] of [
  ['no bwrap can be started', { bwrap: NOWHERE }],
  ['unconfined runs were accepted in a damaged file', { bwrap: NOWHERE, accepted: '{"machine' }],
  ['they were accepted with another bwrap', { bwrap: NOWHERE, accepted: '{"machine":"linux 1"}' }],
] as const) {
  test(`required: a command is refused, and nothing runs, where ${what}`, async (t) => {
    const { envelope, read } = await call(t, 'bash', { command: 'printf x > file' }, options);
    assert.equal(envelope.type, 'error');
    assert.match(envelope.error_text, /requires a sandbox .* so nothing was run\.$/);
    assert.equal(read('file'), undefined);
  });
}

const PROGRAM = '#!/bin/sh\ncat > seen; printf x > .git/config; printf "$GIVEN $HOME"\n';
const DECLARED = {
  agentcli: {
    'tools.json': JSON.stringify({
      tools: [
        { name: 'put', command: ['./tools/bin/put'], envPassthrough: ['SECRET_TOKEN', 'BASH_ENV'] },
      ],
    }),
    'tools/bin/put': PROGRAM.replace('GIVEN', 'SECRET_TOKEN'),
  },
  runloop: {
    'tools.json': JSON.stringify({
      version: 1,
      tools: [
        {
          ...{ id: 'put', description: 'd', input_schema: {}, result_schema: {} },
          transport: { kind: 'exec', command: '/bin/cp', args: ['seen'] },
        },
      ],
    }),
    'policy.caps': '[capabilities]\nexec = true\n',
  },
} as const;

for (const [dialect, files] of Object.entries(DECLARED)) {
  test(`required: the program of an ${dialect} tool is confined, and refused without bwrap`, async (t) => {
    const confined = await call(t, 'workspace_put', { a: 1 }, { files });
    assert.equal(confined.read('seen'), '{"a":1}', JSON.stringify(confined.envelope));
    assert.equal(confined.read('.git/config'), '[core]\n');
    assert.equal(existsSync(path.join(confined.root, 'escaped')), false);
    if (dialect === 'agentcli')
      assert.equal(confined.envelope.data, `***REDACTED*** ${confined.root}`);
    const refused = await call(t, 'workspace_put', { a: 1 }, { files, bwrap: NOWHERE });
    assert.match(refused.envelope.error_text, /so nothing was run/);
    assert.equal(refused.read('seen'), undefined);
  });
}

test('required: a Compozy tool runs confined', async (t) => {
  const files = {
    'tools/echo.yaml': 'resource: tool\nid: echo\n',
    'compozy.yaml': 'autoload:\n  enabled: true\n  include: ["tools/*.yaml"]\n',
    'tools.ts':
      "import { writeFileSync } from 'node:fs';\nexport const echo = (input: unknown) => { try { writeFileSync('.git/config', 'x'); } catch {} return input; };\n",
  };
  const { envelope, read } = await call(t, 'workspace_echo', { a: [1] }, { files });
  assert.deepEqual(envelope.data, { a: [1] }, JSON.stringify(envelope));
  assert.equal(read('.git/config'), '[core]\n');
});

interface Asked {
  readonly asks: readonly RequestPermissionRequest[];
  /** The last update of each call. */
  readonly texts: readonly string[];
  read(name: string): string | undefined;
}

/** Runs allowed commands in a session of a host without bwrap; the user answers as given. */
async function ask(
  t: TestContext,
  commands: readonly string[],
  answers: readonly ('allow_once' | 'reject_once')[],
  damaged?: string,
): Promise<Asked> {
  const data = await temporary(t);
  const workspace = await temporary(t);
  const settings = { 'sandbox.mode': 'require', permissions: ALLOW };
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify(settings));
  if (damaged !== undefined) {
    mkdirSync(path.join(data, 'state'), { recursive: true });
    writeFileSync(path.join(data, 'state/unconfined.json'), damaged);
  }
  const asks: RequestPermissionRequest[] = [];
  const host = await connect(t, {
    ...{ data, workspace },
    env: { HOME: await temporary(t), GATEHOUSE_BWRAP: NOWHERE },
    script: [
      ...commands.map((command) => ({ calls: [{ tool: 'bash', input: { command } }] })),
      { text: 'Done.' },
    ],
    client: {
      permission(params) {
        const kind = answers[asks.length];
        asks.push(params);
        const option = params.options.find((each) => each.kind === kind);
        return { outcome: { outcome: 'selected', optionId: option?.optionId ?? '' } };
      },
    },
  });
  await prompt(host, await newSession(host));
  const last = new Map(calls(host).map((update) => [update.toolCallId, JSON.stringify(update)]));
  const read = (name: string) => {
    const file = path.join(workspace, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  };
  return { asks, texts: [...last.values()], read };
}

for (const damaged of [undefined, '{"machine', '[]']) {
  const state = damaged === undefined ? 'nothing was accepted' : `the file holds ${damaged}`;
  test(`CS-65: where nothing confines, the user accepts it once, if ${state}`, async (t) => {
    const commands = ['printf x > a', 'printf x > b'];
    const { asks, texts, read } = await ask(t, commands, ['allow_once'], damaged);
    assert.equal(asks.length, 1);
    for (const text of texts) assert.match(text, /"isolation":"unconfined"/);
    assert.match(JSON.stringify(asks[0]), /Run commands and programs without a sandbox/);
    const kinds = asks[0]?.options.map(({ kind }) => kind);
    assert.deepEqual(kinds, ['allow_once', 'reject_once'], 'no rule silences it');
    assert.deepEqual([read('a'), read('b')], ['x', 'x']);
  });
}

test('CS-65: what the user does not accept is refused, and asked again for the next command', async (t) => {
  const commands = ['printf x > a', 'printf x > b'];
  const { asks, texts, read } = await ask(t, commands, ['reject_once', 'allow_once']);
  assert.equal(asks.length, 2);
  assert.match(texts[0] ?? '', /so nothing was run/);
  assert.deepEqual([read('a'), read('b')], [undefined, 'x']);
});

const SNAPSHOT = {
  rules: [],
  workspace: { roots: [], adHoc: [], trusted: true },
  editor: {},
};

test('a client that shows the sandbox is told its state, its reason, and each change', async (t) => {
  const host = await connect(t, {
    env: { GATEHOUSE_BWRAP: NOWHERE },
    script: [{ calls: [{ tool: 'bash', input: { command: 'true' } }] }, { text: 'Done.' }],
    client: { capabilities: { _meta: { gatehouse: { v: 1, configure: true, sandbox: true } } } },
  });
  const configure = (mode: string) =>
    host.agent.request('_gatehouse/configure', { ...SNAPSHOT, settings: { 'sandbox.mode': mode } });
  await configure('off');
  await configure('require');
  await configure('require');
  await prompt(host, await newSession(host));
  const sent = host.lines.flatMap(({ message }) =>
    message.method === '_gatehouse/sandbox_changed' ? [Object(message.params)] : [],
  );
  assert.deepEqual(
    sent.map(({ state, required }) => [state, required]),
    [
      ['off', undefined],
      ['untested', true],
      ['unproven', true],
    ],
  );
  assert.match(sent[2].reason, /^The sandbox can't be started here|^[A-Z].*\.?$/);
});

test('the mode may change while a session lives', async (t) => {
  const data = await temporary(t);
  const workspace = await temporary(t);
  const set = (mode: string) =>
    writeFileSync(
      path.join(data, 'settings.json'),
      JSON.stringify({ 'sandbox.mode': mode, permissions: ALLOW }),
    );
  const outside = path.join(await temporary(t), 'outside');
  const script = `#!/bin/bash\nprintf x >> ${outside}`;
  writeFileSync(path.join(workspace, 'script.sh'), script, { mode: 0o755 });
  // The watchdog asks about a call that repeats.
  const call = (at: number) => ({
    calls: [{ tool: 'bash', input: { command: `./script.sh ${at}` } }],
  });
  set('auto');
  const host = await connect(t, {
    ...{ data, workspace },
    env: { HOME: await temporary(t), GATEHOUSE_BWRAP: '' },
    script: [call(1), { text: '1' }, call(2), { text: '2' }, call(3), { text: '3' }],
  });
  const sessionId = await newSession(host);
  const written: number[] = [];
  for (const mode of ['auto', 'require', 'off']) {
    set(mode);
    await prompt(host, sessionId);
    written.push(existsSync(outside) ? readFileSync(outside, 'utf8').length : 0);
  }
  assert.deepEqual(written, [1, 1, 2]);
  const ends = calls(host).filter(({ status }) => status === 'completed' || status === 'failed');
  const isolations = ends.map(({ _meta }) => Object(_meta?.['gatehouse']).isolation);
  assert.deepEqual(
    isolations,
    ['unconfined', 'confined', 'unconfined'],
    'each card says where it ran',
  );
});
