import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { findMasks } from '../../../../../src/host/session/copy/findMasks.ts';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { type Policy, UNREADABLE } from '../../../../../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../../../../../src/permissions/rules/policyCompiler.ts';
import type { Rule } from '../../../../../src/permissions/rules/rule.ts';
import {
  createFolderChecker,
  type FolderChecker,
} from '../../../../../src/runtime/workers/folderChecker.ts';
import { readPaths } from '../../../../../src/runtime/workers/folderTable.ts';
import { isLong } from '../../../../workbench/sizes.ts';
import { awaitTick } from '../../../base/disk/awaitTick.ts';
import { temporary } from '../../harness.ts';

/** More than are looked through without threads. */
const FOLDERS = isLong() ? 4000 : 600;
const FILES = isLong() ? 31_000 : 600;

/** A large workspace whose folders are settled, after a first look. */
async function open(t: TestContext, wrap = (checker: FolderChecker) => checker) {
  const now = Date.now;
  t.mock.method(Date, 'now', () => now() + 60_000);
  const root = await temporary(t);
  const state = await temporary(t);
  const at = (name: string) => path.join(root, name);
  for (let each = 0; each < FOLDERS; each += 1) mkdirSync(at(toName(each)), { recursive: true });
  for (let each = 0; each < FILES; each += 1) {
    writeFileSync(at(`${toName(each % FOLDERS)}/f${each}`), '');
  }
  const own = createFolderChecker();
  t.after(own.end);
  /** What the threads said in the last look, each time they were asked. */
  const said: (readonly number[] | undefined)[] = [];
  const wrapped = wrap(own);
  const checker: FolderChecker = {
    ...wrapped,
    async findChanged(...asked) {
      const found = await wrapped.findChanged(...asked);
      said.push(found);
      return found;
    },
  };
  const compiler = createPolicyCompiler();
  const rules = { own: [] as readonly Rule[] };
  const { signal } = new AbortController();
  const policy = (): Policy => ({
    rules: [...DEFAULT_RULES, ...rules.own],
    folders: { workspace: [root], adHoc: [], state, sidecars: state, cwd: root },
    ...{ shell: 'bash', platform: process.platform, headless: false },
    readGit: UNREADABLE,
  });
  const list = (masks: readonly string[]) =>
    masks
      .filter((file) => file.startsWith(root))
      .map((file) => path.relative(root, file))
      .sort();
  /** With the threads, which have to have answered. */
  const look = async () => {
    awaitTick(path.join(state, 'clock'));
    said.length = 0;
    const { masks, had } = await findMasks({ policy, compiler, checker }, signal);
    return { masks: list(masks), had };
  };
  /** By this thread alone. */
  const lookAlone = async () => list((await findMasks({ policy, compiler }, signal)).masks);
  const ready = async () => {
    do {
      await nextTurn();
      await look();
    } while (said.at(-1) === undefined);
  };
  await ready();
  return { at, look, lookAlone, ready, said, rules, policy, compiler, checker };
}

/** Nested, with several in each. */
function toName(at: number): string {
  return `${at % 7}/${at % 31}/d${at}`;
}

test('what appears, moves or goes is found by the next look', async (t) => {
  const { at, look, said } = await open(t);
  const expectMasks = async (expected: readonly string[]) => {
    assert.deepEqual((await look()).masks, expected);
    assert.ok(
      said.every((each) => each !== undefined),
      'the threads looked',
    );
  };
  await expectMasks([]);
  assert.deepEqual(said, [[]], 'nothing changed, and they were asked once');
  writeFileSync(at('0/0/d0/.env'), 'A=1');
  await expectMasks(['0/0/d0/.env']);
  mkdirSync(at('1/1/d1/new/deep'), { recursive: true });
  writeFileSync(at('1/1/d1/new/deep/.env'), 'A=1');
  await expectMasks(['0/0/d0/.env', '1/1/d1/new/deep/.env']);
  renameSync(at('0/0/d0/.env'), at('2/2/d2/.env'));
  await expectMasks(['1/1/d1/new/deep/.env', '2/2/d2/.env']);
  renameSync(at('1/1/d1/new'), at('6/moved'));
  await expectMasks(['2/2/d2/.env', '6/moved/deep/.env']);
  renameSync(at('2/2/d2/.env'), at('2/2/d2/env'));
  rmSync(at('6'), { recursive: true });
  await expectMasks([]);
  writeFileSync(at('2/2/d2/plain'), '');
  renameSync(at('2/2/d2/env'), at('2/2/d2/.env'));
  await expectMasks(['2/2/d2/.env']);
});

