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
  const find = async () => {
    const found = [...(await files.find())].map((file) => path.relative(folder, file)).sort();
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

const OTHERS = Array.from({ length: 50 }, (_, at) => [`x${at}`, `sub/x${at}`, `none/x${at}`]);

for (const [age, now, others] of [
  ['old', later, []],
  ['young', Date.now, []],
  ['old', later, OTHERS.flat()],
  ['young', Date.now, OTHERS.flat()],
] as const) {
  test(`names are found as soon as they are files, in ${age} folders, beside ${others.length} others`, async (t) => {
    const words = ['a', 'b', 'sub', 'sub/c', 'none/d', 'link', ...others];
    const { at, find } = await open(t, now, words);
    symlinkSync('sub/target', at('link'));
    assert.deepEqual([await find(), await find()], [[], []]);
    writeFileSync(at('a'), '');
    assert.deepEqual(await find(), ['a']);
    writeFileSync(at('sub/c'), '');
    assert.deepEqual(await find(), ['a', 'sub/c']);
    // A link's own folder does not change when its target appears.
    writeFileSync(at('sub/target'), '');
    assert.deepEqual(await find(), ['a', 'link', 'sub/c']);
    mkdirSync(at('none'));
    writeFileSync(at('none/d'), '');
    assert.deepEqual(await find(), ['a', 'link', 'none/d', 'sub/c']);
    rmSync(at('a'));
    mkdirSync(at('a'));
    assert.deepEqual(await find(), ['link', 'none/d', 'sub/c']);
  });
}

test('a name is found in a folder that takes the place of another, whatever times it shows', async (t) => {
  const { at, find } = await open(t, later, ['sub/c']);
  const time = new Date(2001, 1);
  mkdirSync(at('other'));
  writeFileSync(at('other/c'), '');
  for (const folder of ['sub', 'other']) utimesSync(at(folder), time, time);
  assert.deepEqual(await find(), []);
  renameSync(at('sub'), at('gone'));
  renameSync(at('other'), at('sub'));
  assert.deepEqual(await find(), ['sub/c']);
});

test('a name is found in a folder whose time of change was set back', async (t) => {
  const { at, find } = await open(t, later, ['sub/c']);
  const time = new Date(2001, 1);
  utimesSync(at('sub'), time, time);
  assert.deepEqual(await find(), []);
  writeFileSync(at('sub/c'), '');
  utimesSync(at('sub'), time, time);
  assert.deepEqual(await find(), ['sub/c']);
});

test('words that are no files are not looked up one by one again', async (t) => {
  const words = Array.from({ length: 5_000 }, (_, at) => `word${at}`);
  const folder = await temporary(t);
  const files = createNamedFiles(new Set(words.map((word) => path.join(folder, word))), later);
  await files.find();
  const ms = await cpuTime(async () => {
    for (let round = 0; round < 50; round++) assert.equal((await files.find()).size, 0);
  });
  assert.ok(ms < 200, `${Math.round(ms)} ms`);
});

test('a tool is offered whose arguments can be no names of files', async (t) => {
  const root = await temporary(t);
  symlinkSync('loop', path.join(root, 'loop'));
  const command = ['/bin/sh', '-c', `echo '${'x'.repeat(300)}'`, 'loop/a', 'loop'];
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
