import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { openSessionCopies } from '../../../../src/host/services/sessionCopies.ts';

const ENV = { PATH: process.env['PATH'], HOME: '/nonexistent', GATEHOUSE_BWRAP: '' };
const { signal } = new AbortController();

function temporary(t: TestContext): string {
  const base = mkdtempSync(path.join(tmpdir(), 'session-copies-'));
  t.after(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));
  return base;
}

test('where the folder of the copies can not be made, the sandbox is not proven, and the reason says why', async (t) => {
  const base = temporary(t);
  writeFileSync(path.join(base, 'state'), '');
  const copies = await openSessionCopies(path.join(base, 'state/copies'), ENV);
  assert.deepEqual([copies.state.proven, copies.isCurrent()], [false, true]);
  assert.match(JSON.stringify(copies.state), /The sandbox could not be set up: ENOTDIR/);
  await copies.dispose();
});

test('where no copy can be made any more, its commands say why, and a later one has a copy again', async (t) => {
  const base = temporary(t);
  const folder = path.join(base, 'copies');
  const workspace = path.join(base, 'workspace');
  mkdirSync(workspace);
  const copies = await openSessionCopies(folder, ENV);
  assert.deepEqual(copies.state, { proven: true });
  rmSync(folder, { recursive: true });
  writeFileSync(folder, '');
  const launch = { argv: ['true'] as [string], cwd: workspace, env: ENV };
  const prepare = async () => {
    const held = await copies.find('s1', [workspace]).hold(signal);
    assert.ok(held.ok);
    const prepared = await held.data.start({ masks: [] }).prepare(launch);
    held.data.release();
    return prepared.ok ? undefined : prepared.error;
  };
  const egress = {
    authorize: async () => assert.fail(),
    authorizeAddress: async () => assert.fail(),
  };
  const live = await copies.live('s1', [workspace], egress).prepare(launch);
  for (const why of [await prepare(), live.ok ? '' : live.error]) {
    assert.match(String(why), /^The sandbox could not be set up: E(EXIST|NOTDIR)/);
  }
  rmSync(folder);
  assert.equal(await prepare(), undefined);
  await copies.endSession('s1');
  await copies.dispose();
  assert.deepEqual(readdirSync(folder), []);
});
