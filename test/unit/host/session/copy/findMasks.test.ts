import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { findMasks } from '../../../../../src/host/session/copy/findMasks.ts';
import { createHiddenFiles } from '../../../../../src/host/session/tools/hiddenFiles.ts';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { type Policy, UNREADABLE } from '../../../../../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../../../../../src/permissions/rules/policyCompiler.ts';
import type { Rule } from '../../../../../src/permissions/rules/rule.ts';
import { awaitTick } from '../../../base/disk/awaitTick.ts';
import { temporary } from '../../harness.ts';

async function open(t: TestContext) {
  // A minute later, so that every folder counts as settled and its listing is kept.
  const now = Date.now;
  t.mock.method(Date, 'now', () => now() + 60_000);
  const root = await temporary(t);
  const state = await temporary(t);
  const compiler = createPolicyCompiler();
  const at = (name: string) => path.join(root, name);
  const outside: string[] = [];
  const look = (...own: readonly Rule[]) => lookAt([], own);
  const lookAt = (others: readonly string[], own: readonly Rule[]) => {
    const policy: Policy = {
      rules: [...DEFAULT_RULES, ...own],
      folders: { workspace: [root], adHoc: [], state, sidecars: state, cwd: root },
      ...{ shell: 'bash', platform: process.platform, headless: false },
      readGit: UNREADABLE,
    };
    return findMasks({ policy: () => policy, compiler }, new AbortController().signal, others);
  };
  /** What is hidden below folders outside of the workspace that a server reads. */
  const findIn = async (others: readonly string[], ...own: readonly Rule[]) =>
    [...(await lookAt(others, own)).masks]
      .filter((file) => others.some((each) => file.startsWith(each)))
      .sort();
  const find = async (...own: readonly Rule[]) => {
    const { masks: found } = await look(...own);
    awaitTick(path.join(state, 'clock'));
    outside.splice(0, outside.length, ...found.filter((file) => !file.startsWith(root)));
    return found
      .filter((file) => file.startsWith(root))
      .map((file) => path.relative(root, file))
      .sort();
  };
  return { at, find, look, outside, findIn };
}

async function openPolicy(t: TestContext): Promise<Policy> {
  const root = await temporary(t);
  return {
    rules: DEFAULT_RULES,
    folders: { workspace: [root], adHoc: [], state: root, sidecars: root, cwd: root },
    ...{ shell: 'bash', platform: process.platform, headless: false },
    readGit: UNREADABLE,
  };
}

const DENY_SECRET: Rule = {
  ...{ permission: 'read', pattern: 'secret/**', action: 'deny', source: 'session' },
};

test('a file that was created a moment ago is masked', async (t) => {
  const { at, find } = await open(t);
  mkdirSync(at('a/b'), { recursive: true });
  assert.deepEqual(await find(), []);
  writeFileSync(at('a/b/.env'), 'A=1');
  assert.deepEqual(await find(), ['a/b/.env']);
  mkdirSync(at('a/c'));
  writeFileSync(at('a/c/.env'), 'A=1');
  symlinkSync(at('a/c'), at('link'));
  assert.deepEqual(await find(), ['a/b/.env', 'a/c/.env']);
  renameSync(at('a/b/.env'), at('a/b/env'));
  assert.deepEqual(await find(), ['a/c/.env']);
});

test('a folder is evaluated again where it moves to, and under the rules of now', async (t) => {
  const { at, find } = await open(t);
  mkdirSync(at('open'));
  writeFileSync(at('open/key'), 'k');
  assert.deepEqual(await find(DENY_SECRET), []);
  renameSync(at('open'), at('secret'));
  assert.deepEqual(await find(DENY_SECRET), ['secret/key']);
  assert.deepEqual(await find(), []);
  assert.deepEqual(await find(DENY_SECRET), ['secret/key']);
});

test('a hidden file whose path is not UTF-8 can not be covered, which nothing runs past', async (t) => {
  const { at, find } = await open(t);
  const odd = (name: string) =>
    Buffer.concat([Buffer.from(at('caf')), Buffer.of(0xe9), Buffer.from(name)]);
  mkdirSync(odd(''));
  writeFileSync(odd('/notes'), 'x');
  writeFileSync(odd('.mine'), 'k');
  assert.deepEqual(await find(), []);
  const deny = { ...DENY_SECRET, pattern: '**/*.mine' };
  await assert.rejects(
    find(deny),
    /^Error: Rules hide "caf\ufffd\.mine" in .*, and a path that is not UTF-8 can't/,
  );
  mkdirSync(odd('/sub'));
  writeFileSync(odd('/sub/.env'), 'A=1');
  await assert.rejects(find(), /Rules hide "caf\ufffd\/sub\/\.env"/);
});

