import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { findInstructions } from '../../../src/guidance/instructions.ts';
import { openProject } from './project.ts';

test('CS-44: the user’s file comes first, then the project’s from the top of the repository downward', (t) => {
  const { home, root, folders, write } = openProject(t);
  mkdirSync(path.join(root, '.git'));
  write(path.join(home, '.claude/CLAUDE.md'), 'user');
  write(path.join(root, 'AGENTS.md'), 'top');
  write(path.join(root, 'pkg/a/CONTEXT.md'), 'context');
  write(path.join(root, 'pkg/a/CLAUDE.md'), 'claude');
  write(path.join(root, 'pkg/a/AGENTS.md'), 'agents');
  write(path.join(root, 'pkg/a/below/AGENTS.md'), 'not on the way up');
  write(path.join(home, 'AGENTS.md'), 'above the repository');
  const found = findInstructions(folders('pkg/a'));
  const texts = found.files.map(({ text }) => text);
  assert.deepEqual(texts, ['user', 'top', 'agents', 'claude', 'context']);
  assert.deepEqual(found.leftOut, []);
});

test('CS-44: without a repository the way up ends at the home folder, and at a folder that others may write to', (t) => {
  const { home, root, folders, write } = openProject(t);
  write(path.join(root, 'AGENTS.md'), 'above');
  write(path.join(root, 'open/sub/AGENTS.md'), 'own');
  write(path.join(home, 'AGENTS.md'), 'home');
  const walk = () => findInstructions(folders('open/sub'));
  assert.deepEqual(
    walk().files.map(({ text }) => text),
    ['above', 'own'],
  );
  write(path.join(root, 'open/AGENTS.md'), 'anyone wrote this');
  chmodSync(path.join(root, 'open'), 0o777);
  const { files, leftOut } = walk();
  assert.deepEqual(
    files.map(({ text }) => text),
    ['own'],
  );
  assert.match(leftOut[0]?.why ?? '', /others may write to it/);
});

test('CS-45: all files together are cut at 32,000 characters, with a warning', (t) => {
  const { root, folders, write } = openProject(t);
  mkdirSync(path.join(root, '.git'));
  write(path.join(root, 'AGENTS.md'), 'a'.repeat(31_000));
  write(path.join(root, 'CLAUDE.md'), `begin${'b'.repeat(10_000_000)}`);
  write(path.join(root, 'CONTEXT.md'), 'c');
  const { files, leftOut } = findInstructions(folders());
  assert.deepEqual(
    files.map(({ text }) => text.length),
    [31_000, 1000],
  );
  assert.equal(files[1]?.text.startsWith('begin'), true, 'the head is kept');
  assert.deepEqual(
    leftOut.map(({ file, why }) => [
      path.basename(file),
      /only its beginning|left out/.exec(why)?.[0],
    ]),
    [
      ['CLAUDE.md', 'only its beginning'],
      ['CONTEXT.md', 'left out'],
    ],
  );
});

test('a link counts inside of the project only, and the same text counts once', (t) => {
  const { home, root, folders, write } = openProject(t);
  mkdirSync(path.join(root, '.git'));
  write(path.join(root, 'AGENTS.md'), 'one');
  symlinkSync('AGENTS.md', path.join(root, 'CLAUDE.md'));
  write(path.join(home, 'secret'), 'the key');
  symlinkSync(path.join(home, 'secret'), path.join(root, 'CONTEXT.md'));
  const { files, leftOut } = findInstructions(folders());
  assert.deepEqual(
    files.map(({ text }) => text),
    ['one'],
  );
  assert.match(leftOut[0]?.why ?? '', /outside of the project/);
});

test('a pipe, a folder and bytes that are not UTF-8 are left out with the reason', (t) => {
  const { root, folders, write } = openProject(t);
  mkdirSync(path.join(root, '.git'));
  execFileSync('mkfifo', [path.join(root, 'AGENTS.md')]);
  mkdirSync(path.join(root, 'CLAUDE.md'));
  write(path.join(root, 'CONTEXT.md'), Buffer.from([0xff, 0xfe, 0x41]));
  const { files, leftOut } = findInstructions(folders());
  assert.deepEqual(files, []);
  assert.deepEqual(
    leftOut.map(({ why }) => /pipe|folder|UTF-8/.exec(why)?.[0]),
    ['pipe', 'folder', 'UTF-8'],
  );
});

