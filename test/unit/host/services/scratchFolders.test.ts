import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../../src/base/clock.ts';
import { openScratchFolders } from '../../../../src/host/services/scratchFolders.ts';
import { DEAD } from '../../base/disk/deadMark.ts';
import { temporary } from '../harness.ts';
import { type Host, poll, promptOf, start } from '../stdioHost.ts';

const DAY = 24 * 3600 * 1000;

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
  await poll(() => readdirSync(path.join(left, late)).length === 0, 'the sweep');
  await next.request('session/prompt', promptOf(own));
  for (const sessionId of [again, late]) {
    await next.request('session/load', { sessionId, cwd: scratch, mcpServers: [] });
    assert.deepEqual(readdirSync(path.join(scratch, sessionId)), ['note']);
  }
});

test('the folder of a killed host is removed a week after a sweep saw that', async (t) => {
  const bed = await openBed(t);
  bed.mark('ses_killed', DEAD);
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
  bed.mark('ses_unreadable');
  writeFileSync(path.join(bed.state, 'scratch/ses_unreadable'), '');
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
  // Moved aside: a session that is opened again gets an empty folder.
  const left = bed.left().map((name) => name.replace(/\.[\w-]+\.removed$/, ' removed'));
  assert.deepEqual(left, ['ses_a removed', 'ses_c removed']);
  const [a, c] = ['ses_a', 'ses_c'].map((name) => `${path.join(bed.scratch, name)}: ENAMETOOLONG`);
  assert.deepEqual([...faults].sort(), [a, c]);
  assert.equal((await bed.folders().sweep()).length, 2, 'the next host tries again');
});

test('a session that is opened while its old folder is removed keeps its new files', async (t) => {
  const bed = await openBed(t);
  bed.markLongAgo('ses_a');
  writeFileSync(path.join(bed.scratch, 'ses_a/old'), 'x');
  const folders = bed.folders();
  const sweep = folders.sweep();
  writeFileSync(path.join(folders.open('ses_a'), 'new'), 'x');
  await sweep;
  assert.deepEqual(readdirSync(path.join(bed.scratch, 'ses_a')), ['new']);
  assert.deepEqual(bed.left(), ['ses_a']);
  await bed.folders(30 * DAY).sweep();
  assert.deepEqual(bed.left(), ['ses_a'], 'it is in use');
});

test('a session that two hosts have open is in use until both left it', async (t) => {
  const bed = await openBed(t);
  const container = DEAD.split('.').with(2, '1').join('.');
  bed.mark('ses_a', container);
  bed.folders().open('ses_a');
  bed.folders().leave('ses_a');
  await bed.folders(30 * DAY).sweep();
  assert.deepEqual(bed.left(), ['ses_a']);
});

/** Fills a folder with paths that are too long for the system; a shell can remove them. */
function nestTooDeeply(folder: string): Disposable {
  const nest = 'n=$(printf %0200d 0); for i in $(seq 25); do mkdir $n && cd $n; done';
  spawnSync('sh', ['-c', nest], { cwd: folder });
  return { [Symbol.dispose]: () => void spawnSync('rm', ['-rf', path.dirname(folder)]) };
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
    folders: (later = 0) =>
      openScratchFolders({ scratch, state }, { ...systemClock, now: () => Date.now() + later }),
    mark(name: string, host?: string) {
      mkdirSync(path.join(scratch, name));
      mkdirSync(path.join(state, 'scratch'), { recursive: true });
      if (host === undefined) return;
      mkdirSync(path.join(state, 'scratch', name));
      if (host !== '') writeFileSync(path.join(state, 'scratch', name, host), '');
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
