import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { processMark, readMark } from '../../../../src/base/disk/processMark.ts';
import { until } from '../../../workbench/processes.ts';
import { DEAD } from './deadMark.ts';

/** This process's mark with other parts: id, start, namespace, boot, machine. */
function other(parts: Readonly<Record<number, string>>): string {
  return Object.entries(parts)
    .reduce((all, [at, part]) => all.with(Number(at), part), processMark().split('.'))
    .join('.');
}

test('a mark says whether its process runs, as far as that can be seen', () => {
  assert.equal(readMark(processMark()), 'running');
  assert.equal(readMark(DEAD), 'ended');
  assert.equal(readMark(other({ 3: 'b007' })), 'ended', 'the machine was started again');
  assert.equal(readMark(other({ 3: 'b007', 4: 'ab' })), 'unknown', 'another machine');
  for (const text of ['', '1', '1.2', 'x.y.z', `${processMark()}.1`, `${processMark()}\n`])
    assert.equal(readMark(text), 'unknown', JSON.stringify(text));
  if (process.platform !== 'linux') return;
  assert.equal(readMark(other({ 1: '1' })), 'ended', 'the id was given out again');
  assert.equal(readMark(other({ 0: String(2 ** 30), 2: '1' })), 'unknown', 'a container');
  assert.equal(readMark(processMark().split('.').slice(0, 3).join('.')), 'running', 'an old mark');
});

test('a process that was killed runs no more, though its parent has not noticed', async () => {
  if (process.platform !== 'linux') return;
  // The shell becomes a program that never asks how its child ended.
  const parent = spawn('bash', ['-c', 'sleep 1000 & echo $!; exec sleep 1000'], { detached: true });
  try {
    const [line] = await once(parent.stdout, 'data');
    const pid = Number(String(line));
    const stat = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ');
    const mark = `${pid}.${stat()[21]}.${processMark().split('.')[2]}`;
    await until('the other program', () => {
      return readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n';
    });
    assert.equal(readMark(mark), 'running');
    process.kill(pid, 'SIGKILL');
    await until('the end', () => stat()[2] === 'Z');
    assert.equal(readMark(mark), 'ended');
  } finally {
    process.kill(-(parent.pid ?? 0), 'SIGKILL');
  }
});
