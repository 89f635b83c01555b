import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReportedProblem } from '../../../../src/acp/gatehouse/configure.ts';
import { DamagedFiles } from '../../../../src/extension/rules/damagedFiles.ts';
import { createManualClock } from '../../../tour/manualClock.ts';
import { english } from '../english.ts';

function damaged(file: string, damagedLine: number): ReportedProblem {
  return { origin: { layer: 'user', file, index: 0 }, message: 'Damaged.', damagedLine };
}

function create(fault?: Error) {
  const errors: string[] = [];
  const shown: string[] = [];
  const opened: (readonly [file: string, line: number])[] = [];
  const clock = createManualClock();
  const files = new DamagedFiles({
    ...{ t: english, clock },
    label: (file) => file.slice(1),
    notify: async (message, ...buttons) => {
      shown.push(message);
      return buttons[0];
    },
    open: async (file, line) => {
      if (fault !== undefined) throw fault;
      opened.push([file, line]);
    },
    showError: (message) => errors.push(message),
    onError: (error) => assert.equal(error, fault),
  });
  return { files, shown, opened, clock, errors };
}

test('each damaged file is told once, with its line, until it is fixed', async () => {
  const { files, shown, opened, clock } = create();
  const other: ReportedProblem = { origin: { file: '/u.json' }, message: 'No action.' };
  files.update([other, damaged('/u.json', 3)]);
  files.update([damaged('/u.json', 4), damaged('/w.json', 0)]);
  clock.advance(3_000);
  await new Promise(setImmediate);
  assert.equal(shown.length, 2);
  assert.match(shown[0] ?? '', /^u\.json has an error in line 4, so rules in it may be missing\./);
  assert.match(shown[1] ?? '', /^w\.json can't be read, so rules in it may be missing\./);
  assert.deepEqual(opened, [
    ['/u.json', 4],
    ['/w.json', 1],
  ]);
  files.update([other]);
  files.update([damaged('/u.json', 3)]);
  clock.advance(3_000);
  assert.equal(shown.length, 3);
});

test('a file that is damaged only while the user types is not told', () => {
  const { files, shown, clock } = create();
  for (let pause = 0; pause < 3; pause += 1) {
    files.update([damaged('/u.json', 3)]);
    clock.advance(2_000);
    files.update([]);
    clock.advance(2_000);
  }
  files.update([damaged('/u.json', 3)]);
  files.dispose();
  clock.advance(9_000);
  assert.deepEqual(shown, []);
});

test('a file that can not be opened either says so', async () => {
  const { files, errors, clock } = create(new Error('EACCES: permission denied.'));
  files.update([damaged('/u.json', 0)]);
  clock.advance(3_000);
  await new Promise(setImmediate);
  assert.deepEqual(errors, ['Gatehouse: EACCES: permission denied.']);
});
