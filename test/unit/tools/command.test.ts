import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Envelope } from '../../../src/base/stream/envelope.ts';
import { ALLOW_ALL, type Bed, gatehouseCall, openBed } from './bed.ts';
import { dataOf, errorOf, openSession } from './session.ts';

/** Each tool once, headless, as a process of its own. */
const CALLS: Readonly<Record<string, { readonly input: object; readonly output: RegExp }>> = {
  read: { input: { path: 'a.txt' }, output: /1\\thello/ },
  write: { input: { path: 'b.txt', content: 'x' }, output: /"created":true/ },
  edit: { input: { path: 'a.txt', old_string: 'hello', new_string: 'x' }, output: /"replaced":1/ },
  glob: { input: { pattern: '*.txt' }, output: /a\.txt/ },
  grep: { input: { pattern: 'hel+o' }, output: /"line":1/ },
  bash: { input: { command: 'echo from-bash' }, output: /from-bash/ },
  todo: { input: { items: [{ content: 'a', status: 'pending' }] }, output: /"count":1/ },
};

for (const [tool, { input, output }] of Object.entries(CALLS)) {
  test(`gatehouse call ${tool} prints one envelope and exits with 0`, async () => {
    using bed = openBed();
    writeFileSync(path.join(bed.workspace, 'a.txt'), 'hello\n');
    const rules = writeJson(bed, 'rules.json', ALLOW_ALL);
    const ran = await run(bed, [
      tool,
      JSON.stringify(input),
      '--workspace',
      'work',
      '--rules',
      rules,
    ]);
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.equal(ran.stdout.split('\n').length, 2);
    assert.match(JSON.stringify(dataOf(parse(ran.stdout))), output);
  });
}

test('gatehouse call takes rules and capabilities inline too', async () => {
  using bed = openBed();
  writeFileSync(path.join(bed.workspace, 'a.txt'), 'hello\n');
  const words = ['read', '{"path":"a.txt"}', '--workspace', 'work'];
  const deny = JSON.stringify([{ permission: 'read', pattern: 'a.txt', action: 'deny' }]);
  const denied = await run(bed, [...words, '--rules', deny]);
  assert.match(errorOf(parse(denied.stdout)), /denies/);
  const none = await run(bed, [...words, '--capabilities', '{"fs":{"read":["b"]}}']);
  assert.equal(none.exitCode, 1, none.stdout);
});

for (const [tool, input] of [
  ['question', { questions: [{ question: 'x' }] }],
  ['web_search', { query: 'x' }],
  ['web_fetch', { url: 'http://169.254.169.254/' }],
  ['read', { path: 5 }],
  ['nothing', {}],
] as const) {
  test(`gatehouse call ${tool} ${JSON.stringify(input)} exits with 1`, async () => {
    using bed = openBed();
    const ran = await run(bed, [tool, JSON.stringify(input), '--workspace', 'work']);
    assert.equal(ran.exitCode, 1, ran.stderr);
    errorOf(parse(ran.stdout));
  });
}

test('arguments come from standard input, rules and capabilities from pipes', async () => {
  using bed = openBed();
  mkdirSync(path.join(bed.workspace, 'src'));
  writeFileSync(path.join(bed.workspace, 'src', 'a'), 'in src');
  writeJson(bed, 'rules.json', ALLOW_ALL);
  writeJson(bed, 'capabilities.json', { fs: { read: ['{workspace}/src/**'] } });
  const main = path.resolve(import.meta.dirname, '../../../src/host/cli/main.ts');
  const script = `"${process.execPath}" "${main}" call read - --workspace work --user-data data \
--rules <(cat rules.json) --capabilities <(cat capabilities.json)`;
  const ran = await spawnText('bash', ['-c', script], bed.root, '{"path":"src/a"}');
  assert.equal(ran.exitCode, 0, ran.stderr);
  assert.equal(dataOf(parse(ran.stdout))['content'], '     1\tin src');
});

test('a byte order mark in front of the arguments is none of them', async () => {
  using bed = openBed();
  const { envelope } = await gatehouseCall(bed, 'todo', {}, { stdin: '\ufeff{"items":[]}' });
  assert.deepEqual(dataOf(envelope), { count: 0 });
});

