import assert from 'node:assert/strict';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { MB } from '../../../src/base/units.ts';
import { start } from './afterwards.ts';
import { prompt, temporary } from './harness.ts';

const SCRIPT = `printf 'a\\0bc' > a.bin; rm old.bin; chmod 755 a.txt; printf more >> a.txt; ln -sf a.bin link
  mkdir empty; rm -r gone; printf '\\0' > d/new.bin; rm key.txt`;

/** A session in which a rule lets a command's changes reach the workspace from the copy. */
async function run(
  t: TestContext,
  settings: object = {},
  script = SCRIPT,
  plant?: (at: (name: string) => string) => void,
) {
  const call = { tool: 'bash', id: 'c1', input: { command: 'bash make.sh' } };
  const session = await start(t, {
    replies: [{ calls: [call] }, { text: 'Done.' }],
    env: { HOME: await temporary(t), GATEHOUSE_BWRAP: '' },
    settings: {
      'sandbox.autoRun': true,
      permissions: [{ permission: 'fs.write', pattern: '**', action: 'allow' }],
      ...settings,
    },
    plant(at) {
      for (const name of ['d', 'gone']) mkdirSync(at(name));
      for (const name of ['a.bin', 'old.bin', 'gone/b.bin']) writeFileSync(at(name), `${name}\0`);
      for (const name of ['a.txt', 'gone/x.txt', 'key.txt']) writeFileSync(at(name), `${name}\n`);
      chmodSync(at('gone'), 0o750);
      chmodSync(at('key.txt'), 0o600);
      symlinkSync('a.txt', at('link'));
      writeFileSync(at('make.sh'), script);
      plant?.(at);
    },
  });
  const { host, sessionId } = session;
  const before = snapshot(host.workspace);
  await prompt(host, sessionId);
  assert.deepEqual(session.asks, []);
  return {
    ...{ ...session, before },
    resolve: session.resolve.bind(session),
    now: () => snapshot(host.workspace),
    names: () => session.list().map((file) => path.relative(host.workspace, file.path)),
    revert: () => host.agent.request('_gatehouse/revert', { sessionId, toolCallId: 'c1' }),
  };
}

/** Every entry with its kind, mode and content. */
function snapshot(workspace: string): Readonly<Record<string, string>> {
  const names = readdirSync(workspace, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names.map((name) => {
      const file = path.join(workspace, name);
      const stats = lstatSync(file);
      if (stats.isSymbolicLink()) return [name, `-> ${readlinkSync(file)}`];
      const mode = (stats.mode & 0o7777).toString(8);
      return [name, stats.isDirectory() ? mode : `${mode} ${readFileSync(file, 'latin1')}`];
    }),
  );
}

test('what rules let a command write from the copy awaits a review, also what no difference shows', async (t) => {
  const { host, list, asked } = await run(t);
  const shown = list().map(({ path: file, kind, hunks, entry }) => [
    path.relative(host.workspace, file),
    ...[kind, hunks, entry],
  ]);
  assert.deepEqual(shown.sort(), [
    ['a.bin', 'changed', 0, 'binary file'],
    ['a.txt', 'changed', 1, 'mode 644 → 755'],
    ['d/new.bin', 'created', 0, 'new binary file'],
    ['empty', 'created', 0, 'new folder'],
    ['gone', 'deleted', 0, 'deleted folder'],
    ['gone/b.bin', 'deleted', 0, 'deleted binary file'],
    ['gone/x.txt', 'deleted', 1, undefined],
    ['key.txt', 'deleted', 1, undefined],
    ['link', 'changed', 0, 'link to `a.bin`'],
    ['old.bin', 'deleted', 0, 'deleted binary file'],
  ]);
  assert.match(JSON.stringify(asked.at(-1)?.body), /They await a review, which may undo them/);
});

test('undoing all of it restores everything, and the model is told', async (t) => {
  const { host, sessionId, before, now, list, resolve, asked } = await run(t);
  const made = now();
  const { written, conflicts, outdated } = await resolve('undo');
  assert.deepEqual([conflicts, outdated], [[], []]);
  assert.equal(written.length, 10);
  assert.deepEqual(now(), before);
  assert.deepEqual(list(), []);
  await prompt(host, sessionId);
  const told = JSON.stringify(asked.at(-1)?.body);
  for (const name of ['old.bin', 'empty', 'link', 'a.txt']) assert.match(told, new RegExp(name));
  const undo = host.updates
    .map((each) => JSON.stringify(each))
    .findLast((each) => /und_/.test(each));
  const toolCallId = /und_\w+/.exec(undo ?? '')?.[0];
  await host.agent.request('_gatehouse/revert', { sessionId, toolCallId });
  assert.deepEqual(now(), made, 'Revert of the undo restores the changes');
});

