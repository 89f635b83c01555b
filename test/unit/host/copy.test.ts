import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { RequestPermissionRequest, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { fieldAt } from '../../../src/base/json.ts';
import { COPY_COMMANDS } from '../../../src/permissions/defaults/copyRules.ts';
import { shippedRulesText } from '../../../src/permissions/defaults/rulesText.ts';
import { until } from '../../workbench/processes.ts';
import { calls, connect, newSession, prompt, temporary } from './harness.ts';

interface Ran {
  readonly workspace: string;
  readonly data: string;
  /** The titles and reasons of the requests, in order. */
  readonly asks: readonly RequestPermissionRequest[];
  /** The texts of the last update of the call. */
  readonly text: string;
  /** Where the card says that the call runs, and the number of its parts, at each request. */
  readonly shown: readonly string[];
  /** Whether the file existed in the workspace at each request. */
  readonly atAsk: readonly (string | undefined)[];
}

interface Options {
  readonly rules?: readonly object[];
  readonly files?: Readonly<Record<string, string>>;
  readonly answer?: 'allow' | 'reject';
  /** Initializes a repository with everything in it committed. */
  readonly repository?: boolean;
  readonly bwrap?: string;
  readonly off?: boolean;
  /** Adds to the workspace what is no text. */
  readonly plant?: (workspace: string) => void;
  /** A file with unsaved changes in the editor. */
  readonly unsaved?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** What another program writes to `a.txt` while the user is asked. */
  readonly meanwhile?: string;
  /** The workspace is the home folder, which the sandbox can't copy. */
  readonly atHome?: boolean;
  /** Our own client, whose user runs the command without the sandbox where that is offered. */
  readonly outside?: boolean;
}

/** Runs commands, one call each, in a real session with the real sandbox. */
async function run(
  t: TestContext,
  commands: readonly (string | object)[],
  options: Options = {},
): Promise<Ran> {
  const data = await temporary(t);
  const workspace = await temporary(t);
  const { rules = [], files = {}, answer = 'allow', repository, bwrap = '', off = false } = options;
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
    writeFileSync(path.join(workspace, name), text, name === 'fail.sh' ? { mode: 0o755 } : {});
  }
  options.plant?.(workspace);
  if (repository) initialize(workspace);
  const settings = { 'sandbox.autoRun': !off, permissions: rules, ...options.settings };
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify(settings));
  const asks: RequestPermissionRequest[] = [];
  const atAsk: (string | undefined)[] = [];
  const shown: string[] = [];
  const host = await connect(t, {
    ...{ data, workspace },
    env: {
      HOME: options.atHome ? workspace : await temporary(t),
      GATEHOUSE_BWRAP: bwrap,
      ...options.env,
    },
    script: [
      ...commands.map((each) => {
        const input = typeof each === 'string' ? { command: each } : each;
        return { calls: [{ tool: 'bash', input }] };
      }),
      { text: 'Done.' },
    ],
    client: {
      ...(options.unsaved && withUnsaved(path.join(workspace, options.unsaved))),
      ...(options.outside && {
        capabilities: { _meta: { gatehouse: { v: 1, saveRule: true } } },
      }),
      permission(params) {
        asks.push(params);
        shown.push(describeCard(calls(host)));
        if (options.meanwhile) writeFileSync(path.join(workspace, 'a.txt'), options.meanwhile);
        atAsk.push(readIfThere(path.join(workspace, 'a.txt')));
        const kind = answer === 'allow' ? 'allow_once' : 'reject_once';
        const option =
          params.options.find(({ optionId }) => options.outside && optionId === 'outside') ??
          params.options.find((each) => each.kind === kind);
        return { outcome: { outcome: 'selected', optionId: option?.optionId ?? '' } };
      },
    },
  });
  await prompt(host, await newSession(host));
  const last = calls(host).at(-1);
  await host.stop();
  return { workspace, data, asks, shown, atAsk, text: JSON.stringify(last) };
}

/** As a client sees it, which keeps fields that are absent. */
function describeCard(updates: readonly ToolCallUpdate[]): string {
  const { content, isolation } = updates.reduce(
    (card, { content, _meta }) => ({
      content: content?.map(({ type }) => type) ?? card.content,
      isolation: String(fieldAt(_meta?.['gatehouse'], 'isolation') ?? card.isolation),
    }),
    { content: [] as string[], isolation: '' },
  );
  return [isolation, ...content].join(' ');
}

