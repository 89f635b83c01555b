import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { processMark } from '../../../src/base/disk/processMark.ts';
import { createSidecars } from '../../../src/runtime/sidecars.ts';

test('DU-036 a link that is there before a sidecar is not followed, and the folder is private', async (t) => {
  const root = mkdtempSync(path.join(tmpdir(), 'gatehouse-sidecars-'));
  t.after(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const victim = path.join(root, 'victim');
  writeFileSync(victim, 'mine');
  const folder = path.join(root, 'session', 'out');
  const sidecars = createSidecars(folder);
  const first = await sidecars.write('call', 'text');
  assert.ok(first.ok);
  assert.equal(readFileSync(first.data, 'utf8'), 'text');
  assert.deepEqual(
    [folder, first.data].map((each) => statSync(each).mode & 0o777),
    [0o700, 0o600],
  );
  // Another user guessed the whole name, with its random part.
  t.mock.method(crypto, 'randomUUID', () => '01234567-89ab-cdef-0123-456789abcdef');
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  mkdirSync(folder, { recursive: true });
  symlinkSync(victim, path.join(folder, `call-01234567-${processMark()}.txt`));
  const second = await sidecars.write('call', 'secret');
  assert.match(second.ok ? 'written' : second.error, /EEXIST/);
  assert.equal(readFileSync(victim, 'utf8'), 'mine');
  await sidecars.remove();
  assert.equal(existsSync(folder), false);
  assert.equal(readFileSync(victim, 'utf8'), 'mine');
});
