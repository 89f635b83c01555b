import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { failure } from '../../../../src/base/outcome.ts';
import { createConfinement } from '../../../../src/host/services/confinement.ts';
import { openSessionCopies } from '../../../../src/host/services/sessionCopies.ts';
import type { Gate } from '../../../../src/runtime/runtime.ts';
import { temporary } from '../harness.ts';

const refuse = async () => failure<never>('No host.');
const GATE: Gate = {
  realPath: () => undefined,
  filterBelow: () => undefined,
  ...{ authorize: refuse, authorizeAddress: refuse },
};

test('a program that runs without a sandbox, because the user accepted that, gets the variables of its manifest or entry', async (t) => {
  const folder = await temporary(t);
  const env = { GATEHOUSE_BWRAP: path.join(folder, 'missing') };
  const opened = openSessionCopies(path.join(folder, 'copies'), env);
  t.after(async () => (await opened).dispose());
  const confinement = createConfinement(() => opened, path.join(folder, 'state'));
  const launch = {
    ...{ argv: ['/bin/true'] as [string], cwd: folder, env: { PATH: '/bin', NAME: 'of the host' } },
    declared: { NAME: 'declared', TOKEN: 'secret' },
  };
  const start = () => confinement.start('session', [folder], GATE).prepare(launch);
  assert.ok(!(await start()).ok, 'nothing was accepted');
  await confinement.accept();
  const prepared = await start();
  assert.ok(prepared.ok);
  assert.deepEqual(prepared.data.launch, {
    ...{ argv: ['/bin/true'], cwd: folder },
    env: { PATH: '/bin', NAME: 'declared', TOKEN: 'secret' },
  });
});

test('a program is refused where the sandbox no longer holds once it was found to', async (t) => {
  const folder = await temporary(t);
  const env = { GATEHOUSE_BWRAP: path.join(folder, 'missing') };
  const opened = await openSessionCopies(path.join(folder, 'copies'), env);
  t.after(() => opened.dispose());
  let looks = 0;
  const copies = async () => {
    looks += 1;
    return looks === 1 ? { ...opened, state: { proven: true } as const } : opened;
  };
  const { start } = createConfinement(copies, path.join(folder, 'state'));
  const launch = { argv: ['/bin/true'] as [string], cwd: folder, env: { PATH: '/bin' } };
  const prepared = await start('session', [folder], GATE).prepare(launch);
  assert.match(prepared.ok ? '' : prepared.error, /is not installed.* so nothing was run\.$/);
});