test('each can be undone and kept by itself, and a file brings the folder that it lay in', async (t) => {
  const { before, now, names, resolve } = await run(t);
  const made = now();
  await resolve('undo', undefined, 'b.bin');
  assert.equal(now()['gone'], before['gone']);
  assert.equal(now()['gone/b.bin'], before['gone/b.bin']);
  assert.deepEqual(now()['gone/x.txt'], undefined);
  await resolve('keep', undefined, 'old.bin', 'link', 'a.txt');
  assert.deepEqual(names().sort(), ['a.bin', 'd/new.bin', 'empty', 'gone/x.txt', 'key.txt']);
  await resolve('undo');
  const kept = { 'a.txt': made['a.txt'], link: made['link'] };
  const { 'old.bin': _, ...rest } = before;
  assert.deepEqual(now(), { ...rest, ...kept });
  assert.deepEqual(names(), []);
});

test('what was changed since is not undone, and stays on the list', async (t) => {
  const { at, now, list, resolve } = await run(t);
  writeFileSync(at('empty/mine.txt'), 'mine');
  writeFileSync(at('a.bin'), 'mine\0');
  const mine = now();
  const count = list().length;
  const { written, changed } = await resolve('undo');
  assert.deepEqual([written, [...(changed ?? [])].sort()], [[], [at('a.bin'), at('empty')]]);
  assert.deepEqual(now(), mine);
  assert.equal(list().length, count);
});

test('the list says what could not be kept, and undoing all of it undoes the rest', async (t) => {
  const large = (at: (name: string) => string) => {
    mkdirSync(at('big'));
    writeFileSync(at('big/large.bin'), '');
    truncateSync(at('big/large.bin'), 65 * MB);
  };
  const script = 'rm -r big old.bin; printf more >> a.txt';
  const { before, now, at, list, names, resolve, asked } = await run(t, {}, script, large);
  const shown = list().map(({ path: file, entry }) => [path.basename(file), entry]);
  assert.deepEqual(shown, [
    ['a.txt', undefined],
    ['large.bin', 'deleted binary file · old content not kept'],
    ['old.bin', 'deleted binary file'],
    ['big', 'deleted folder'],
  ]);
  assert.match(
    JSON.stringify(asked.at(-1)?.body),
    /Since rules allow `big\/large\.bin`, Revert can't restore/,
  );
  const made = now();
  await assert.rejects(resolve('undo', undefined, 'large.bin'), /so it was not undone\.$/);
  assert.deepEqual(now(), made, 'nor is the folder that it lay in');
  await assert.rejects(resolve('undo'), (fault) => {
    assert.match(String(fault), /old content of \S*large\.bin was too large .* Undone: .*a\.txt/);
    return true;
  });
  const { 'big/large.bin': _, ...rest } = before;
  assert.deepEqual(now(), rest);
  assert.deepEqual(names(), ['big/large.bin']);
  await assert.rejects(
    resolve('undo'),
    /large\.bin was too large to be kept, .*so it was not undone/,
  );
  writeFileSync(at('big/large.bin'), '');
  await resolve('keep');
  assert.deepEqual(names(), []);
});

test('reverting the command takes all of it off the list', async (t) => {
  const { before, now, names, revert } = await run(t);
  await revert();
  assert.deepEqual(now(), before);
  assert.deepEqual(names(), []);
});

test('what the user has reviewed, and what other modes write, is not on the list', async (t) => {
  const asking = await start(t, {
    replies: [{ calls: [{ tool: 'bash', input: { command: 'f() { mkdir d; }; f' } }] }],
    env: { HOME: await temporary(t), GATEHOUSE_BWRAP: '' },
    settings: { 'sandbox.autoRun': true },
    allow: true,
  });
  await prompt(asking.host, asking.sessionId);
  assert.equal(asking.asks.length, 1);
  assert.ok(lstatSync(asking.at('d')).isDirectory());
  assert.deepEqual(asking.list(), []);
  const { list } = await run(t, { 'review.mode': 'each' });
  assert.deepEqual(list(), []);
});
