import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { createRetriedCopies } from '../../../../src/host/services/retriedCopies.ts';
import { openSessionCopies } from '../../../../src/host/services/sessionCopies.ts';

test('a sandbox that could not be set up is tested again after a minute, and one that holds is kept', async (t) => {
  const base = mkdtempSync(path.join(tmpdir(), 'retried-copies-'));
  t.after(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));
  const state = path.join(base, 'state');
  writeFileSync(state, '');
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent', GATEHOUSE_BWRAP: '' };
  let now = 1000;
  let tests = 0;
  const copies = createRetriedCopies(
    () => {
      tests += 1;
      return openSessionCopies(path.join(state, 'copies'), env);
    },
    { now: () => now },
  );
  const isProven = async () => (await copies.open()).state.proven;
  assert.equal(await copies.opened(), undefined);
  assert.deepEqual([await isProven(), tests], [false, 1]);
  rmSync(state);
  mkdirSync(state);
  now += 59_999;
  assert.deepEqual([await isProven(), tests], [false, 1], 'not for each command');
  now += 1;
  assert.deepEqual(await Promise.all([isProven(), isProven()]), [true, true]);
  assert.equal(tests, 2);
  now += 600_000;
  assert.deepEqual([await isProven(), tests], [true, 2]);
  await (await copies.opened())?.dispose();
});

test('a bubblewrap that was installed meanwhile is tested at once', async (t) => {
  const base = mkdtempSync(path.join(tmpdir(), 'retried-copies-'));
  t.after(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));
  const bwrap = path.join(base, 'bwrap');
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent', GATEHOUSE_BWRAP: bwrap };
  const open = () => openSessionCopies(path.join(base, 'copies'), env);
  const copies = createRetriedCopies(open, { now: () => 0 });
  const reason = async () => JSON.stringify((await copies.open()).state);
  assert.match(await reason(), /bubblewrap \(bwrap\) is not installed/);
  writeFileSync(bwrap, '#!/bin/sh\nexec bwrap "$@"\n', { mode: 0o755 });
  assert.match(await reason(), /"proven":true/);
  await (await copies.opened())?.dispose();
});