test('what rules hide outside of the workspace is named by the paths of the rules', async (t) => {
  const { find, outside } = await open(t);
  const rule = (pattern: string, action: Rule['action'] = 'deny'): Rule => ({
    ...{ permission: 'read', pattern, action, source: 'session' },
  });
  await find(
    rule('/opt/one'),
    rule('/opt/two/**', 'ask'),
    rule('/opt/three', 'allow'),
    rule('/opt/*.x'),
  );
  const own = outside.filter((file) => file.startsWith('/opt/'));
  assert.deepEqual(own.sort(), ['/opt/one', '/opt/two']);
});

test('a folder in another’s place is listed anew', async (t) => {
  const { at, find } = await open(t);
  mkdirSync(at('one'));
  mkdirSync(at('two'));
  writeFileSync(at('two/.env'), 'A=1');
  assert.deepEqual(await find(), ['two/.env']);
  renameSync(at('one'), at('three'));
  renameSync(at('two'), at('one'));
  assert.deepEqual(await find(), ['one/.env']);
});

test('a hidden file is found while a program moves its folder to and fro', async (t) => {
  const { at, find } = await open(t);
  for (const name of ['a', 'b', 'c', 'dir/deep']) mkdirSync(at(name), { recursive: true });
  writeFileSync(at('dir/deep/.env'), 'A=1');
  const line = 'cd "$1"; while :; do mv -T dir z; mv -T z dir; done 2>/dev/null';
  const mover = spawn('bash', ['-c', line, 'bash', at('')], { stdio: 'ignore' });
  const moved = once(mover, 'exit');
  try {
    for (let look = 0; look < 100; look += 1) {
      const found = await find().catch((fault: Error) => fault.message);
      if (typeof found === 'string') assert.match(found, /are moved all the time/);
      else assert.match(found.join(), /^(dir|z)\/deep\/\.env$/);
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    // Before the folder is removed, in which it would go on.
    mover.kill('SIGKILL');
    await moved;
  }
});

test('what was in the workspace at the time of the look is known afterwards', async (t) => {
  const { at, look } = await open(t);
  mkdirSync(at('a/b'), { recursive: true });
  writeFileSync(at('a/b/file'), '');
  symlinkSync('nowhere', at('a/link'));
  const { had } = await look();
  renameSync(at('a'), at('c'));
  const there = ['a', 'a/b', 'a/b/file', 'a/link'];
  const absent = ['c', 'c/b', 'c/b/file', 'a/new', 'x/y/z'];
  for (const name of there) assert.equal(had(at(name)), true, name);
  for (const name of absent) assert.equal(had(at(name)), false, name);
  assert.equal(had('/elsewhere/x'), undefined);
  const all: Rule = { permission: 'fs.read', pattern: '**', action: 'allow', source: 'session' };
  const unhidden = await look(all, { ...all, permission: 'read' });
  assert.equal(unhidden.had(at('c/b/file')), true, 'where no rule hides anything');
});

test('of what a server reads outside the workspace, only what a rule is about is masked', async (t) => {
  const { findIn } = await open(t);
  const folder = await temporary(t);
  const at = (name: string) => path.join(folder, name);
  mkdirSync(at('deep [x]/more'), { recursive: true });
  for (const name of ['notes', 'deep [x]/.env', 'deep [x]/more/a.key', 'deep [x]/more/b']) {
    writeFileSync(at(name), 'x');
  }
  const rule = (pattern: string): Rule => {
    return { permission: 'read', pattern, action: 'deny', source: 'session' };
  };
  const key = rule('**/a.key');
  assert.deepEqual(await findIn([]), []);
  assert.deepEqual(await findIn([folder]), [at('deep [x]/.env'), at('deep [x]/more/a.key')]);
  assert.deepEqual(await findIn([at('deep [x]')], rule('**/b')), [
    ...[at('deep [x]/.env'), at('deep [x]/more/a.key'), at('deep [x]/more/b')],
  ]);
  assert.deepEqual(await findIn([at('notes'), at('gone')], key), []);
  assert.deepEqual(await findIn([at('notes')], rule('**/notes')), [at('notes')]);
  assert.deepEqual(await findIn([at('deep [x]/.env')]), [], 'the accepted command line names it');
});

test('a look that has no time left finds nothing, and says so', async (t) => {
  const policy = { ...(await openPolicy(t)) };
  const stopped = () => AbortSignal.abort();
  const hidden = createHiddenFiles(createPolicyCompiler(), { policy: () => policy }, stopped);
  assert.deepEqual(await hidden.find([]), {
    ok: false,
    error: 'The files that rules hide from it could not be found. The look took more than 10 s.',
  });
});
