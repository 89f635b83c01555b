import assert from 'node:assert/strict';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Had } from '../../../../src/runtime/sandbox/sandbox.ts';
import { until } from '../../../workbench/processes.ts';
import { openSandboxBed, type SandboxBed } from './bed.ts';

const { signal } = new AbortController();

/** Runs a command, does something in the workspace before it ends, and lists its changes; `!` marks conflicts. */
async function runBeside(bed: SandboxBed, line: string, beside: () => void, had?: Had) {
  const held = await bed.hold();
  const at = (name: string) => path.join(bed.base, 'data/copy/tmp', name);
  for (const name of ['up', 'go']) rmSync(at(name), { force: true });
  const wait = 'touch /tmp/up; for i in {1..6000}; do [ -e /tmp/go ] && break; sleep 0.01; done';
  const ran = bed.run(held.start({ masks: [], ...(had && { had }) }), `${line}; ${wait}`);
  await until('the command', () => existsSync(at('up')));
  beside();
  writeFileSync(at('go'), '');
  await ran;
  const changes = await held.changes(signal);
  assert.ok(changes.ok);
  await held.drop(changes.data.files);
  held.release();
  return changes.data.files.map((each) => `${each.isConflict ? '!' : ''}${each.type} ${each.path}`);
}

test('a file that is deleted or renamed while a command changes its copy is a conflict, and a new one beside it is none', async () => {
  await using bed = await openSandboxBed();
  const at = (name: string) => path.join(bed.workspace, name);
  const plant = () => {
    mkdirSync(at('d/e'), { recursive: true });
    for (const name of ['a', 'b', 'c', 'd/e/f']) writeFileSync(at(name), 'old');
  };
  const had: Had = (file) => ['a', 'b', 'c', 'd', 'd/e', 'd/e/f'].some((name) => file === at(name));
  const line = 'echo >a; sed -i s/old/new/ b; rm c; mkfifo c; echo >d/e/f; chmod 700 d; echo >new';
  plant();
  const beside = () => {
    for (const name of ['a', 'b', 'c']) rmSync(at(name));
    renameSync(at('d'), at('moved'));
  };
  assert.deepEqual(await runBeside(bed, line, beside, had), [
    ...['!added a', '!added b', '!added c', '!added d', '!added d/e', '!added d/e/f', 'added new'],
  ]);
});

test('where it is not known what was there, what is new in a folder that changed meanwhile is a conflict', async () => {
  await using bed = await openSandboxBed();
  const at = (name: string) => path.join(bed.workspace, name);
  for (const name of ['still', 'busy']) mkdirSync(at(name));
  await bed.hold().then((held) => held.release());
  const line = 'echo >still/new; echo >busy/new; mkdir busy/in; echo >busy/in/x';
  const beside = () => writeFileSync(at('busy/other'), '');
  assert.deepEqual(await runBeside(bed, line, beside), [
    ...['!added busy/in', '!added busy/in/x', '!added busy/new', 'added still/new'],
  ]);
});

test('what you change in a folder after a command deleted it in the copy is kept, though a second try follows', async () => {
  await using bed = await openSandboxBed();
  const at = (name: string) => path.join(bed.workspace, name);
  const files = ['gone/x', 'gone/in/x', 'anew/x', 'later/x', 'gone/still', 'anew/still'];
  for (const name of files) {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), 'old');
  }
  const held = await bed.hold();
  await bed.run(held.start({ masks: [] }), 'rm -r gone anew later; mkdir anew');
  const edited = files.filter((name) => !name.endsWith('still'));
  for (const name of edited) writeFileSync(at(name), 'yours');
  await bed.run(held.start({ masks: [] }), 'mkdir later');
  const changes = await held.changes(signal);
  assert.ok(changes.ok);
  const conflicts = changes.data.files.filter(({ isConflict }) => isConflict);
  assert.deepEqual(conflicts.map((each) => each.path).sort(), edited.sort());
  const deleted = changes.data.files.filter(({ type }) => type === 'deleted');
  assert.ok(files.every((name) => deleted.some((each) => each.path === name)));
});

test('what covers a hidden file in a folder that a command made anew is no change of it', async () => {
  await using bed = await openSandboxBed();
  const at = (name: string) => path.join(bed.workspace, name);
  mkdirSync(at('sub'));
  writeFileSync(at('sub/x'), 'x');
  const held = await bed.hold();
  await bed.run(held.start({ masks: [] }), 'rm -r sub; mkdir sub');
  writeFileSync(at('sub/.env'), 'secret');
  await bed.run(held.start({ masks: [at('sub/.env')] }), 'cat sub/.env');
  const changes = await held.changes(signal);
  assert.ok(changes.ok);
  assert.deepEqual(
    changes.data.files.map(({ path: file, type, isConflict }) => [file, type, isConflict]),
    [
      ['sub/.env', 'deleted', true],
      ['sub/x', 'deleted', false],
    ],
  );
});
