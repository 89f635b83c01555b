import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  createFolderChecker,
  type FolderChecker,
} from '../../../../src/runtime/workers/folderChecker.ts';
import {
  createTable,
  type FolderTable,
  replaceStamps,
} from '../../../../src/runtime/workers/folderTable.ts';
import { awaitTick } from '../../base/disk/awaitTick.ts';
import { temporary } from '../../host/harness.ts';

const NEVER = new AbortController().signal;

/** Folders with a file each, and what a checker says about them. */
async function open(t: TestContext, names: readonly string[]) {
  const root = await temporary(t);
  const at = (name: string) => path.join(root, name);
  for (const name of names) {
    mkdirSync(at(name), { recursive: true });
    writeFileSync(path.join(at(name), 'file'), 'x');
  }
  const checker = createFolderChecker();
  t.after(checker.end);
  const toTable = () => {
    awaitTick(at('clock'));
    return createTable(new Map(names.map((name) => [at(name), statSync(at(name))])));
  };
  const ask = async (table: FolderTable) => {
    const found = await askReady(checker, table);
    return found.map((each) => names[each]).sort();
  };
  return { at, ask, toTable, checker };
}

/** Until the threads have started. */
async function askReady(checker: FolderChecker, table: FolderTable): Promise<readonly number[]> {
  for (;;) {
    checker.warm();
    const found = await checker.findChanged(table, NEVER);
    if (found !== undefined) return found;
    await nextTurn();
  }
}

