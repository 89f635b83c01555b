import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  carriesRun,
  findHost,
  hostMark,
  isHostAlive,
  withMarks,
} from '../../../../src/runtime/commands/marks.ts';
import { until } from '../../../workbench/processes.ts';

const RUN = 'b5d1';
/** An environment as the system lists it. */
const listed = (env: object) =>
  Object.entries(env)
    .map(([name, value]) => `${name}=${value}\0`)
    .join('');

for (const place of ['variables', 'path'] as const) {
  test(`marks in ${place} name the run and the host, and those of an outer host are gone`, () => {
    const outer = { HOME: '/h', PATH: '/bin:/dev/null/GATE_HOST=1.2.3/GATE_RUN=old:/sbin' };
    const marked = listed(withMarks(outer, { run: RUN, in: place }));
    assert.equal(carriesRun(marked, RUN), true);
    assert.equal(carriesRun(marked, 'old'), false);
    assert.equal(findHost(marked), hostMark());
    assert.match(marked, /PATH=\/bin:\/sbin[:\0]/);
  });
}

test('a mark in PATH adds no variable, also where there was no PATH', () => {
  const names = (env: object) => Object.keys(withMarks({ ...env }, { run: RUN, in: 'path' }));
  assert.deepEqual(names({ HOME: '/h' }).sort(), ['HOME', 'PATH']);
  assert.deepEqual(names({}), ['PATH']);
});

test('text that only looks like a mark is none', () => {
  for (const text of [
    'GATE_HOST=1.2.3x',
    'a GATE_HOST=1.2.3 b',
    '/a:/dev/null/GATE_HOST=1.2.3/GATE_RUN=b',
  ]) {
    assert.equal(findHost(`NOTE=${text}\0`), undefined, text);
  }
  assert.equal(findHost('XGATE_HOST=1.2.3\0'), undefined);
  assert.equal(carriesRun(`XGATE_RUN=${RUN}\0`, RUN), false);
});

test('this host runs; a host of another namespace is not judged', () => {
  assert.equal(isHostAlive(hostMark()), true);
  if (process.platform !== 'linux') return;
  const [pid, , namespace] = hostMark().split('.');
  assert.equal(isHostAlive(`${pid}.1.${namespace}`), false, 'the id was given out again');
  assert.equal(isHostAlive(`${2 ** 30}.1.${namespace}`), false);
  assert.equal(isHostAlive(`${2 ** 30}.1.1`), true);
});

test('a host that was killed runs no more, though its parent has not noticed', async () => {
  if (process.platform !== 'linux') return;
  // The shell becomes a program that never asks how its child ended.
  const parent = spawn('bash', ['-c', 'sleep 1000 & echo $!; exec sleep 1000'], { detached: true });
  try {
    const [line] = await once(parent.stdout, 'data');
    const pid = Number(String(line));
    const stat = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ');
    const mark = `${pid}.${stat()[21]}.${hostMark().split('.')[2]}`;
    await until('the other program', () => {
      return readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n';
    });
    assert.equal(isHostAlive(mark), true);
    process.kill(pid, 'SIGKILL');
    await until('the end', () => stat()[2] === 'Z');
    assert.equal(isHostAlive(mark), false);
  } finally {
    process.kill(-(parent.pid ?? 0), 'SIGKILL');
  }
});
