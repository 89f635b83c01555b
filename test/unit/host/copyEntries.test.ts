import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { readPermissionMeta } from '../../../src/acp/gatehouse/permission.ts';
import { calls, connect, newSession, prompt, temporary } from './harness.ts';

interface Entry {
  readonly id: string;
  readonly target?: string;
  readonly text: string;
}

/** The ids of the entries that the user leaves out of a review. */
type Choose = (entries: readonly Entry[]) => readonly string[];

interface Ran {
  readonly workspace: string;
  readonly entries: readonly Entry[];
  /** The targets that the request gives reasons for. */
  readonly targets: readonly string[];
  /** Why it asks. */
  readonly reason: string;
  /** The last update of the call. */
  readonly text: string;
  revert(): Promise<unknown>;
  /** What the client was told of, as JSON. */
  updates(): string;
}

/** Runs a script in the copy, and answers its review. */
async function run(
  t: TestContext,
  script: string,
  choose: Choose = () => [],
  prepare: (workspace: string) => void = () => undefined,
): Promise<Ran> {
  const workspace = await temporary(t);
  plant(workspace);
  prepare(workspace);
  writeFileSync(path.join(workspace, 'make.sh'), script);
  const data = await temporary(t);
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify({ 'sandbox.autoRun': true }));
  let entries: readonly Entry[] = [];
  let targets: readonly string[] = [];
  let reason = '';
  const host = await connect(t, {
    ...{ data, workspace, env: { HOME: await temporary(t), GATEHOUSE_BWRAP: '' } },
    script: [
      { calls: [{ tool: 'bash', id: 'c1', input: { command: 'bash make.sh' } }] },
      { text: 'Done.' },
    ],
    client: {
      permission(params: RequestPermissionRequest) {
        const meta = readPermissionMeta(params);
        entries = meta?.entries ?? [];
        reason = meta?.why?.reason ?? '';
        targets = (meta?.subjects ?? []).map(({ target }) => target);
        const outcome = { outcome: 'selected', optionId: 'allow' } as const;
        return { outcome, _meta: { gatehouse: { leftOut: choose(entries) } } };
      },
    },
  });
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  return {
    ...{ workspace, entries, targets, reason, text: JSON.stringify(calls(host).at(-1)) },
    revert: () => host.agent.request('_gatehouse/revert', { sessionId, toolCallId: 'c1' }),
    updates: () => JSON.stringify(host.updates),
  };
}

/** A workspace with one of each kind, for `ALL` to change. */
function plant(workspace: string): void {
  const at = (name: string) => path.join(workspace, name);
  for (const name of ['d', 'gone', 'part']) mkdirSync(at(name));
  for (const name of ['a.bin', 'old.bin', 'gone/b.bin', 'part/c.bin', 'becomes.bin']) {
    writeFileSync(at(name), `${name}\0`);
  }
  for (const name of ['a.txt', 'gone/x.txt', 'key.txt']) writeFileSync(at(name), `${name}\n`);
  chmodSync(at('old.bin'), 0o640);
  chmodSync(at('gone'), 0o750);
  chmodSync(at('key.txt'), 0o600);
  symlinkSync('a.txt', at('link'));
  symlinkSync('nowhere', at('lost'));
}

const ALL = `printf 'a\\0bc' > a.bin; rm old.bin key.txt lost; chmod 755 a.txt; printf more >> a.txt
  ln -sf a.bin link; rm becomes.bin; ln -s d becomes.bin; mkdir empty; rm -r gone part
  printf '\\0' > d/new.bin; printf '#!/bin/sh' > run.sh; chmod 755 run.sh; ln -s d other`;