/** An editor that shows other text than the file holds. */
function withUnsaved(file: string) {
  const row = { path: file, uri: `file://${file}`, dirty: true, version: 7 };
  return {
    capabilities: {
      fs: { readTextFile: true, writeTextFile: true },
      _meta: { gatehouse: { v: 1, documents: true } },
    },
    other(method: string) {
      if (method === '_gatehouse/documents') {
        return { documents: [{ ...row, encoding: 'utf8', eol: '\n' }] };
      }
      return method === 'fs/read_text_file' ? { content: 'unsaved' } : undefined;
    },
  };
}

function initialize(workspace: string): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: workspace });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'first');
}

function readIfThere(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

const WRITE = 'f() { printf new > a.txt; printf made > b.txt; }; f';
const ALLOW = { permission: 'fs.write', pattern: '**', action: 'allow' };

test('a command that no rule decides runs in the copy, and its changes wait for the review', async (t) => {
  const { workspace, asks, atAsk, text } = await run(t, [WRITE], { files: { 'a.txt': 'old' } });
  assert.equal(asks.length, 1);
  assert.match(String(asks[0]?.toolCall.title), /^Changes of: /);
  assert.deepEqual(atAsk, ['old'], 'nothing is written before the answer');
  assert.equal(readIfThere(path.join(workspace, 'a.txt')), 'new');
  assert.equal(readIfThere(path.join(workspace, 'b.txt')), 'made');
  assert.match(text, /Ran in a copy of the workspace · 2 files changed/);
  assert.match(text, /"isolation":"copy"/);
});

test('a review that a rule asks for says so last, where Go to Rule stands', async (t) => {
  const asking = { permission: 'fs.write', pattern: 'a.txt', action: 'ask' };
  const files = { 'a.txt': 'old' };
  const { asks } = await run(t, [WRITE], { files, rules: [ALLOW, asking] });
  const whys = asks.map(({ _meta }) => fieldAt(_meta?.['gatehouse'], 'why'));
  assert.equal(fieldAt(fieldAt(whys[0], 'rule'), 'pattern'), 'a.txt');
  assert.match(
    String(fieldAt(whys[0], 'reason')),
    /^The command ran in a copy .* in the workspace yet\. The rule .*a\.txt/,
  );
  const plain = await run(t, [WRITE], { files });
  const why = fieldAt(plain.asks[0]?._meta?.['gatehouse'], 'why');
  assert.equal(fieldAt(why, 'rule'), undefined);
  assert.match(String(fieldAt(why, 'reason')), /in the workspace yet\.$/);
});

test('what the user rejects reaches neither the workspace nor the next command', async (t) => {
  const { workspace, asks } = await run(t, [WRITE, 'f() { cat b.txt; }; f'], {
    files: { 'a.txt': 'old' },
    answer: 'reject',
  });
  assert.equal(asks.length, 1);
  assert.deepEqual(readdirSync(workspace), ['a.txt']);
  assert.equal(readIfThere(path.join(workspace, 'a.txt')), 'old');
});

test('changes that rules allow are written unasked, and denied ones are refused', async (t) => {
  const rules = [ALLOW, { permission: 'write', pattern: 'b.txt', action: 'deny' }];
  const files = { 'make.sh': 'printf new > a.txt; printf made > b.txt' };
  const { workspace, asks, text } = await run(t, ['bash make.sh'], { rules, files });
  assert.equal(asks.length, 0);
  assert.equal(readIfThere(path.join(workspace, 'a.txt')), 'new');
  assert.equal(existsSync(path.join(workspace, 'b.txt')), false);
  assert.match(text, /b\.txt was not written/);
});

/** A script, so that its line doesn't name the files. */
const OTHERS = `printf 'a\\0bc' > a.bin; printf '\\0' > d/new.bin; rm old.bin; chmod 755 a.txt; rm link
  ln -s a.bin link; ln -s d other; mkdir empty; rm -r gone; printf '#!/bin/sh' > run.sh; chmod +x run.sh`;

/** A workspace with one of each kind, for `OTHERS` to change. */
function plant(workspace: string): void {
  for (const name of ['d', 'gone']) mkdirSync(path.join(workspace, name), { recursive: true });
  for (const name of ['a.bin', 'old.bin']) writeFileSync(path.join(workspace, name), 'a\0');
  symlinkSync('a.txt', path.join(workspace, 'link'));
}

test('binary files, links, modes and folders are listed in the one review, and applied as shown', async (t) => {
  const { workspace, asks, text } = await run(t, ['bash make.sh'], {
    files: { 'make.sh': OTHERS, 'a.txt': 'old', 'gone/x.txt': 'x' },
    plant,
  });
  assert.equal(asks.length, 1);
  assert.match(text, /"exit_code":0/, 'the result of the command is kept');
  const shown = JSON.stringify(asks[0]);
  const at = (name: string) => path.join(workspace, name);
  for (const line of [
    'Allowing it also changes:',
    '`a.bin`: binary, 2 bytes → 4 bytes',
    '`d/new.bin`: new binary file, 1 byte',
    '`old.bin`: deleted binary file, 2 bytes',
    '`a.txt`: mode 644 → 755',
    '`link`: the link becomes a link to `a.bin`',
    '`other`: new link to `d`',
    '`empty`: new folder',
    '`gone`: deleted folder',
    '`run.sh`: mode 755 (executable)',
  ]) {
    assert.ok(shown.includes(line), `${line} in ${shown}`);
  }
  assert.match(String(asks[0]?.toolCall.title), /^Changes of: bash make\.sh/);
  assert.deepEqual(readdirSync(workspace).sort(), [
    ...['a.bin', 'a.txt', 'd', 'empty', 'link', 'make.sh', 'other', 'run.sh'],
  ]);
  assert.deepEqual(readFileSync(at('a.bin')), Buffer.from('a\0bc'));
  assert.deepEqual(readFileSync(at('d/new.bin')), Buffer.from([0]));
  assert.deepEqual([readlinkSync(at('link')), readlinkSync(at('other'))], ['a.bin', 'd']);
  const modes = ['a.txt', 'run.sh'].map((name) => statSync(at(name)).mode & 0o777);
  assert.deepEqual(modes, [0o755, 0o755]);
});

test('a text with a byte order mark, or in another encoding, shows what changes, and is applied byte for byte', async (t) => {
  const bytes = (text: string) => Buffer.from(text, 'latin1');
  const before = {
    'bom.txt': '\xef\xbb\xbfone\n',
    'added.txt': 'one\n',
    'latin.txt': 'caf\xe9 ol\xe9\n',
    'wide.txt': '\xff\xfea\0\n\0',
    'gone.txt': 'caf\xe9',
    'picture.bin': '\x89PNG\r\n\x1a\n',
  };
  const script = `printf 'one\\n' > bom.txt; printf '\\357\\273\\277one\\n' > added.txt
    printf 'caf\\351 \\342\\237\\250E9\\342\\237\\251 ol\\351\\n' > latin.txt; printf '\\377\\376b\\0\\n\\0' > wide.txt; rm gone.txt
    printf '\\211PNG\\r\\n\\032' > picture.bin; printf '\\351t\\351' > new.txt`;
  const { workspace, asks } = await run(t, ['bash make.sh'], {
    files: { 'make.sh': script },
    plant: (folder) => {
      for (const [name, text] of Object.entries(before)) {
        writeFileSync(path.join(folder, name), bytes(text));
      }
    },
  });
  assert.equal(asks.length, 1);
  const shown = JSON.stringify(asks[0]);
  for (const line of [
    '`bom.txt`: UTF-8 text with a byte order mark → UTF-8 text, 7 bytes → 4 bytes: without `⟨BOM⟩`',
    '`added.txt`: UTF-8 text → UTF-8 text with a byte order mark, 4 bytes → 7 bytes: with `⟨BOM⟩`',
    '`latin.txt`: text in an unknown encoding, 9 bytes → 18 bytes: with `⟨⟨E9⟩ `',
    '`wide.txt`: UTF-16LE text, 6 bytes → 6 bytes: `a` → `b`',
    '`gone.txt`: deleted text in an unknown encoding, 4 bytes: `caf⟨E9⟩`',
    '`picture.bin`: binary, 8 bytes → 7 bytes',
    '`new.txt`: new text in an unknown encoding, 3 bytes: `⟨E9⟩t⟨E9⟩`',
  ]) {
    assert.ok(shown.includes(line), `${line} in ${shown}`);
  }
  const read = (name: string) => readFileSync(path.join(workspace, name), 'latin1');
  assert.equal(read('bom.txt'), 'one\n');
  assert.equal(read('added.txt'), '\xef\xbb\xbfone\n');
  assert.equal(read('latin.txt'), 'caf\xe9 \xe2\x9f\xa8E9\xe2\x9f\xa9 ol\xe9\n');
  assert.equal(read('wide.txt'), '\xff\xfeb\0\n\0');
  assert.equal(read('new.txt'), '\xe9t\xe9');
  assert.equal(existsSync(path.join(workspace, 'gone.txt')), false);
});

test('what is no text stays as it is when the review is rejected, and is gone from the copy', async (t) => {
  const { workspace, asks } = await run(t, ['bash make.sh', 'f() { true; }; f'], {
    ...{ files: { 'make.sh': OTHERS, 'a.txt': 'old' }, plant, answer: 'reject' },
  });
  assert.equal(asks.length, 1);
  assert.deepEqual(readdirSync(workspace).sort(), [
    'a.bin',
    'a.txt',
    'd',
    'gone',
    'link',
    'make.sh',
    'old.bin',
  ]);
  assert.deepEqual(readFileSync(path.join(workspace, 'a.bin')), Buffer.from('a\0'));
  assert.equal(readlinkSync(path.join(workspace, 'link')), 'a.txt');
});

test('rules decide about binary files and modes too: allowed ones are applied unasked, denied ones dropped', async (t) => {
  const files = {
    'make.sh': "printf '\\0' > a.bin; printf '\\0' > b.bin; chmod 700 a.txt",
    'a.txt': 'old',
  };
  const rules = [ALLOW, { permission: 'write', pattern: 'b.bin', action: 'deny' }];
  const { workspace, asks, text } = await run(t, ['bash make.sh'], { files, rules });
  assert.equal(asks.length, 0, text);
  assert.deepEqual(readdirSync(workspace).sort(), ['a.bin', 'a.txt', 'make.sh'], text);
  assert.equal(statSync(path.join(workspace, 'a.txt')).mode & 0o777, 0o700);
  assert.match(text, /b\.bin was not written/);
});

test('a binary file that changed while the user was asked keeps what it holds, and nothing is written', async (t) => {
  const { workspace, text } = await run(
    t,
    ["f() { printf '\\0' > a.txt; printf new > b.txt; }; f"],
    {
      files: { 'a.txt': 'old' },
      meanwhile: 'of the user',
    },
  );
  assert.equal(readIfThere(path.join(workspace, 'a.txt')), 'of the user');
  assert.equal(existsSync(path.join(workspace, 'b.txt')), false);
  assert.match(text, /a\.txt changed while you waited for approval/);
});

test('a rejected change of modes is gone for the next command', async (t) => {
  const { asks } = await run(t, ['f() { chmod +x a.txt; chmod 700 b; }; f', 'bash none.sh'], {
    files: { 'a.txt': 'old', 'b/c.txt': 'old', 'none.sh': 'true' },
    answer: 'reject',
  });
  assert.equal(asks.length, 1);
});

test('a commit asks to run for real, and runs once it is allowed', async (t) => {
  const command =
    'f() { git -c user.name=a -c user.email=a@b commit -q --allow-empty -m second; }; f';
  const { workspace, asks } = await run(t, [command], {
    files: { 'a.txt': 'old' },
    repository: true,
  });
  assert.equal(asks.length, 1);
  const log = execFileSync('git', ['log', '--format=%s'], { cwd: workspace, encoding: 'utf8' });
  assert.equal(log, 'second\nfirst\n');
});

test('a command does not see what rules deny or ask about', async (t) => {
  const { workspace, asks } = await run(t, ['bash make.sh'], {
    files: { 'make.sh': 'cat .env secret/key > a.txt', '.env': 'TOKEN=1', 'secret/key': 'hidden' },
    rules: [ALLOW, { permission: 'read', pattern: 'secret/**', action: 'deny' }],
  });
  assert.equal(asks.length, 0);
  assert.equal(readIfThere(path.join(workspace, 'a.txt')), '');
});

test('a command does not see what a rule denies outside of the workspace', async (t) => {
  const deny = { permission: 'read', pattern: '/etc/passwd', action: 'deny' };
  const line = "printf 'wc -c </etc/pass%s' wd | bash";
  const seen = await run(t, [line]);
  assert.match(seen.text, /"output":"[1-9]\d*\\n"/);
  const hidden = await run(t, [line], { rules: [deny] });
  assert.deepEqual([seen.asks.length, hidden.asks.length], [0, 0]);
  assert.match(hidden.text, /"output":"0\\n"/);
});

test('a command gets the variables that the settings pass, in the copy and for real', async (t) => {
  const env = { FOO: 'planted-1', MY_TOKEN: 'planted-2', OPENAI_API_KEY: 'planted-3' };
  const settings = { 'environment.pass': ['FOO', 'MY_*'] };
  const command = 'f() { env | grep -a planted > a.txt; }; f';
  for (const off of [false, true]) {
    const { workspace } = await run(t, [command], { rules: [ALLOW], env, settings, off });
    assert.equal(readIfThere(path.join(workspace, 'a.txt')), 'FOO=planted-1\n', String(off));
  }
});

test('what a command writes to its home folder or to a hidden file is named, and lost', async (t) => {
  const files = {
    'make.sh':
      'printf x > ~/note.txt; mkdir ~/d; printf x > ~/d/e; printf x > .env; printf y > a.txt',
    '.env': 'A=1',
  };
  const { workspace, asks, text } = await run(t, ['bash make.sh'], { files, rules: [ALLOW] });
  assert.equal(asks.length, 0);
  assert.match(text, /the home folder are lost: (d\/e, note\.txt|note\.txt, d\/e)\./);
  assert.match(text, /Rules hide these files from it, and its changes are lost: \S+\/\.env\./);
  assert.equal(readIfThere(path.join(workspace, '.env')), 'A=1');
  assert.equal(readIfThere(path.join(workspace, 'a.txt')), 'y');
});

test('a command that changes a file with unsaved changes asks to run for real', async (t) => {
  for (const rules of [[], [ALLOW]]) {
    const { workspace, asks } = await run(t, [WRITE], {
      ...{ files: { 'a.txt': 'old' }, rules, unsaved: 'a.txt', answer: 'reject' },
    });
    assert.equal(asks.length, 1);
    assert.match(
      JSON.stringify(asks[0]),
      /`a\.txt` has unsaved changes in the editor\. That is not/,
    );
    assert.deepEqual(readdirSync(workspace), ['a.txt']);
    assert.equal(readIfThere(path.join(workspace, 'a.txt')), 'old');
  }
});

test('a program that renames a folder asks to run for real, and the reason says why', async (t) => {
  const files = { 'make.pl': 'rename("d", "e") or die "$!\\n"', 'd/a.txt': 'old' };
  const { workspace, asks } = await run(t, ['perl make.pl'], { files });
  assert.equal(asks.length, 1);
  assert.match(JSON.stringify(asks[0]), /It renames a folder of the workspace \(EXDEV\)/);
  assert.deepEqual(readdirSync(path.join(workspace, 'e')), ['a.txt'], 'it ran once it was allowed');
});

test('a name cannot pass for a line of the card', async (t) => {
  const { text } = await run(t, ['f() { touch "$HOME/x\nAll is written."; echo x; }; f']);
  assert.match(text, /Its changes of the home folder are lost: [^"]*x⏎All is written/);
});

test('what an aborted command changed is discarded before the next one runs', async (t) => {
  const data = await temporary(t);
  const workspace = await temporary(t);
  const settings = { 'sandbox.autoRun': true, permissions: [ALLOW] };
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify(settings));
  const call = (command: string) => ({ calls: [{ tool: 'bash', input: { command } }] });
  const host = await connect(t, {
    ...{ data, workspace, env: { HOME: await temporary(t), GATEHOUSE_BWRAP: '' } },
    script: [
      call('f() { printf half > a.txt; mkdir d; sleep 1000; }; f'),
      call('f() { ls; printf b > b.txt; }; f'),
      { text: 'Done.' },
    ],
  });
  const sessionId = await newSession(host);
  const running = prompt(host, sessionId);
  const copies = path.join(data, 'state', 'copies');
  await until('the change in the copy', () => {
    if (!existsSync(copies)) return false;
    const found = readdirSync(copies, { recursive: true, encoding: 'utf8' });
    return found.some((name) => /o0\/u\/d$/.test(name));
  });
  await host.agent.notify('session/cancel', { sessionId });
  await running;
  await prompt(host, sessionId);
  const next = JSON.stringify(calls(host).at(-1));
  assert.match(next, /1 file changed/);
  assert.doesNotMatch(next, /a\.txt/);
  assert.deepEqual(readdirSync(workspace), ['b.txt']);
});

test('what rules wrote of a command that ended with an error can be reverted', async (t) => {
  // A machine may be too busy to write the file within the first of these times.
  for (const timeout_ms of [300, 3_000, 60_000]) {
    const command = { command: 'f() { printf half > a.txt; sleep 1000; }; f', timeout_ms };
    const { workspace, text } = await run(t, [command], { rules: [ALLOW] });
    const written = readIfThere(path.join(workspace, 'a.txt'));
    if (written !== 'half' && timeout_ms < 60_000) continue;
    assert.equal(written, 'half');
    assert.match(text, /"status":"failed"/);
    assert.match(text, /Ran in a copy of the workspace · 1 file changed/);
    assert.match(text, /"revertable":true/);
    return;
  }
});

test('changes that cannot be read are discarded, and the next command has a copy again', async (t) => {
  const deep = `perl -e '$d = "a" x 200; for (1..25) { mkdir $d; chdir $d }'`;
  const files = { 'deep.sh': deep, 'next.sh': 'ls -d *' };
  const one = await run(t, ['bash deep.sh'], { files, rules: [ALLOW] });
  assert.match(one.text, /could not be read \(ENAMETOOLONG\), and is discarded/);
  assert.match(one.text, /"exit_code":0/);
  const locked = { ...files, 'lock.sh': 'chmod 000 d', 'd/a.txt': 'a' };
  const two = await run(t, ['bash lock.sh'], { files: locked, rules: [ALLOW] });
  assert.match(two.text, /could not be read, and is discarded with all else in the copy/);
  const three = await run(t, ['bash deep.sh', 'bash next.sh'], { files, rules: [ALLOW] });
  assert.doesNotMatch(three.text, /aaaaaaaaaa|could not be read/);
  assert.deepEqual([three.asks.length, readdirSync(three.workspace)], [0, ['deep.sh', 'next.sh']]);
});

test('a command that changes 100,000 files asks to run for real, and nothing is lost when it may not', async (t) => {
  const files = {
    'make.sh': 'printf new > a.txt; mkdir many; cd many; seq 1 100000 | xargs touch',
    'a.txt': 'old',
  };
  const commands = ['bash make.sh', 'f() { ls; printf b > b.txt; }; f'];
  const { workspace, asks, text } = await run(t, commands, { files, answer: 'reject' });
  assert.match(
    JSON.stringify(asks[0]),
    /It changes 100002 files and folders\. That is not possible in a copy/,
  );
  assert.deepEqual(readdirSync(workspace).sort(), ['a.txt', 'make.sh']);
  assert.equal(readIfThere(path.join(workspace, 'a.txt')), 'old');
  assert.match(String(asks[1]?.toolCall.title), /^Changes of: f\(\)/);
  assert.doesNotMatch(text, /many/);
});

test('ignored files stay in the copy, where the next command sees them', async (t) => {
  const { workspace, asks } = await run(
    t,
    ['f() { mkdir build; printf out > build/o; }; f', 'f() { cat build/o > a.txt; }; f'],
    { files: { '.gitignore': 'build/\n' }, repository: true, rules: [ALLOW] },
  );
  assert.equal(asks.length, 0);
  assert.equal(existsSync(path.join(workspace, 'build')), false);
  assert.equal(readIfThere(path.join(workspace, 'a.txt')), 'out');
});

test('a file that changed while the user was asked keeps what it holds', async (t) => {
  const { workspace, text } = await run(t, [WRITE], {
    files: { 'a.txt': 'old' },
    meanwhile: 'of the user',
  });
  assert.equal(readIfThere(path.join(workspace, 'a.txt')), 'of the user');
  assert.equal(existsSync(path.join(workspace, 'b.txt')), false, 'nothing is written in part');
  assert.match(text, /a\.txt changed while you waited for approval/);
});

test('a command that fails and wanted the network asks to run for real; one that passes does not', async (t) => {
  const connects = 'exec 3<>/dev/tcp/192.0.2.1/80';
  const failing = {
    files: { 'net.sh': `(${connects}) 2> /dev/null || exit 1` },
    answer: 'reject',
  } as const;
  const failed = await run(t, ['bash net.sh'], failing);
  assert.equal(failed.asks.length, 1);
  assert.match(JSON.stringify(failed.asks[0]), /tried to use the network/);
  const passed = await run(t, ['bash net.sh'], {
    files: { 'net.sh': `(${connects}) 2> /dev/null; true` },
  });
  assert.equal(passed.asks.length, 0);
});

test('a command that fails without network runs again, and its hosts are asked about by name', async (t) => {
  const files = { 'net.sh': 'curl -sf http://nowhere.invalid/ || exit 7' };
  const { asks, text } = await run(t, ['bash net.sh'], { files, answer: 'reject' });
  assert.deepEqual(
    asks.map(({ toolCall }) => toolCall.title),
    ['bash continues to http://nowhere.invalid/'],
  );
  assert.match(text, /It did not reach these hosts: nowhere\.invalid/);
});

test('a host that a rule allows is not asked about', async (t) => {
  const files = { 'net.sh': 'curl -sf http://nowhere.invalid/ || exit 7' };
  const rules = [{ permission: 'net.fetch', pattern: 'nowhere.invalid', action: 'allow' }];
  const { asks, text } = await run(t, ['bash net.sh'], { files, rules });
  assert.deepEqual(asks, []);
  assert.match(text, /It did not reach these hosts: nowhere\.invalid/);
});

test('a command for which the copy cannot be set up asks to run for real', async (t) => {
  const { workspace, asks } = await run(t, [WRITE], { atHome: true, files: { 'a.txt': 'old' } });
  assert.equal(asks.length, 1);
  assert.match(JSON.stringify(asks[0]), /because the home folder lies there\. /);
  assert.equal(readIfThere(path.join(workspace, 'a.txt')), 'new');
});

test('commands ask as before where nothing confines, and while a setting is off', async (t) => {
  for (const options of [
    { bwrap: '/nowhere' },
    { off: true },
    { settings: { 'sandbox.mode': 'off' } },
  ] as const) {
    const { workspace, asks, text } = await run(t, [WRITE], { ...options, answer: 'reject' });
    assert.equal(asks.length, 1);
    assert.doesNotMatch(text, /copy of the workspace/);
    assert.match(text, /"isolation":"unconfined"/);
    assert.deepEqual(readdirSync(workspace), []);
  }
});

const SCRIPT = { permission: 'bash', pattern: './fail.sh *', action: 'allow' };

for (const mode of ['auto', 'require']) {
  test(`${mode}: a command that failed in the sandbox can ask to run without it, whatever allows it`, async (t) => {
    const outside = path.join(await temporary(t), 'outside');
    const files = { 'fail.sh': `#!/bin/bash\nprintf x >> ${outside} || exit 3` };
    const settings = { 'sandbox.mode': mode };
    const rules = mode === 'require' ? [SCRIPT, ALLOW] : [ALLOW];
    const options = { files, rules, settings };
    const failing = await run(t, ['./fail.sh 1'], options);
    assert.equal(failing.asks.length, 0);
    assert.match(failing.text, /"exit_code":3/);
    assert.match(failing.text, /call again with without_sandbox: true, and the user is asked/);
    assert.match(failing.text, /the agent can ask you to run it without/, 'the card says so');
    const again = { command: './fail.sh 2', without_sandbox: true };
    const rejected = await run(t, [again], { ...options, answer: 'reject' });
    assert.deepEqual([rejected.asks.length, existsSync(outside)], [1, false]);
    assert.match(JSON.stringify(rejected.asks), /It asks to run without the sandbox/);
    const kinds = rejected.asks[0]?.options.map(({ kind }) => kind);
    assert.deepEqual(kinds, ['allow_once', 'reject_once'], 'no rule allows it from now on');
    const allowed = await run(t, [again], options);
    assert.deepEqual([allowed.asks.length, readIfThere(outside)], [1, 'x']);
    assert.match(allowed.text, /"isolation":"unconfined"/);
    assert.doesNotMatch(allowed.text, /call again with/);
  });
}

for (const [where, settings, first, card] of [
  ['in the review of what it changed', {}, /^Changes of: /, 'copy terminal'],
  [
    'before it runs confined',
    { 'sandbox.mode': 'require', 'sandbox.autoRun': false },
    /^\.\/fail\.sh 1$/,
    'confined',
  ],
] as const) {
  test(`a command can be run without the sandbox ${where}, after another request`, async (t) => {
    const outside = path.join(await temporary(t), 'outside');
    const files = {
      'a.txt': 'old',
      'fail.sh': `#!/bin/bash\nprintf new > a.txt; printf b > b.txt; printf x >> ${outside} || exit 3`,
    };
    // What a rule allows is not written either, before the user has chosen.
    const rules = [{ permission: 'fs.write', pattern: 'b.txt', action: 'allow' }];
    const options = { files, settings, rules, outside: true };
    const rejected = await run(t, ['./fail.sh 1'], { ...options, answer: 'reject' });
    assert.equal(rejected.asks.length, 2);
    const [asked, second] = rejected.asks;
    assert.match(String(asked?.toolCall.title), first);
    assert.deepEqual(rejected.shown, [card, 'unconfined'], 'the card is as new');
    if (card.startsWith('copy')) {
      const told = /ran in a copy of the workspace, and failed\. Rules allow some of its changes\./;
      assert.match(JSON.stringify(asked), told);
    }
    assert.equal(asked?.options.at(-1)?.name, 'Run without the sandbox');
    assert.match(JSON.stringify(second), /It asks to run without the sandbox/);
    assert.deepEqual(second?.toolCall.rawInput, { command: './fail.sh 1', without_sandbox: true });
    assert.deepEqual(
      second?.options.map(({ optionId }) => optionId),
      ['allow', 'reject'],
    );
    assert.deepEqual(readdirSync(rejected.workspace).sort(), ['a.txt', 'fail.sh']);
    assert.equal(readIfThere(path.join(rejected.workspace, 'a.txt')), 'old');
    assert.equal(existsSync(outside), false);

    const allowed = await run(t, ['./fail.sh 1'], options);
    assert.equal(allowed.asks.length, 2);
    assert.equal(readIfThere(path.join(allowed.workspace, 'a.txt')), 'new');
    assert.equal(readIfThere(outside), 'x', 'it ran once');
    assert.match(allowed.text, /"exit_code":0/);
    assert.match(allowed.text, /"isolation":"unconfined"/);
    assert.doesNotMatch(allowed.text, /ran in a copy/);
  });
}

test('a review of a command that passed, and other clients, are not offered to run it outside', async (t) => {
  const files = { 'a.txt': 'old' };
  const passed = await run(t, [WRITE], { files, outside: true });
  const plain = await run(t, [`${WRITE}; false`], { files });
  for (const { asks, text } of [passed, plain]) {
    assert.equal(asks.length, 1, text);
    assert.ok(asks[0]?.options.every(({ optionId }) => optionId !== 'outside'));
  }
});

test('explain names the rule by which a command runs in the copy', async (t) => {
  const data = await temporary(t);
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify({ 'sandbox.autoRun': true }));
  const env = { HOME: await temporary(t), GATEHOUSE_BWRAP: '' };
  const host = await connect(t, { data, env });
  const sessionId = await newSession(host);
  const explain = async (command: string) =>
    Object(
      await host.agent.request('_gatehouse/explain', {
        sessionId,
        tool: 'bash',
        input: { command },
      }),
    );
  const { decision, rule, reason } = await explain('./build.sh all');
  assert.equal(decision, 'allow');
  assert.deepEqual([rule.permission, rule.pattern], ['copy', 'bash *']);
  assert.match(reason, /^No rule covers `\.\/build\.sh all`\. It runs in a copy of the workspace/);
  const lines = COPY_COMMANDS.flatMap((each) => [
    [each, `bash ${each}`],
    [`${each} -q`, `bash ${each} *`],
  ]);
  const named: unknown[] = [];
  for (const [line = ''] of lines) {
    const { decision, rule } = await explain(line);
    assert.deepEqual([decision, rule.permission, rule.origin.layer], ['allow', 'copy', 'default']);
    named.push([line, rule.pattern]);
  }
  assert.deepEqual(named, lines);
  const document = shippedRulesText();
  for (const [, pattern] of lines) {
    assert.ok(
      document.includes(`{ "permission": "copy", "pattern": "${pattern}", "action": "allow"`),
    );
  }
  assert.equal((await explain('rm -r src')).decision, 'ask');
});

test('nothing of the copies is left when the host has ended', async (t) => {
  const { data } = await run(t, [WRITE], { rules: [ALLOW] });
  const left = readdirSync(path.join(data, 'state', 'copies'));
  assert.deepEqual(left, ['sandbox-test.json']);
});