/** A program that is ready, and does this with each job. */
function toProgram(onMessage: string): URL {
  const source = `import fs from 'node:fs'; import { parentPort } from 'node:worker_threads';
    parentPort.on('message', (job) => { ${onMessage} });
    parentPort.postMessage('ready');`;
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`);
}

const EMPTY = createTable(new Map());

test('every change of what a folder holds is found, and no other folder', async (t) => {
  const names = ['a', 'a/b', 'c', 'd', 'e', 'e/f', 'g', 'über/ß'];
  const { at, ask, toTable } = await open(t, names);
  let table = toTable();
  const expectChanged = async (expected: readonly string[]) => {
    assert.deepEqual(await ask(table), expected);
    table = toTable();
  };
  await expectChanged([]);
  writeFileSync(at('a/b/.env'), 'A=1');
  await expectChanged(['a/b']);
  writeFileSync(at('a/b/file'), 'another text');
  await expectChanged([]);
  renameSync(at('a/b/.env'), at('c/.env'));
  await expectChanged(['a/b', 'c']);
  rmSync(at('c/.env'));
  mkdirSync(at('d/new'));
  await expectChanged(['c', 'd']);
  renameSync(at('e/f'), at('aside'));
  renameSync(at('d/new'), at('e/f'));
  await expectChanged(['d', 'e', 'e/f']);
  writeFileSync(at('über/ß/x'), '');
  await expectChanged(['über/ß']);
});

test('a folder that became a link, or that is gone, has changed', async (t) => {
  const { at, ask, toTable } = await open(t, ['a', 'b', 'b/c', 'd']);
  const table = toTable();
  renameSync(at('a'), at('x'));
  symlinkSync(at('d'), at('a'));
  rmSync(at('b'), { recursive: true });
  assert.deepEqual(await ask(table), ['a', 'b', 'b/c']);
});

test('a folder without a stamp counts as changed, until it gets one', async (t) => {
  const { at, ask } = await open(t, ['a', 'b']);
  const table = createTable(
    new Map([
      [at('a'), statSync(at('a'))],
      [at('b'), undefined],
    ]),
  );
  assert.deepEqual(await ask(table), ['b']);
  const settled = replaceStamps(table, new Map([[1, statSync(at('b'))]]));
  assert.deepEqual(await ask(settled), []);
  assert.deepEqual(await ask(table), ['b'], 'the table of another look stays as it was');
});

test('several looks at once get each their own answer', async (t) => {
  const names = Array.from({ length: 200 }, (_, at) => `folder${at}`);
  const { at, ask, toTable, checker } = await open(t, names);
  const whole = toTable();
  writeFileSync(at('folder7/new'), '');
  await askReady(checker, whole);
  const part = createTable(new Map([[at('folder7'), statSync(at('folder7'))]]));
  const found = await Promise.all([ask(whole), ask(part), ask(whole)]);
  assert.deepEqual(found, [['folder7'], [], ['folder7']]);
});

test('when a thread ends during a look, whoever asks looks by itself, and the next threads work', async (t) => {
  const mark = path.join(await temporary(t), 'asked');
  const program = toProgram(`
    if (fs.existsSync('${mark}')) parentPort.postMessage({ number: job.number, changed: [] });
    else { fs.writeFileSync('${mark}', ''); process.exit(0); }`);
  const checker = createFolderChecker({ program });
  t.after(checker.end);
  while (!existsSync(mark)) {
    checker.warm();
    assert.equal(await checker.findChanged(EMPTY, NEVER), undefined);
    await nextTurn();
  }
  assert.deepEqual(await askReady(checker, EMPTY), []);
});

test('threads that can not be started are no fault', async () => {
  const checker = createFolderChecker({ program: new URL('https://example.invalid/worker.mjs') });
  checker.warm();
  assert.equal(await checker.findChanged(EMPTY, NEVER), undefined);
  checker.warm();
  checker.end();
});

test('a look that hangs is a fault that says so, and the next threads work', async (t) => {
  const mark = path.join(await temporary(t), 'asked');
  const program = toProgram(`
    if (fs.existsSync('${mark}')) parentPort.postMessage({ number: job.number, changed: [] });
    else if (job.first === 0) fs.writeFileSync('${mark}', '');`);
  const checker = createFolderChecker({ program, limitMs: 100 });
  t.after(checker.end);
  await assert.rejects(
    askReady(checker, EMPTY),
    /^Error: The folders of the workspace could not be looked at within 0\.1 s\. The disk/,
  );
  assert.equal(await checker.findChanged(EMPTY, NEVER), undefined, 'its threads have ended');
  const patient = createFolderChecker({ program });
  t.after(patient.end);
  assert.deepEqual(await askReady(patient, EMPTY), []);
});

test('a cancelled look ends at once, and the threads serve the next', async (t) => {
  const program = toProgram(`
    globalThis.jobs = (globalThis.jobs ?? 0) + 1;
    if (globalThis.jobs > 1) parentPort.postMessage({ number: job.number, changed: [] });`);
  const checker = createFolderChecker({ program });
  t.after(checker.end);
  const stopped = new AbortController();
  const asked = (async () => {
    for (;;) {
      checker.warm();
      const found = await checker.findChanged(EMPTY, stopped.signal);
      if (found !== undefined) return found;
      await nextTurn();
    }
  })();
  const ended = assert.rejects(asked, /^Error: enough$/);
  // Before the threads are ready it is found cancelled as well.
  setTimeout(() => stopped.abort(new Error('enough')), 300);
  await ended;
  await assert.rejects(checker.findChanged(EMPTY, stopped.signal), /^Error: enough$/);
});

test('threads that nobody asks anything end', async (t) => {
  const checker = createFolderChecker({ keptMs: 200 });
  t.after(checker.end);
  checker.warm();
  // Asked only once, so that asking keeps nothing alive.
  const idle = async () => (await checker.findChanged(EMPTY, NEVER)) === undefined;
  await askReady(checker, EMPTY);
  await new Promise((resolve) => setTimeout(resolve, 250));
  assert.equal(await idle(), true);
});

test('idle threads keep no process running', async (t) => {
  const script = path.join(await temporary(t), 'look.mjs');
  const module = path.resolve('src/runtime/workers/folderChecker.ts');
  writeFileSync(
    script,
    `import { createFolderChecker } from ${JSON.stringify(module)};
    import { createTable } from ${JSON.stringify(module.replace('Checker', 'Table'))};
    const checker = createFolderChecker();
    const { signal } = new AbortController();
    checker.warm();
    while ((await checker.findChanged(createTable(new Map()), signal)) === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    console.log('looked');`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  assert.equal(stdout, 'looked\n');
});