for (const [name, args] of Object.entries({
  'no tool': [],
  'bad JSON': ['read', '{'],
  'an unknown flag': ['read', '{}', '--nope'],
  'rules that are missing': ['read', '{}', '--rules', 'missing.json'],
  'rules that are no list': ['read', '{}', '--rules', 'object.json'],
  'capabilities with a misspelt family': ['read', '{}', '--capabilities', 'misspelt.json'],
  'one word too many': ['read', '{}', '{}'],
})) {
  test(`${name} exits with 2, and standard output stays empty`, async () => {
    using bed = openBed();
    writeJson(bed, 'object.json', {});
    writeJson(bed, 'misspelt.json', { files: {} });
    const ran = await run(bed, args);
    assert.deepEqual([ran.exitCode, ran.stdout], [2, '']);
    assert.match(ran.stderr, /gatehouse call: /);
  });
}

test('protected files count even when the rules allow everything', async () => {
  using bed = openBed();
  const rules = writeJson(bed, 'rules.json', ALLOW_ALL);
  const input = JSON.stringify({ path: '.vscode/settings.json', content: '{}' });
  const ran = await run(bed, ['write', input, '--workspace', 'work', '--rules', rules]);
  assert.equal(ran.exitCode, 1);
  assert.match(errorOf(parse(ran.stdout)), /always asks/);
});

test('the environment of a command holds nothing of the host', async () => {
  using bed = openBed();
  const rules = writeJson(bed, 'rules.json', ALLOW_ALL);
  const dropped = {
    ELECTRON_RUN_AS_NODE: '1',
    VSCODE_IPC_HOOK: 'x',
    GATEHOUSE_MODEL_API_KEY: 'planted-key',
    NODE_OPTIONS: '--no-warnings',
    BASH_ENV: 'evil.sh',
  };
  writeFileSync(path.join(bed.workspace, 'evil.sh'), 'echo evil\n');
  const args = ['bash', '{"command":"env"}', '--workspace', 'work', '--rules', rules];
  const ran = await run(bed, args, dropped);
  const output = String(dataOf(parse(ran.stdout))['output']);
  assert.doesNotMatch(output, /ELECTRON|VSCODE_|GATEHOUSE|NODE_OPTIONS|BASH_ENV|planted-key|evil/);
  for (const line of ['PAGER=cat', 'GIT_TERMINAL_PROMPT=0', 'TERM=dumb']) {
    assert.ok(output.split('\n').includes(line), line);
  }
  assert.equal(readFileSync(path.join(bed.workspace, 'evil.sh'), 'utf8'), 'echo evil\n');
});

function writeJson(bed: Bed, name: string, value: unknown): string {
  writeFileSync(path.join(bed.root, name), JSON.stringify(value));
  return name;
}

function parse(stdout: string): Envelope {
  return JSON.parse(stdout);
}

function run(bed: Bed, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const main = path.resolve(import.meta.dirname, '../../../src/host/cli/main.ts');
  const words = [main, 'call', ...args, '--user-data', 'data'];
  return spawnText(process.execPath, words, bed.root, '', env);
}

async function spawnText(
  program: string,
  args: readonly string[],
  cwd: string,
  input: string,
  env: NodeJS.ProcessEnv = {},
) {
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (part) => {
    stdout += part;
  });
  child.stderr.on('data', (part) => {
    stderr += part;
  });
  child.stdin.end(input);
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { exitCode, stdout, stderr };
}

test('a relative cwd is evaluated as the folder that the command runs in', async () => {
  using bed = openBed();
  mkdirSync(path.join(bed.workspace, 'sub'));
  const runs = async (pattern: string) => {
    const rules = [...ALLOW_ALL, { permission: 'read', pattern, action: 'deny' }];
    await using session = openSession(bed, { rules });
    const { type } = await session.call('bash', { command: 'pwd', cwd: 'sub' });
    return type === 'output';
  };
  assert.deepEqual([await runs('sub'), await runs('sub/sub')], [false, true]);
});

test('a folder that became a link while the user was asked runs no command elsewhere', async () => {
  using bed = openBed();
  const folder = path.join(bed.workspace, 'sub');
  mkdirSync(folder);
  await using session = openSession(bed, {
    async ask() {
      renameSync(folder, `${folder}.old`);
      symlinkSync(bed.outside, folder);
      return { outcome: 'allow' };
    },
  });
  const envelope = await session.call('bash', { command: 'echo x > made', cwd: 'sub' });
  assert.match(errorOf(envelope), /leads elsewhere/);
  assert.equal(existsSync(path.join(bed.outside, 'made')), false);
});
