import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../../src/base/clock.ts';
import { openScratchFolders } from '../../../../src/host/services/scratchFolders.ts';
import { temporary } from '../harness.ts';
import { type Host, poll, promptOf, start } from '../stdioHost.ts';

const DAY = 24 * 3600 * 1000;
/** Above what a kernel gives out. */
const GONE = 2 ** 30;

test('a session that is opened after its host was killed has its files, however late', async (t) => {
  const data = await temporary(t);
  const scratch = path.join(data, 'user/scratch');
  const killed = await start(t, { data });
  const [again, late] = [await newSession(killed, scratch), await newSession(killed, scratch)];
  for (const id of [again, late]) writeFileSync(path.join(scratch, id, 'note'), 'x');
  killed.child.kill('SIGKILL');
  await killed.exit;

  const next = await start(t, { data });
  const own = await newSession(next, scratch);
  const left = path.join(data, 'state/scratch');
  await poll(() => readFileSync(path.join(left, late), 'utf8') === '', 'the sweep');
  await next.request('session/prompt', promptOf(own));
  for (const sessionId of [again, late]) {
    await next.request('session/load', { sessionId, cwd: scratch, mcpServers: [] });
    assert.deepEqual(readdirSync(path.join(scratch, sessionId)), ['note']);
  }
});

test('the folder of a killed host is removed a week after a sweep saw that', async (t) => {
  const bed = await openBed(t);
  const dead = `${GONE}.1.${bed.namespace}`;
  bed.mark('ses_killed', dead);
  assert.deepEqual(await bed.folders(30 * DAY).sweep(), []);
  await bed.folders(6 * DAY).sweep();
  assert.deepEqual(bed.left(), ['ses_killed']);
  await bed.folders(8 * DAY).sweep();
  assert.deepEqual(bed.left(), []);
});

test('a session that was left keeps its folder for a week', async (t) => {
  const bed = await openBed(t);
  bed.folders().open('ses_left');
  bed.folders().leave('ses_left');
  await bed.folders(6 * DAY).sweep();
  assert.deepEqual(bed.left(), ['ses_left']);
  await bed.folders(8 * DAY).sweep();
  assert.deepEqual(bed.left(), []);
  assert.deepEqual(readdirSync(path.join(bed.state, 'scratch')), []);
});

test('nothing is removed that a running host may use, or that is no scratch folder', async (t) => {
  const bed = await openBed(t);
  const outside = await temporary(t);
  writeFileSync(path.join(outside, 'kept'), 'x');
  bed.folders().open('ses_own');
  // Nobody can tell whether a host of another container runs, or who wrote nothing.
  bed.mark('ses_container', '1.1.1');
  bed.mark('ses_unmarked');
  mkdirSync(path.join(bed.state, 'scratch/ses_unreadable'), { recursive: true });
  bed.mark('ses_unreadable');
  writeFileSync(path.join(bed.scratch, 'notes.txt'), 'of gatehouse call');
  bed.markLongAgo('ses_left');
  symlinkSync(outside, path.join(bed.scratch, 'ses_left/link'));
  await bed.folders().sweep();
  const kept = ['notes.txt', 'ses_container', 'ses_own', 'ses_unmarked', 'ses_unreadable'];
  assert.deepEqual(bed.left(), kept);
  assert.deepEqual(readdirSync(outside), ['kept']);
});

test('a folder that cannot be removed keeps no other one', async (t) => {
  const bed = await openBed(t);
  for (const name of ['ses_a', 'ses_b', 'ses_c', 'ses_d']) bed.markLongAgo(name);
  using _a = nestTooDeeply(path.join(bed.scratch, 'ses_a'));
  using _c = nestTooDeeply(path.join(bed.scratch, 'ses_c'));
  const faults = await bed.folders().sweep();
  assert.deepEqual(bed.left(), ['ses_a', 'ses_c']);
  const [a, c] = ['ses_a', 'ses_c'].map((name) => `${path.join(bed.scratch, name)}: ENAMETOOLONG`);
  assert.deepEqual([...faults].sort(), [a, c]);
});

/** Fills a folder with paths that are too long for the system; a shell can remove them. */
function nestTooDeeply(folder: string): Disposable {
  const nest = 'n=$(printf %0200d 0); for i in $(seq 25); do mkdir $n && cd $n; done';
  spawnSync('sh', ['-c', nest], { cwd: folder });
  return { [Symbol.dispose]: () => void spawnSync('rm', ['-rf', folder]) };
}

async function openBed(t: TestContext) {
  const data = await temporary(t);
  const scratch = path.join(data, 'scratch');
  const state = path.join(data, 'state');
  mkdirSync(scratch);
  mkdirSync(state);
  return {
    scratch,
    state,
    /** As the kernel numbers our process ids' namespace. */
    namespace: process.platform === 'linux' ? statSync('/proc/self/ns/pid').ino : 0,
    folders: (later = 0) =>
      openScratchFolders({ scratch, state }, { ...systemClock, now: () => Date.now() + later }),
    mark(name: string, host?: string) {
      mkdirSync(path.join(scratch, name));
      mkdirSync(path.join(state, 'scratch'), { recursive: true });
      if (host !== undefined) writeFileSync(path.join(state, 'scratch', name), host);
    },
    markLongAgo(name: string) {
      this.mark(name, '');
      const then = (Date.now() - 8 * DAY) / 1000;
      utimesSync(path.join(state, 'scratch', name), then, then);
    },
    left: () => readdirSync(scratch).sort(),
  };
}

async function newSession(host: Host, cwd: string): Promise<string> {
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const reply = await host.request('session/new', { cwd, mcpServers: [] });
  return Object(reply.result).sessionId;
}
