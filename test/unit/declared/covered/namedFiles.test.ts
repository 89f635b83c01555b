import assert from 'node:assert/strict';
import {
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { createNamedFiles } from '../../../../src/declared/covered/namedFiles.ts';
import { loadDeclaredTools } from '../../../../src/declared/load.ts';
import { cpuTime } from '../../cpuTime.ts';
import { temporary } from '../../host/harness.ts';

/** A minute later, so that no folder of the test is young. */
const later = () => Date.now() + 60_000;

async function open(t: TestContext, now: () => number, words: readonly string[]) {
  const folder = await temporary(t);
  mkdirSync(path.join(folder, 'sub'));
  const files = createNamedFiles(new Set(words.map((word) => path.join(folder, word))), now);
  const probe = await temporary(t);
  const find = () => {
    const found = [...files.find()].map((file) => path.relative(folder, file)).sort();
    // In young folders, names must be found without it.
    if (now === later) awaitTick(path.join(probe, 'file'));
    return found;
  };
  return { at: (name: string) => path.join(folder, name), find };
}

/** Returns when a change gets another timestamp than one before: a few milliseconds at most. */
function awaitTick(file: string): void {
  const touch = () => {
    writeFileSync(file, 'x');
    return statSync(file, { bigint: true }).ctimeNs;
  };
  const first = touch();
  while (touch() === first);
}

for (const [age, now] of [
  ['old', later],
  ['young', Date.now],
] as const) {
  test(`names are found as soon as they are files, in ${age} folders`, async (t) => {
    const words = ['a', 'b', 'sub', 'sub/c', 'none/d', 'link'];
    const { at, find } = await open(t, now, words);
    symlinkSync('sub/target', at('link'));
    assert.deepEqual([find(), find()], [[], []]);
    writeFileSync(at('a'), '');
    assert.deepEqual(find(), ['a']);
    writeFileSync(at('sub/c'), '');
    assert.deepEqual(find(), ['a', 'sub/c']);
    // A link's own folder does not change when its target appears.
    writeFileSync(at('sub/target'), '');
    assert.deepEqual(find(), ['a', 'link', 'sub/c']);
    mkdirSync(at('none'));
    writeFileSync(at('none/d'), '');
    assert.deepEqual(find(), ['a', 'link', 'none/d', 'sub/c']);
    rmSync(at('a'));
    mkdirSync(at('a'));
    assert.deepEqual(find(), ['link', 'none/d', 'sub/c']);
  });
}

test('a name is found in a folder that takes the place of another, whatever times it shows', async (t) => {
  const { at, find } = await open(t, later, ['sub/c']);
  const time = new Date(2001, 1);
  mkdirSync(at('other'));
  writeFileSync(at('other/c'), '');
  for (const folder of ['sub', 'other']) utimesSync(at(folder), time, time);
  assert.deepEqual(find(), []);
  renameSync(at('sub'), at('gone'));
  renameSync(at('other'), at('sub'));
  assert.deepEqual(find(), ['sub/c']);
});

test('a name is found in a folder whose time of change was set back', async (t) => {
  const { at, find } = await open(t, later, ['sub/c']);
  const time = new Date(2001, 1);
  utimesSync(at('sub'), time, time);
  assert.deepEqual(find(), []);
  writeFileSync(at('sub/c'), '');
  utimesSync(at('sub'), time, time);
  assert.deepEqual(find(), ['sub/c']);
});

test('words that are no files are not looked up one by one again', async (t) => {
  const words = Array.from({ length: 5_000 }, (_, at) => `word${at}`);
  const folder = await temporary(t);
  const files = createNamedFiles(new Set(words.map((word) => path.join(folder, word))), later);
  files.find();
  const ms = await cpuTime(() => {
    for (let round = 0; round < 50; round++) assert.equal(files.find().size, 0);
  });
  assert.ok(ms < 200, `${Math.round(ms)} ms`);
});

test('a tool is offered whose argument is longer than any name of a file', async (t) => {
  const root = await temporary(t);
  const command = ['/bin/sh', '-c', `echo '${'x'.repeat(300)}'`];
  writeFileSync(
    path.join(root, 'tools.json'),
    JSON.stringify({ tools: [{ name: 'say', command }] }),
  );
  const { tools } = await loadDeclaredTools({
    roots: [root],
    trusted: true,
    accepted: { has: () => true },
    options: {
      env: process.env,
      secrets: { get: async () => undefined },
      audit: () => undefined,
      timeoutMs: 10_000,
      schemaMs: 1000,
      confirmExternalActions: true,
    },
  });
  assert.equal(tools.length, 1);
});