test('a folder that a link or another folder replaced is not taken for what it was', async (t) => {
  const { at, look } = await open(t);
  writeFileSync(at('3/3/d3/.env'), 'A=1');
  assert.deepEqual((await look()).masks, ['3/3/d3/.env']);
  renameSync(at('3/3/d3'), at('aside'));
  symlinkSync(at('4/4/d4'), at('3/3/d3'));
  assert.deepEqual((await look()).masks, ['aside/.env']);
  unlinkSync(at('3/3/d3'));
  renameSync(at('4/4/d4'), at('3/3/d3'));
  renameSync(at('aside'), at('4/4/d4'));
  assert.deepEqual((await look()).masks, ['4/4/d4/.env']);
  // The folders above keep their names, and hold each other's.
  renameSync(at('3'), at('x'));
  renameSync(at('4'), at('3'));
  renameSync(at('x'), at('4'));
  assert.deepEqual((await look()).masks, ['3/4/d4/.env']);
});

test('a hidden file that moves while the threads look is found where it is then', async (t) => {
  let move: (() => void) | undefined;
  const wrap = (checker: FolderChecker): FolderChecker => ({
    ...checker,
    async findChanged(table, signal) {
      const found = await checker.findChanged(table, signal);
      if (found === undefined || move === undefined) return found;
      // After the folder that it comes to was looked at, and before the one that it leaves.
      move();
      move = undefined;
      return [...found, readPaths(table).indexOf(at('5/5/d5'))];
    },
  });
  const { at, look, said } = await open(t, wrap);
  writeFileSync(at('5/5/d5/.env'), 'A=1');
  assert.deepEqual((await look()).masks, ['5/5/d5/.env']);
  move = () => renameSync(at('5/5/d5/.env'), at('0/0/d0/.env'));
  assert.deepEqual((await look()).masks, ['0/0/d0/.env']);
  assert.equal(said.length, 2, 'it looked again, since a hidden file was gone');
});

test('a look whose threads end is done without them, and the next has new ones', async (t) => {
  let ends = false;
  const wrap = (checker: FolderChecker): FolderChecker => ({
    ...checker,
    async findChanged(...asked) {
      const found = checker.findChanged(...asked);
      if (ends) checker.end();
      ends = false;
      return found;
    },
  });
  const { at, look, said, ready } = await open(t, wrap);
  writeFileSync(at('1/1/d1/.env'), 'A=1');
  ends = true;
  assert.deepEqual((await look()).masks, ['1/1/d1/.env']);
  assert.deepEqual(said, [undefined]);
  await ready();
  assert.deepEqual((await look()).masks, ['1/1/d1/.env']);
});

test('a look whose threads hang finds nothing and says so', async (t) => {
  let hangs = false;
  const wrap = (checker: FolderChecker): FolderChecker => ({
    ...checker,
    findChanged: (...asked) =>
      hangs ? Promise.reject(new Error('no answer')) : checker.findChanged(...asked),
  });
  const { look } = await open(t, wrap);
  hangs = true;
  await assert.rejects(look(), /^Error: no answer$/);
  hangs = false;
  assert.deepEqual((await look()).masks, []);
});

test('a cancelled look ends with the reason', async (t) => {
  const { policy, compiler, checker } = await open(t);
  const stopped = new AbortController();
  const looking = findMasks({ policy, compiler, checker }, stopped.signal);
  stopped.abort(new Error('enough'));
  await assert.rejects(looking, /^Error: enough$/);
});

