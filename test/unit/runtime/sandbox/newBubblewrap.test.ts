import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { findPrograms } from '../../../../src/runtime/sandbox/linux/programs.ts';
import { runSelfTest } from '../../../../src/runtime/sandbox/selfTest.ts';
import { findNewBubblewrap } from '../../../defaults/newBubblewrap.ts';
import { PROBES, runAsUser } from './asUser.ts';
import { runProbes } from './probes.ts';

/**
 * The bubblewrap of Debian 12, or a newer one if the tests have installed it. With the system's alone these tests
 * are those of `sandbox.test.ts` once more.
 */
const BWRAP = findNewBubblewrap() ?? '';

test('91 ways out are closed with bubblewrap 0.11 and newer', async () => {
  if (BWRAP !== '') {
    const version = execFileSync(BWRAP, ['--version'], { encoding: 'utf8' });
    assert.match(version, /^bubblewrap 0\.(1[1-9]|[2-9]\d)\./);
  }
  assert.deepEqual(await runProbes({ GATEHOUSE_BWRAP: BWRAP }), { open: [], count: 91 });
});

test('91 ways out are closed to an ordinary user with bubblewrap 0.11 and newer', async () => {
  const ran = await runAsUser(PROBES, BWRAP === '' ? undefined : path.dirname(BWRAP));
  assert.deepEqual(ran.result, { open: [], count: 91 }, ran.errors);
});

test('the self-test notices what bubblewrap 0.11 and newer leave open without their options', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sandbox-new-'));
  const programs = findPrograms({ GATEHOUSE_BWRAP: BWRAP });
  assert.ok('bwrap' in programs);
  const without = (...words: string[]) => {
    const edit = (options: readonly string[]) => {
      const at = options.findIndex((_, index) =>
        words.every((each, next) => options[index + next] === each),
      );
      assert.notEqual(at, -1, words.join(' '));
      return options.toSpliced(at, words.length);
    };
    return runSelfTest({ programs, folder, edit });
  };
  assert.equal(await without(), undefined);
  assert.match((await without('--unshare-net')) ?? '', /reached the network/);
  assert.match((await without('--remount-ro', '/')) ?? '', /wrote in the system folders/);
  assert.match((await without('--seccomp', '3')) ?? '', /not filtered/);
  assert.deepEqual(readdirSync(folder), []);
  rmSync(folder, { recursive: true });
});