/** Every entry with its kind, mode and content. */
function snapshot(workspace: string): Readonly<Record<string, string>> {
  const names = readdirSync(workspace, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(names.map((name) => [name, describe(path.join(workspace, name))]));
}

function describe(file: string): string {
  const stats = lstatSync(file);
  if (stats.isSymbolicLink()) return `-> ${readlinkSync(file)}`;
  const mode = (stats.mode & 0o7777).toString(8);
  return stats.isDirectory() ? `folder ${mode}` : `${mode} ${readFileSync(file, 'latin1')}`;
}

async function planted(t: TestContext, script: string): Promise<Readonly<Record<string, string>>> {
  const workspace = await temporary(t);
  plant(workspace);
  writeFileSync(path.join(workspace, 'make.sh'), script);
  return snapshot(workspace);
}

test('each listed change can be left out, and exactly the others are made', async (t) => {
  const before = await planted(t, ALL);
  const whole = await run(t, ALL);
  const made = snapshot(whole.workspace);
  const names = whole.entries.map(({ text }) => /^`(.*?)`/.exec(text)?.[1] ?? '');
  assert.equal(new Set(names).size, names.length);
  for (const { target = '' } of whole.entries) assert.ok(whole.targets.includes(target), target);
  for (const rest of [0, 1]) {
    const { workspace, text, entries } = await run(t, ALL, (all) =>
      all.flatMap(({ id }, at) => (at % 2 === rest ? [id] : [])),
    );
    assert.equal(entries.length, names.length);
    const now = snapshot(workspace);
    for (const [at, name] of names.entries()) {
      const isOut = at % 2 === rest;
      // The folders stay as long as one of their files does, and a mode is no part of the text.
      if (name === 'gone' || name === 'part' || name === 'a.txt' || name === 'run.sh') continue;
      assert.equal(now[name], isOut ? before[name] : made[name], `${name} ${isOut}`);
    }
    assert.equal(now['a.txt'], `${modeOf('a.txt', rest)} a.txt\nmore`);
    assert.equal(now['run.sh'], `${modeOf('run.sh', rest)} #!/bin/sh`);
    assert.match(text, /Left out in the review: /);
  }
  function modeOf(name: string, rest: number): string {
    return names.indexOf(name) % 2 === rest ? '644' : '755';
  }
});

const PRIVATE = `umask 077; echo key > own.txt; printf '\\0' > own.bin; mkdir -p keys/deep none; echo key > keys/deep/x.txt
  chmod 755 keys/deep; umask 022; echo all > usual.txt; mkdir usual; echo all > usual/x.txt`;

test('new files and folders keep the mode that shuts others out, which the review shows', async (t) => {
  const { workspace, entries, text, revert } = await run(t, PRIVATE);
  const shown = entries.map((entry) => entry.text).sort();
  assert.deepEqual(shown, [
    '`keys/deep/x.txt`: mode 600',
    '`keys`: new folder, mode 700',
    '`none`: new folder, mode 700',
    '`own.bin`: new binary file, 1 byte, mode 600',
    '`own.txt`: mode 600',
  ]);
  const now = snapshot(workspace);
  const modes = ['own.txt', 'own.bin', 'keys', 'keys/deep', 'keys/deep/x.txt', 'none', 'usual.txt'];
  assert.deepEqual(
    modes.map((name) => /(?<!\S)\d+/.exec(now[name] ?? '')?.[0]),
    ['600', '600', '700', '755', '600', '700', '644'],
    text,
  );
  await revert();
  const left = Object.keys(snapshot(workspace));
  for (const name of ['own.txt', 'own.bin', 'keys/deep/x.txt', 'none', 'usual.txt']) {
    assert.ok(!left.includes(name), name);
  }
});

test('the mode of a new folder goes with what is made in it', async (t) => {
  const { workspace, text } = await run(
    t,
    'umask 077; mkdir keys; printf "\\0" > keys/x.bin',
    (all) => all.flatMap(({ id, text }) => (/x\.bin/.test(text) ? [id] : [])),
  );
  assert.equal(snapshot(workspace)['keys'], undefined);
  assert.doesNotMatch(text, /ENOENT|changed while you waited/);
  let made = '';
  const other = await run(
    t,
    'umask 077; mkdir keys; echo key > keys/x.txt',
    () => {
      mkdirSync(made, { mode: 0o755 });
      return [];
    },
    (folder) => {
      made = path.join(folder, 'keys');
    },
  );
  assert.equal(snapshot(other.workspace)['keys'], 'folder 755');
  assert.match(other.text, /keys was there already. Its mode was not changed/);
});

test('a folder is not deleted while something in it stays', async (t) => {
  const out: Choose = (entries) =>
    entries.flatMap(({ id, text }) => (text.startsWith('`part/c.bin`') ? [id] : []));
  const { workspace, text } = await run(t, 'rm -r part gone', out);
  const now = snapshot(workspace);
  assert.equal(now['part/c.bin'], (await planted(t, ''))['part/c.bin']);
  assert.equal(now['gone'], undefined);
  assert.match(text, /Not deleted, because something in it stays: `part`: deleted folder\./);
});

test('a new folder that is left out is not created for another one in it', async (t) => {
  const out: Choose = (entries) =>
    entries.flatMap(({ id, text }) => (text.startsWith('`deep`') ? [id] : []));
  const { workspace, entries, text } = await run(t, 'mkdir -p deep/er empty', out);
  assert.equal(entries.length, 3);
  const { 'make.sh': _, empty, ...left } = snapshot(workspace);
  const { 'make.sh': __, ...before } = await planted(t, '');
  assert.match(String(empty), /^folder/);
  assert.deepEqual(left, before);
  assert.match(text, /Not created, because its folder was left out: `deep\/er`: new folder\./);
});

test('a review of which everything is left out, or that names an unknown change, writes nothing', async (t) => {
  const script = "printf '\\0' > new.bin; rm old.bin";
  const all = await run(t, script, (entries) => entries.map(({ id }) => id));
  const unknown = await run(t, script, () => ['99']);
  const before = await planted(t, script);
  for (const { workspace } of [all, unknown]) assert.deepEqual(snapshot(workspace), before);
  assert.match(all.text, /The user rejected every change of the proposal/);
  assert.match(unknown.text, /leaves out 99, which was not proposed/);
});

test('Revert takes back deletions, modes, links, folders and binary files', async (t) => {
  const { workspace, revert, text } = await run(t, ALL);
  const before = await planted(t, ALL);
  assert.match(text, /"exit_code":0/, 'the result of the command is kept');
  assert.match(text, /"revertable":true/);
  assert.notDeepEqual(snapshot(workspace), before);
  const { files, conflicts } = Object(await revert());
  assert.deepEqual(conflicts, []);
  assert.equal(new Set(files).size, files.length);
  assert.deepEqual(snapshot(workspace), before);
  assert.deepEqual(await revert(), { files: [], conflicts: [] }, 'there is nothing more to revert');
});

test('the request says that Revert could not restore a file that is too large to keep', async (t) => {
  const large = (workspace: string) => {
    writeFileSync(path.join(workspace, 'large.bin'), '');
    truncateSync(path.join(workspace, 'large.bin'), 65 * 1024 * 1024);
  };
  const { reason, revert } = await run(t, 'rm large.bin', undefined, large);
  assert.match(
    reason,
    /If you allow `large\.bin`, Revert can't restore what was there: at most 64 MB/,
  );
  await assert.rejects(revert(), /large\.bin was too large to be kept/);
  const { reason: small } = await run(t, 'rm old.bin');
  assert.doesNotMatch(small, /Revert/);
});

test('Revert takes back what it can of a command, and names what it can not restore', async (t) => {
  const large = (workspace: string) => {
    writeFileSync(path.join(workspace, 'large.bin'), '');
    truncateSync(path.join(workspace, 'large.bin'), 65 * 1024 * 1024);
  };
  const { workspace, revert, updates } = await run(t, `${ALL}; rm large.bin`, undefined, large);
  const before = await planted(t, `${ALL}; rm large.bin`);
  await assert.rejects(revert(), (fault) => {
    assert.match(String(fault), /The content of \S*large\.bin was too large.* Reverted: .*a\.bin/);
    assert.doesNotMatch(String(fault), /Reverted: .*large\.bin/);
    return true;
  });
  assert.deepEqual(snapshot(workspace), before);
  assert.match(updates(), /"title":"Revert /);
  // Only the lost one is left, and nothing of the others was dropped.
  await assert.rejects(revert(), /large\.bin was too large.* Nothing was reverted/);
});

for (const [what, change] of [
  ['a binary file', (at) => writeFileSync(at('a.bin'), 'mine\0')],
  ['a link', (at) => rmSync(at('other'))],
  ['a mode', (at) => chmodSync(at('a.txt'), 0o700)],
  ['a deleted file', (at) => writeFileSync(at('old.bin'), 'mine\0')],
] satisfies readonly (readonly [string, (at: (name: string) => string) => void])[]) {
  test(`Revert changes nothing when ${what} was changed since`, async (t) => {
    const { workspace, revert } = await run(t, ALL);
    change((name) => path.join(workspace, name));
    const mine = snapshot(workspace);
    const { files, changed = [] } = Object(await revert());
    if (what === 'a link') {
      assert.ok(!files.includes(path.join(workspace, 'other')), 'it is gone already');
      return;
    }
    assert.deepEqual([files, changed.length], [[], 1]);
    assert.deepEqual(snapshot(workspace), mine);
  });
}

test('Revert changes nothing when something was put into a created folder since', async (t) => {
  const { workspace, revert } = await run(t, 'mkdir -p deep/er empty; printf more >> a.txt');
  const at = (name: string) => path.join(workspace, name);
  writeFileSync(at('empty/mine.txt'), 'mine');
  const mine = snapshot(workspace);
  assert.deepEqual(await revert(), { files: [], conflicts: [], changed: [at('empty')] });
  assert.deepEqual(snapshot(workspace), mine);
  rmSync(at('empty/mine.txt'));
  await revert();
  const { 'make.sh': _, ...left } = snapshot(workspace);
  const { 'make.sh': __, ...before } = await planted(t, '');
  assert.deepEqual(left, before);
});

test('a Revert that fails halfway names what was reverted, and shows it', async (t) => {
  const { workspace, revert, updates } = await run(
    t,
    "printf more >> a.txt; printf 'x\\0' > a.bin",
  );
  const at = (name: string) => path.join(workspace, name);
  linkSync(at('a.bin'), path.join(await temporary(t), 'outside'));
  await assert.rejects(revert(), (fault) => {
    assert.match(String(fault), /a\.bin has other names.* Already reverted: \S*a\.txt\./);
    return true;
  });
  assert.equal(readFileSync(at('a.txt'), 'utf8'), 'a.txt\n');
  assert.equal(readFileSync(at('a.bin'), 'utf8'), 'x\0');
  assert.match(updates(), /"title":"Revert a\.txt"/);
});

test('a FIFO of the workspace holds nothing up, and a command that deletes it asks to run for real', async (t) => {
  const prepare = (workspace: string) => {
    execFileSync('mkfifo', ['pipe', 'd/pipe'], { cwd: workspace });
  };
  const beside = await run(
    t,
    'ls d; printf more >> a.txt; grep -rsI --devices=skip x . | wc -l',
    undefined,
    prepare,
  );
  assert.match(beside.text, /1 file changed/);
  assert.ok(lstatSync(path.join(beside.workspace, 'pipe')).isFIFO());
  const { workspace, reason } = await run(t, 'rm pipe; printf more >> a.txt', undefined, prepare);
  assert.match(reason, /^It changes the special file `pipe`\. That is not possible in a copy/);
  assert.deepEqual(
    readdirSync(workspace).filter((name) => name === 'pipe'),
    [],
  );
});

test('the mode of a file that has another name elsewhere is not changed though the user allows it', async (t) => {
  const outside = path.join(await temporary(t), 'outside');
  writeFileSync(outside, 'x', { mode: 0o644 });
  const link = (workspace: string) => linkSync(outside, path.join(workspace, 'hard'));
  const { workspace, text } = await run(t, 'chmod 777 hard', undefined, link);
  assert.equal(describe(outside), describe(path.join(workspace, 'hard')));
  assert.match(describe(outside), /^644 /);
  assert.match(text, /hard has another name \(hard link\)\. Its mode was not changed/);
});

test('a mode that the user sets while the review waits stays, and nothing of the review is written', async (t) => {
  const rows = [
    { script: 'chmod 755 a.txt; printf more >>a.txt', name: 'a.txt', mode: 0o600 },
    { script: 'chmod 755 a.bin; printf more >>a.bin', name: 'a.bin', mode: 0o600 },
    { script: 'chmod 755 a.txt', name: 'a.txt', mode: 0o600 },
    { script: 'chmod 777 d', name: 'd', mode: 0o700 },
  ];
  for (const { script, name, mode } of rows) {
    const before = await planted(t, script);
    let at = '';
    const close = () => {
      chmodSync(path.join(at, name), mode);
      return [];
    };
    const { workspace, text } = await run(t, script, close, (made) => {
      at = made;
    });
    const kept = before[name]?.replace(/[0-7]+/, mode.toString(8));
    assert.deepEqual(snapshot(workspace), { ...before, [name]: kept }, script);
    assert.match(text, /changed while you waited for approval/, script);
  }
});