test('invisible characters are removed, and the user learns of them', (t) => {
  const { root, folders } = openProject(t);
  mkdirSync(path.join(root, '.git'));
  const text = 'Be\u{E0041}\u{E0042} brief\u202E.\nSecond\tline 👩\u200D💻';
  writeFileSync(path.join(root, 'AGENTS.md'), text);
  const { files, leftOut } = findInstructions(folders());
  assert.equal(files[0]?.text, 'Be brief.\nSecond\tline 👩\u200D💻');
  assert.match(leftOut[0]?.why ?? '', /^3 invisible characters/);
});

test('nothing of an untrusted workspace is read', (t) => {
  const { home, root, write } = openProject(t);
  write(path.join(root, 'AGENTS.md'), 'project');
  const config = path.join(home, '.config');
  assert.deepEqual(
    findInstructions({ workspace: [], home, config, decideRead: () => 'allow' }).files,
    [],
  );
});

const toReasons = (leftOut: readonly { file: string; why: string }[]) =>
  leftOut.map(({ file, why }) => [
    path.basename(file),
    /not named|hard link|don't allow/.exec(why)?.[0],
  ]);

test('a link of an instruction file to a file of another name in the project is not read', (t) => {
  const { root, folders, write } = openProject(t);
  write(path.join(root, '.git/config'), '[remote] url = https://me:token@a.example');
  write(path.join(root, '.env'), 'KEY=secret');
  symlinkSync('.env', path.join(root, 'AGENTS.md'));
  symlinkSync('.git/config', path.join(root, 'CLAUDE.md'));
  symlinkSync('CLAUDE.md', path.join(root, 'CONTEXT.md'));
  const { files, leftOut } = findInstructions(folders());
  assert.deepEqual(files, []);
  assert.deepEqual(toReasons(leftOut), [
    ['AGENTS.md', 'not named'],
    ['CLAUDE.md', 'not named'],
    ['CONTEXT.md', 'not named'],
  ]);
});

test('a link to an instruction file elsewhere in the project is read if the rules allow that', (t) => {
  const { root, folders, write } = openProject(t);
  mkdirSync(path.join(root, '.git'));
  write(path.join(root, 'docs/AGENTS.md'), 'docs');
  symlinkSync('docs/AGENTS.md', path.join(root, 'CLAUDE.md'));
  const read = (decision: 'allow' | 'ask') =>
    findInstructions({ ...folders(), decideRead: () => decision });
  assert.deepEqual(
    read('allow').files.map(({ text }) => text),
    ['docs'],
  );
  assert.deepEqual(read('ask').files, []);
  assert.deepEqual(toReasons(read('ask').leftOut), [['CLAUDE.md', "don't allow"]]);
});

test('AGENTS.md as a link to CLAUDE.md is read, also where reading would ask, and not where it is denied', (t) => {
  const { root, folders, write } = openProject(t);
  mkdirSync(path.join(root, '.git'));
  write(path.join(root, 'CLAUDE.md'), 'one');
  symlinkSync('CLAUDE.md', path.join(root, 'AGENTS.md'));
  const read = (decision: 'ask' | 'deny') =>
    findInstructions({ ...folders(), decideRead: () => decision });
  assert.deepEqual(
    read('ask').files.map(({ text }) => text),
    ['one'],
  );
  assert.deepEqual(read('deny').files, []);
});

test('a hard link is read only if all of its names are instruction files of the session', (t) => {
  const { root, folders, write } = openProject(t);
  write(path.join(root, '.git/config'), 'token');
  linkSync(path.join(root, '.git/config'), path.join(root, 'AGENTS.md'));
  write(path.join(root, 'CLAUDE.md'), 'both');
  linkSync(path.join(root, 'CLAUDE.md'), path.join(root, 'CONTEXT.md'));
  const { files, leftOut } = findInstructions(folders());
  assert.deepEqual(
    files.map(({ text }) => text),
    ['both'],
  );
  assert.deepEqual(toReasons(leftOut), [['AGENTS.md', 'hard link']]);
});
