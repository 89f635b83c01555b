import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFilled } from '../../../../src/runtime/sandbox/diskRoom.ts';

const GB = 1024 ** 3;
const before = { bytes: 100 * GB, files: 9_000_000 };

test('a command ends before the last gigabyte, the last files, or the millionth new file', () => {
  assert.equal(isFilled(before, { bytes: 2 * GB, files: 8_500_000 }), false);
  assert.equal(isFilled(before, { bytes: GB - 1, files: 8_500_000 }), true);
  assert.equal(isFilled(before, { bytes: 90 * GB, files: 7_999_999 }), true);
  assert.equal(isFilled({ bytes: GB, files: 60_000 }, { bytes: GB, files: 29_999 }), true);
  // Where little is left before the command, it has half of that.
  assert.equal(isFilled({ bytes: GB, files: 100 }, { bytes: 0.6 * GB, files: 60 }), false);
  assert.equal(isFilled({ bytes: GB, files: 100 }, { bytes: 0.4 * GB, files: 60 }), true);
  // btrfs has no limit of files.
  assert.equal(isFilled({ bytes: GB, files: 0 }, { bytes: GB, files: 0 }), false);
});
