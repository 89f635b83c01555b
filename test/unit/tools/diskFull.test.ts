import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { KB } from '../../../src/base/units.ts';
import type { FullDiskResult } from './diskFullCalls.ts';
import { dataOf, errorOf } from './session.ts';

/**
 * VC-49 on a disk of two megabytes that is filled to the last byte, mounted where only these processes
 * see it. Where the system does not let us mount, and everywhere else as well: with a limit on the
 * size of each file, which fails in the middle of a write in the same way.
 */
interface Way {
  readonly name: string;
  readonly kind: 'fill' | 'limit';
  /** Runs `$@`; `$FULL` is the folder without room. */
  readonly shell: readonly string[];
  readonly fault: RegExp;
}

const LIMIT: Way = {
  name: 'a limit on file sizes',
  kind: 'limit',
  shell: ['bash', '-c', 'ulimit -f 16; exec "$@"', 'bash'],
  fault: /exceeds the system.s file size limit/,
};

const MOUNT = 'mount -t tmpfs -o size=2m tmpfs "$FULL" && exec "$@"';

function findWays(): readonly Way[] {
  if (process.platform === 'win32') return [];
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-mount-'));
  // An ordinary user may mount in a user namespace; root also where those are turned off.
  const flags = ['-rm', '-m'].find((each) => {
    const env = { ...process.env, FULL: folder };
    return spawnSync('unshare', [each, 'bash', '-c', MOUNT, 'bash', 'true'], { env }).status === 0;
  });
  rmSync(folder, { recursive: true });
  if (flags === undefined) return [LIMIT];
  const shell = ['unshare', flags, 'bash', '-c', MOUNT, 'bash'];
  return [{ name: 'a full disk', kind: 'fill', shell, fault: /the disk is full/ }, LIMIT];
}

for (const way of findWays()) {
  test(`VC-49 with ${way.name} each call says so, nothing is lost, and nothing is left`, () => {
    const results = run(way);
    const check = (name: string, assertion: (result: FullDiskResult) => void) => {
      const result = results.get(name);
      assert.ok(result, `${name} did not run`);
      assert.deepEqual(result.state, [], `${name} left files of the host`);
      assert.deepEqual(result.workspace, WORKSPACES[result.place], `${name} left or lost files`);
      assert.ok(result.whole, `${name} changed a file`);
      assertion(result);
    };
    const refused = ({ envelope, name }: FullDiskResult) => {
      assert.match(errorOf(envelope), way.fault, name);
      assert.match(errorOf(envelope), /Nothing was changed|old content was kept/, name);
    };
    for (const name of ['a new file', 'write', 'edit', 'linked', 'journal copy'])
      check(name, refused);
    // A note of the journal is small: only a full disk has no room for it.
    if (way.kind === 'fill') check('journal note', refused);
    check('bash sidecar', ({ envelope }) => {
      const { head, note, exit_code } = dataOf(envelope);
      assert.equal(Buffer.byteLength(String(head)), 200 * KB);
      assert.equal(exit_code, 0);
      assert.deepEqual(
        { ...envelope.metadata, duration_ms: 0 },
        { duration_ms: 0, truncated: true },
      );
      assert.match(String(note), way.fault);
    });
    check('sidecar of a session', ({ envelope }) => {
      assert.match(String(dataOf(envelope)['note']), way.fault);
    });
    check('glob sidecar', ({ envelope }) => {
      const { head, note } = dataOf(envelope);
      assert.equal(String(head).split('\n').length, 1000);
      assert.deepEqual(
        { ...envelope.metadata, duration_ms: 0 },
        { duration_ms: 0, truncated: true },
      );
      assert.match(String(note), way.fault);
    });
    const after = results.get('with room again');
    assert.equal(after?.envelope.type, 'output');
    assert.equal(after?.workspace['single'], 'short\n'.length);
  });
}

const OLD_SIZE = 12_600;
const WORKSPACES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  full: { linked: OLD_SIZE, linked2: OLD_SIZE, single: OLD_SIZE },
  roomy: { big: 40 * KB, big2: 40 * KB, single: OLD_SIZE },
};

function run({ shell, kind }: Way): ReadonlyMap<string, FullDiskResult> {
  const root = mkdtempSync(path.join(tmpdir(), 'gatehouse-full-'));
  try {
    const [full, roomy] = ['full', 'roomy'].map((name) => path.join(root, name));
    if (full === undefined || roomy === undefined) throw new Error('no folders');
    for (const folder of [full, path.join(roomy, 'work')]) mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(roomy, 'work/big'), 'x'.repeat(40 * KB));
    const [program = '', ...args] = shell;
    const script = path.join(import.meta.dirname, 'diskFullCalls.ts');
    const words = [...args, process.execPath, script, full, roomy, kind];
    const env = { ...process.env, FULL: full };
    const output = execFileSync(program, words, { env, encoding: 'utf8', maxBuffer: 2 ** 26 });
    const results: FullDiskResult[] = JSON.parse(output);
    return new Map(results.map((result) => [result.name, result]));
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}
