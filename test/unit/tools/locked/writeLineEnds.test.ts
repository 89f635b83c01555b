import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ALLOW_ALL, openBed } from '../bed.ts';
import { openSession } from '../session.ts';

/** Writes `content` over `before`, and returns the bytes of the file. */
async function replace(before: string, content: string): Promise<string> {
  using bed = openBed();
  const file = path.join(bed.workspace, 'file.txt');
  writeFileSync(file, before);
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const done = await session.call('write', { path: 'file.txt', content });
  assert.equal(done.type, 'output', JSON.stringify(done));
  return readFileSync(file, 'utf8');
}

test('in a file with both line ends each line keeps its own, also beside changed lines', async () => {
  assert.equal(await replace('a\r\nb\nc\r\nd\n', 'a\nB\nc\nd\n'), 'a\r\nB\nc\r\nd\n');
  assert.equal(await replace('a\nb\r\nc\r\nd\r\n', 'a\nB\nc\nd\n'), 'a\nB\r\nc\r\nd\r\n');
});

test('added lines get the line end of the line they follow', async () => {
  assert.equal(await replace('a\r\nb\nc\n', 'a\nb\nnew\nc\n'), 'a\r\nb\nnew\nc\n');
});

test('a file with one kind of line end has no other afterwards', async () => {
  assert.equal(await replace('a\r\nb\r\n', 'A\nb\nc\n'), 'A\r\nb\r\nc\r\n');
  assert.equal(await replace('a\rb\r', 'A\nb\nc\n'), 'A\rb\rc\r');
});

test('content that has line ends of its own is written as it is', async () => {
  assert.equal(await replace('a\r\nb\n', 'a\nB\r\n'), 'a\nB\r\n');
});

test('a lone CR in a file with LF is text, and stays where it is', async () => {
  const before = 'progress 1\rprogress 2\nb\n';
  assert.equal(await replace(before, 'progress 1\rprogress 2\nB\n'), 'progress 1\rprogress 2\nB\n');
  assert.equal(await replace('x\ry\r\nb\n', 'xy\nB\n'), 'xy\nB\n');
});
