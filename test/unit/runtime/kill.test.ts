import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { recoverJournal } from '../../../src/runtime/files/journal.ts';
import { sweepSidecars } from '../../../src/runtime/sidecars.ts';
import { sizeOf } from '../../workbench/sizes.ts';
import { DEAD } from '../base/disk/deadMark.ts';
import { openBed } from '../tools/bed.ts';
import { contentOf } from './contentOf.ts';

/** DU-001. `npm run test:durability` has the long form. */
const KILLS = sizeOf(25, 1_000);

test('a writer killed at any time leaves each file whole, its names and mode kept, and no other file', async () => {
  using bed = openBed();
  const state = path.join(bed.data, 'state');
  mkdirSync(path.join(state, 'journal'), { recursive: true });
  for (const name of ['single', 'linked']) {
    writeFileSync(path.join(bed.workspace, name), contentOf(0));
    chmodSync(path.join(bed.workspace, name), 0o640);
  }
  linkSync(path.join(bed.workspace, 'linked'), path.join(bed.workspace, 'second'));
  let undone = 0;
  // On a busy machine, continues until a kill has hit a write.
  for (let round = 0; round < KILLS || (undone === 0 && round < 20 * KILLS); round += 1) {
    await killWriter(bed.workspace, state, 3 + ((round * 7) % 40));
    undone += (await recoverJournal(state)).length;
    assert.deepEqual(readdirSync(bed.workspace).sort(), ['linked', 'second', 'single']);
    assert.deepEqual(readdirSync(path.join(state, 'journal')), []);
    for (const name of ['linked', 'second', 'single']) {
      const text = readFileSync(path.join(bed.workspace, name), 'utf8');
      assert.equal(text.length, contentOf(0).length, `${name} is half written`);
      assert.equal(text, text.charAt(0).repeat(text.length), `${name} is mixed`);
      assert.equal(statSync(path.join(bed.workspace, name)).mode & 0o777, 0o640);
    }
    assert.equal(statSync(path.join(bed.workspace, 'linked')).nlink, 2);
  }
  assert.ok(undone > 0, 'no kill met a write: the test saw nothing');
});

test('an entry or sidecar that cannot be removed keeps no host from running', async () => {
  using bed = openBed();
  const state = path.join(bed.data, 'state');
  // A folder can't be removed as a file.
  const gone = DEAD;
  for (const name of [`${gone}-a.json`, `${gone}-a.copy`]) {
    mkdirSync(path.join(state, 'journal', name), { recursive: true });
  }
  const left = path.join(bed.workspace, 'left');
  writeFileSync(left, '');
  const entry = { kind: 'temporary', file: left, mark: gone, at: 0 };
  writeFileSync(path.join(state, 'journal', `${gone}-b.json`), JSON.stringify(entry));
  assert.deepEqual(await recoverJournal(state), [left]);
  const out = path.join(state, 'sessions/ses_x/out');
  mkdirSync(path.join(out, `call-a-${gone}.txt`), { recursive: true });
  writeFileSync(path.join(out, `call-b-${gone}.txt`), '');
  await sweepSidecars(state);
  assert.deepEqual(readdirSync(out), [`call-a-${gone}.txt`]);
});

async function killWriter(folder: string, state: string, afterMs: number): Promise<void> {
  const script = path.join(import.meta.dirname, 'writer.ts');
  const child = spawn(process.execPath, [script, folder, state], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  await delay(afterMs);
  child.kill('SIGKILL');
  await closed;
}