test('a rule that comes or goes decides about folders that did not change', async (t) => {
  const { at, look, rules, said } = await open(t);
  writeFileSync(at('0/0/d0/key'), 'k');
  assert.deepEqual((await look()).masks, []);
  rules.own = [{ permission: 'read', pattern: '**/d0/key', action: 'deny', source: 'session' }];
  assert.deepEqual((await look()).masks, ['0/0/d0/key']);
  assert.deepEqual(said, [[]]);
  rules.own = [];
  assert.deepEqual((await look()).masks, []);
});

test('a folder that has just changed is looked at each time', async (t) => {
  const { at, look, said } = await open(t);
  t.mock.restoreAll();
  const now = Date.now();
  // No time passes: its times may stay as they are when it changes again.
  t.mock.method(Date, 'now', () => now);
  writeFileSync(at('0/0/d0/new'), '');
  for (let round = 0; round < 3; round += 1) {
    await look();
    assert.deepEqual(
      said.map((each) => each?.length),
      [1],
    );
  }
});

test('a hidden file below a folder whose name is not UTF-8 is found however late it comes', async (t) => {
  const { at, look } = await open(t);
  const odd = (name: string) =>
    Buffer.concat([Buffer.from(at('caf')), Buffer.of(0xe9), Buffer.from(name)]);
  mkdirSync(odd('/sub'), { recursive: true });
  for (let round = 0; round < 2; round += 1) assert.deepEqual((await look()).masks, []);
  writeFileSync(odd('/sub/.env'), 'A=1');
  await assert.rejects(look(), /Rules hide "caf\ufffd\/sub\/\.env"/);
  rmSync(odd(''), { recursive: true });
  assert.deepEqual((await look()).masks, []);
});

test('what was there at the time of a look is known by it, whatever later looks find', async (t) => {
  const { at, look } = await open(t);
  const before = await look();
  writeFileSync(at('0/0/d0/new'), '');
  renameSync(at('1/1/d1'), at('1/1/z1'));
  const { had } = await look();
  assert.deepEqual(
    [had(at('0/0/d0/new')), had(at('1/1/d1')), had(at('1/1/z1/x'))],
    [true, false, false],
  );
  assert.deepEqual([before.had(at('0/0/d0/new')), before.had(at('1/1/d1'))], [false, true]);
});

test('after any changes, the threads find what one thread finds', async (t) => {
  const { at, look, lookAlone } = await open(t);
  const places = ['0/0/d0', '1/1/d1', '1', '5/5', '5/5/d5', '2/2/d2/x', '2/2/d2/x/y', '6/6'];
  const place = fc.constantFrom(...places);
  const name = fc.constantFrom('.env', 'id_rsa', 'plain', 'x', 'y');
  const change = fc.oneof(
    fc.record({ kind: fc.constant('write' as const), place, name }),
    fc.record({ kind: fc.constant('folder' as const), place, name }),
    fc.record({ kind: fc.constant('remove' as const), place, name }),
    fc.record({ kind: fc.constant('move' as const), place, name, to: place }),
    fc.record({ kind: fc.constant('swap' as const), place, name, to: place }),
  );
  const apply = (each: typeof change extends fc.Arbitrary<infer Change> ? Change : never) => {
    const file = at(`${each.place}/${each.name}`);
    if (each.kind === 'write') writeFileSync(file, 'x');
    if (each.kind === 'folder') mkdirSync(file, { recursive: true });
    if (each.kind === 'remove') rmSync(file, { recursive: true, force: true });
    if (each.kind === 'move') renameSync(file, at(`${each.to}/${each.name}`));
    if (each.kind !== 'swap') return;
    renameSync(at(each.place), at('aside'));
    renameSync(at(each.to), at(each.place));
    renameSync(at('aside'), at(each.to));
  };
  const changes = fc.array(change, { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(changes, async (all) => {
      for (const each of all) tryTo(() => apply(each));
      assert.deepEqual((await look()).masks, await lookAlone());
    }),
    { numRuns: isLong() ? 1000 : 60 },
  );
});

/** What it needs may be gone, or be in the way. */
function tryTo(run: () => void): void {
  try {
    run();
  } catch (fault) {
    assert.match(String(fault), /E(NOENT|NOTDIR|EXIST|ISDIR|NOTEMPTY|INVAL)/);
  }
}
