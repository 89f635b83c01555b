import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readSideWrites } from '../../../../src/runtime/sandbox/changes/sideWrites.ts';
import { temporary } from '../../host/harness.ts';

test('what a command hid in HOME does not keep its other files from being listed', async (t) => {
  const folder = await temporary(t);
  const home = path.join(folder, 'home');
  mkdirSync(path.join(home, 'closed'), { recursive: true });
  writeFileSync(Buffer.concat([Buffer.from(`${home}/`), Buffer.from([0xff, 0xfe])]), 'x');
  writeFileSync(path.join(home, 'closed', 'inner'), 'x');
  writeFileSync(path.join(home, '.gitconfig'), 'x');
  // It can be listed, and nothing in it can be looked at.
  chmodSync(path.join(home, 'closed'), 0o400);
  const { homeWrites } = readSideWrites({ folder, home: '/absent' }, []);
  chmodSync(path.join(home, 'closed'), 0o700);
  assert.deepEqual([...homeWrites].sort(), ['.gitconfig', 'closed/inner', '\ufffd\ufffd']);
});
