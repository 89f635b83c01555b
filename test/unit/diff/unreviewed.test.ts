import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findHunks } from '../../../src/diff/hunks.ts';
import {
  addChange,
  type FileVersions,
  findUnreviewed,
  keepHunks,
  locateHunks,
  undoHunks,
} from '../../../src/diff/unreviewed.ts';

const lines = (...all: readonly string[]) => all.map((line) => `${line}\n`).join('');
const OLD = lines('a', 'b', 'c', 'd', 'e', 'f');
const NEW = lines('A', 'b', 'c', 'D', 'e', 'f');
const VERSIONS: FileVersions = { before: OLD, after: NEW };

test('a hunk is undone around what the user typed elsewhere', () => {
  const now = lines('A', 'b', 'c', 'D', 'e', 'f', 'mine');
  const undone = undoHunks(VERSIONS, new Set([0]), now);
  assert.deepEqual(undone, {
    left: { before: OLD, after: lines('a', 'b', 'c', 'D', 'e', 'f') },
    text: lines('a', 'b', 'c', 'D', 'e', 'f', 'mine'),
  });
});

test('a hunk that the user typed into is a conflict', () => {
  const now = lines('A mine', 'b', 'c', 'D', 'e', 'f');
  assert.equal(undoHunks(VERSIONS, new Set([0]), now), 'conflict');
  assert.notEqual(undoHunks(VERSIONS, new Set([1]), now), 'conflict');
});

test('keeping a hunk leaves the others', () => {
  const left = keepHunks(VERSIONS, new Set([1]));
  assert.deepEqual(left, { before: lines('a', 'b', 'c', 'D', 'e', 'f'), after: NEW });
  assert.deepEqual(keepHunks(VERSIONS, new Set([0, 1])), { before: NEW, after: NEW });
});

test('a later change stacks, and a kept hunk stays reviewed', () => {
  const kept = keepHunks(VERSIONS, new Set([0]));
  const next = addChange(kept, { before: NEW, after: NEW.replace('f', 'F') });
  assert.deepEqual(
    findUnreviewed(next).map(({ newText }) => newText),
    ['D\n', 'F\n'],
  );
});

test('what the user typed between two changes is never undone', () => {
  const typed = NEW.replace('c', 'c mine');
  const next = addChange(VERSIONS, { before: typed, after: typed.replace('f', 'F') });
  const all = new Set(findUnreviewed(next).keys());
  const undone = undoHunks(next, all, typed.replace('f', 'F'));
  assert.deepEqual(undone, {
    left: { before: next.before, after: next.before },
    text: OLD.replace('c', 'c mine'),
  });
});

test('a created file is deleted only as it was written, a deleted one is restored', () => {
  const created = { after: 'new\n' };
  assert.deepEqual(undoHunks(created, new Set([0]), 'new\n'), { left: {} });
  assert.equal(undoHunks(created, new Set([0]), 'new\nmine\n'), 'conflict');
  // The user deleted it already.
  assert.deepEqual(undoHunks(created, new Set([0]), undefined), { left: {} });
  const deleted = { before: 'old\n' };
  const restored = { left: { before: 'old\n', after: 'old\n' }, text: 'old\n' };
  assert.deepEqual(undoHunks(deleted, new Set([0]), undefined), restored);
  assert.equal(undoHunks(deleted, new Set([0]), 'mine\n'), 'conflict');
});

test('an empty file is not a missing one', () => {
  assert.equal(findUnreviewed({ after: '' }).length, 1);
  assert.deepEqual(undoHunks({ after: '' }, new Set([0]), ''), { left: {} });
});

test('hunks are located in the text as the user changed it', () => {
  const states = (now: string) =>
    locateHunks(VERSIONS, now).map(({ state, line, count }) => [state, line, count]);
  assert.deepEqual(states(NEW), [
    ['pending', 1, 1],
    ['pending', 4, 1],
  ]);
  assert.deepEqual(states(lines('top', 'A', 'b', 'b2', 'c', 'D', 'e', 'f')), [
    ['edited', 1, 2],
    ['pending', 6, 1],
  ]);
  assert.deepEqual(states(lines('a', 'b', 'c', 'D!', 'e', 'f')), [
    ['gone', 1, 1],
    ['edited', 4, 1],
  ]);
  // An editor shows one line end for a file that mixes them.
  assert.deepEqual(states(NEW.replaceAll('\n', '\r\n')), states(NEW));
});

test('1,000 random sequences of agent edits, typing, keep and undo lose no character of the user', () => {
  for (let seed = 1; seed <= 1000; seed += 1) run(seed);
});

/** Each line of agent or user is unique, so that the model can tell whose it is. */
function run(seed: number): void {
  let state = seed;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  let counter = 0;
  let disk = Array.from({ length: 8 }, (_, at) => `line ${at}`);
  let versions: FileVersions | undefined;
  const typed = new Set<string>();
  const text = () => lines(...disk);
  for (let step = 0; step < 14; step += 1) {
    const at = random(disk.length + 1);
    counter += 1;
    switch (random(4)) {
      case 0: {
        const before = text();
        disk = [...disk];
        const isOwn = !typed.has(disk[at] ?? '');
        // The agent does not replace what the user typed: then the loss would be its own.
        disk.splice(at, isOwn ? random(2) : 0, `agent ${counter}`);
        versions = addChange(versions, { before, after: text() });
        break;
      }
      case 1: {
        typed.add(`user ${counter}`);
        disk = [...disk.slice(0, at), `user ${counter}`, ...disk.slice(at)];
        break;
      }
      default: {
        if (versions === undefined) break;
        const hunks = findUnreviewed(versions);
        const picked = new Set([...hunks.keys()].filter(() => random(2) === 0));
        if (random(2) === 0) {
          versions = keepHunks(versions, picked);
          break;
        }
        const before = text();
        const undone = undoHunks(versions, picked, before);
        if (undone === 'conflict') break;
        const { left, text: next = '' } = undone;
        // Exactly the picked hunks are gone from what is unreviewed.
        assert.equal(
          findUnreviewed(left).length <= hunks.length - picked.size || picked.size === 0,
          true,
          `seed ${seed}: undone hunks are still there`,
        );
        if (before === versions.after) assert.equal(next, left.after, `seed ${seed}`);
        disk = next.split('\n').slice(0, -1);
        versions = left;
      }
    }
    const now = new Set(disk);
    for (const line of typed) assert.ok(now.has(line), `seed ${seed}: "${line}" is lost`);
    if (versions === undefined) continue;
    // What is unreviewed is the agent's: no hunk adds a line of the user.
    for (const { newText } of findHunks(versions.before ?? '', versions.after ?? '')) {
      for (const line of newText.split('\n')) {
        assert.ok(!typed.has(line), `seed ${seed}: "${line}" counts as the agent's`);
      }
    }
    for (const located of locateHunks(versions, text())) {
      if (located.state !== 'pending') continue;
      const shown = disk.slice(located.line - 1, located.line - 1 + located.count);
      assert.equal(lines(...shown), located.hunk.newText, `seed ${seed}: located wrongly`);
    }
  }
}
