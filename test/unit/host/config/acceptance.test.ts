import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { run as accept } from '../../../../src/host/cli/acceptTools.ts';
import { openAcceptances } from '../../../../src/host/config/acceptance.ts';
import { temporary } from '../harness.ts';
import { poll, ROOT } from '../stdioHost.ts';

const run = promisify(execFile);
const MAIN = path.join(ROOT, 'src/host/cli/main.ts');

function manifest(folder: string, argument = 'a'): void {
  mkdirSync(path.join(folder, 'tools/bin'), { recursive: true });
  const tools = [{ name: 'x', command: ['./tools/bin/x', argument] }];
  writeFileSync(path.join(folder, 'tools.json'), JSON.stringify({ tools }));
  writeFileSync(path.join(folder, 'tools/bin/x'), '#!/bin/sh\n', { mode: 0o755 });
}

test('eight parallel accepts of different processes keep all eight', async (t) => {
  const data = await temporary(t);
  const folders = Array.from({ length: 8 }, (_, at) => path.join(data, `w${at}`));
  for (const folder of folders) manifest(folder);
  const env = { PATH: process.env['PATH'], GATEHOUSE_DATA: path.join(data, 'data') };
  await Promise.all(
    folders.map((folder) => run(process.execPath, [MAIN, 'accept', folder], { env })),
  );
  const store = JSON.parse(readFileSync(path.join(data, 'data/state/accepted.json'), 'utf8'));
  assert.equal(Object.keys(store).length, 8);
});

test('an accept waits while another process changes the store', {
  skip: process.platform !== 'linux' && 'no /proc',
}, async (t) => {
  const data = await temporary(t);
  manifest(data);
  const state = path.join(data, 'data/state');
  mkdirSync(state, { recursive: true });
  const env = { PATH: process.env['PATH'], GATEHOUSE_DATA: path.join(data, 'data') };
  const lock = path.join(state, 'accepted.json.lock');
  const holder = new DatabaseSync(lock);
  holder.exec('BEGIN EXCLUSIVE');
  const child = spawn(process.execPath, [MAIN, 'accept', data], { env });
  const isOpen = () => listOpenFiles(child.pid).includes(lock);
  await poll(() => isOpen() || child.exitCode !== null, 'the accept waits or has ended');
  assert.deepEqual([isOpen(), existsSync(path.join(state, 'accepted.json'))], [true, false]);
  holder.close();
  const [code] = await once(child, 'exit');
  assert.deepEqual([code, existsSync(path.join(state, 'accepted.json'))], [0, true]);
});

function listOpenFiles(pid: number | undefined): readonly string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).map((name) => readlinkSync(path.join(folder, name)));
  } catch {
    // The process, or one of its files, is closed.
    return [];
  }
}

test('a damaged store is kept, and the accept fails', async (t) => {
  const folder = await temporary(t);
  const store = path.join(folder, 'accepted.json');
  writeFileSync(store, '{"a":');
  assert.throws(() => openAcceptances(store).accept('/x', 'h', true), /damaged/);
  writeFileSync(store, Buffer.from([0xff]));
  assert.throws(() => openAcceptances(store).accept('/x', 'h', true), /not UTF-8/);
  assert.deepEqual(readFileSync(store), Buffer.from([0xff]));
});

test('what the user accepts is printed with every hidden character visible', async (t) => {
  const folder = await temporary(t);
  manifest(folder, 'a\u001b[2K\rharmless\u202e\n  shop_y: /bin/true');
  const stdout = new PassThrough();
  const streams = { stdin: new PassThrough(), stdout, stderr: new PassThrough() };
  const env = { GATEHOUSE_DATA: path.join(folder, 'data') };
  await accept({ args: ['.'], cwd: folder, env, ...streams });
  const printed = String(stdout.read());
  assert.doesNotMatch(printed.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u);
  assert.equal(printed.trimEnd().split('\n').length, 2);
  assert.match(printed, /␣U\+001B\[2K␣U\+000Dharmless␣U\+202E⏎/);
});

/** Two workspaces, `a` and `b`; the files are in `a`. */
async function makeTwo(t: TestContext) {
  const base = await temporary(t);
  const at = (...names: readonly string[]) => path.join(base, ...names);
  for (const folder of ['a/.vscode', 'a/.gatehouse/agents', 'a/tools/bin', 'b'])
    mkdirSync(at(folder), { recursive: true });
  return { at, acceptances: openAcceptances(at('state/accepted.json')) };
}

for (const [file, link] of [
  ['.vscode/settings.json', '.vscode/settings.json'],
  ['.vscode/settings.json', '.vscode'],
  ['.vscode/mcp.json', '.vscode'],
  ['.gatehouse/agents/x.md', '.gatehouse'],
  ['.gatehouse/agents/x.md', '.gatehouse/agents'],
  ['.claude/agents/x.md', '.claude'],
  ['.mcp.json', '.mcp.json'],
  ['tools.json', 'tools.json'],
  ['x.code-workspace', 'x.code-workspace'],
] as const)
  test(`${file} that is accepted in one workspace is not in another that has a link ${link} to it`, async (t) => {
    const { at, acceptances } = await makeTwo(t);
    mkdirSync(path.dirname(at('a', file)), { recursive: true });
    writeFileSync(at('a', file), '{}');
    mkdirSync(path.dirname(at('b', link)), { recursive: true });
    symlinkSync(at('a', link), at('b', link));
    const hash = createHash('sha256').update('{}').digest('hex');
    acceptances.accept(at('a', file), hash, true);
    assert.equal(acceptances.has(at('a', file), hash), true);
    assert.equal(acceptances.has(at('b', file), hash), false);
    acceptances.keepRules(at('a', file), [{ permission: 'bash', pattern: 'x', action: 'allow' }]);
    assert.deepEqual(acceptances.keptRules(at('b', file)), []);
    acceptances.accept(at('b', file), hash, true);
    assert.equal(acceptances.has(at('b', file), hash), true, 'it can be accepted there too');
  });

test('a workspace that is opened by a link to its folder has the same acceptances', async (t) => {
  const { at, acceptances } = await makeTwo(t);
  for (const file of ['.vscode/settings.json', '.gatehouse/agents/x.md', 'tools.json']) {
    writeFileSync(at('a', file), '{}');
    acceptances.accept(at('a', file), 'hash', true);
  }
  symlinkSync(at('a'), at('c'));
  for (const file of ['.vscode/settings.json', '.gatehouse/agents/x.md', 'tools.json'])
    assert.equal(acceptances.has(at('c', file), 'hash'), true, file);
});

test('what was accepted can be revoked when the file is gone', async (t) => {
  const { at, acceptances } = await makeTwo(t);
  symlinkSync(at('a'), at('c'));
  const file = at('c/.vscode/settings.json');
  writeFileSync(file, '{}');
  acceptances.accept(file, 'hash', true);
  rmSync(file);
  acceptances.accept(file, 'hash', false);
  writeFileSync(file, '{}');
  assert.equal(acceptances.has(file, 'hash'), false);
});
