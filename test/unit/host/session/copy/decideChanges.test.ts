import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import {
  type DecidedChanges,
  decideChanges,
} from '../../../../../src/host/session/copy/decideChanges.ts';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { parseRules } from '../../../../../src/permissions/rules/parseRules.ts';
import { type Policy, UNREADABLE } from '../../../../../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../../../../../src/permissions/rules/policyCompiler.ts';
import { createReadGit } from '../../../../../src/runtime/commands/readGit.ts';
import type { CopyChange } from '../../../../../src/runtime/sandbox/changes/changes.ts';

type Made = Partial<CopyChange> & { readonly path: string };

interface Options {
  readonly rules?: readonly object[];
  /** Files of the workspace, by name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly repository?: boolean;
  readonly plant?: (folder: string) => void;
}

/** What becomes of changes: each path with its list, and the reason where there is one. */
async function decide(made: readonly Made[], options: Options = {}) {
  const folder = mkdtempSync(path.join(realpathSync(tmpdir()), 'gatehouse-copy-'));
  try {
    for (const [name, text] of Object.entries(options.files ?? {})) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), text);
    }
    if (options.repository) execFileSync('git', ['init', '-q'], { cwd: folder });
    options.plant?.(folder);
    const readGit = createReadGit([folder]);
    let programs = 0;
    const policy: Policy = {
      rules: [...DEFAULT_RULES, ...parseRules(options.rules ?? []).rules],
      folders: { workspace: [folder], adHoc: [], cwd: folder },
      ...{ shell: 'bash', platform: process.platform, headless: false },
      readGit(...call) {
        programs += 1;
        return readGit(...call);
      },
    };
    const context = { policy: () => policy, compiler: createPolicyCompiler() };
    const changes = made.map((each) => toChange(folder, each));
    const decided = await decideChanges(changes, context, new AbortController().signal);
    return { ...toShort(decided), tooMany: decided.tooMany, programs };
  } finally {
    for (const each of [folder, `${folder}.upper`])
      rmSync(each, { recursive: true, force: true, maxRetries: 5 });
  }
}

function toChange(folder: string, made: Made): CopyChange {
  return {
    ...{ folder, isUtf8: true, type: 'added', kind: 'file', isConflict: false },
    file: Buffer.from(path.join(folder, made.path)),
    copy: Buffer.from(path.join(`${folder}.upper`, made.path)),
    ...made,
  };
}

function toShort({ allowed, asked, denied, conflicts, ignored }: DecidedChanges) {
  const name = (change: CopyChange) => change.path;
  const reasons = [...asked, ...denied].map(({ change, why }) => [change.path, why] as const);
  return {
    lists: {
      allowed: allowed.map(name),
      asked: asked.map(({ change }) => change.path),
      denied: denied.map(({ change }) => change.path),
      conflicts: conflicts.map(name),
      ignored: ignored.map(name),
    },
    why: Object.fromEntries(reasons),
  };
}

const NONE = { allowed: [], asked: [], denied: [], conflicts: [], ignored: [] };
const rule = (permission: string, pattern: string, action: string) => ({
  ...{ permission, pattern, action },
});
const ALLOW = rule('fs.write', '**', 'allow');

test('every changed path is evaluated as a write', async () => {
  const rules = [
    rule('fs.write', 'src/**', 'allow'),
    rule('fs.write', 'src/kept/**', 'deny'),
    rule('edit', 'src/asked.ts', 'ask'),
    rule('write', 'src/denied.ts', 'deny'),
  ];
  const paths = [
    'src/a.ts',
    'src/kept/b.ts',
    'src/asked.ts',
    'src/denied.ts',
    'README.md',
    'src/.env',
  ];
  const { lists } = await decide(
    paths.map((each) => ({ path: each })),
    { rules },
  );
  assert.deepEqual(lists, {
    ...NONE,
    allowed: ['src/a.ts'],
    asked: ['src/asked.ts', 'README.md', 'src/.env'],
    denied: ['src/kept/b.ts', 'src/denied.ts'],
  });
});

test('an allow of the tools that change files says nothing about commands', async () => {
  const rules = [rule('write', '**', 'allow'), rule('edit', '**', 'allow')];
  assert.deepEqual((await decide([{ path: 'a.ts' }], { rules })).lists.asked, ['a.ts']);
});

test('a protected file is asked about whatever a rule allows', async () => {
  const paths = ['.vscode/settings.json', '.git/hooks/pre-commit', '.gatehouse/agents/a.md'];
  const { lists, why } = await decide(
    paths.map((each) => ({ path: each })),
    { rules: [ALLOW] },
  );
  assert.deepEqual(lists.asked, paths);
  assert.match(why['.vscode/settings.json'] ?? '', /always asks/);
});

test('what git takes hooks and settings from by a configuration is asked about whatever a rule allows', async () => {
  const configure = (text: string) => (folder: string) => {
    mkdirSync(path.join(folder, 'run/hooks'), { recursive: true });
    writeFileSync(path.join(folder, 'run/settings'), '');
    appendFileSync(path.join(folder, '.git/config'), text);
  };
  const made: Made[] = ['run/hooks/pre-commit', 'run/settings', 'run/other', 'new/pre-commit'].map(
    (name) => ({ path: name }),
  );
  made.push({ path: 'run', kind: 'link', type: 'changed', target: 'src' });
  for (const [text, asked] of [
    ['[core] hooksPath = run/hooks\n', ['run/hooks/pre-commit', 'run']],
    ['[include] path = ../run/settings\n', ['run/settings', 'run']],
    ['[core] hooksPath = new\n', ['new/pre-commit']],
    ['[core] hooksPath = .\n', made.map((each) => each.path)],
    ['', []],
  ] as const) {
    const options = { rules: [ALLOW], repository: true, plant: configure(text) };
    const { lists, why } = await decide(made, options);
    assert.deepEqual(lists.asked, asked, text);
    for (const name of asked) assert.match(why[name] ?? '', /^Git takes hooks or settings from/);
  }
});

test('the hooks of a repository in the workspace whose .git is a file are asked about too', async () => {
  const plant = (folder: string) => {
    mkdirSync(path.join(folder, 'sub/data'), { recursive: true });
    writeFileSync(path.join(folder, 'sub/.git'), 'gitdir: data\n');
  };
  const made = ['sub/data/hooks/pre-commit', 'sub/a'].map((name) => ({ path: name }));
  const { lists } = await decide(made, { rules: [ALLOW], plant });
  assert.deepEqual(lists, {
    ...NONE,
    asked: made.slice(0, 1).map((each) => each.path),
    allowed: ['sub/a'],
  });
});

test('a link that makes a folder one that agents read is asked about whatever a rule allows', async () => {
  const made = ['.github', 'sub/.GitHub', '.vscode', 'github'].map((name) => {
    return { path: name, kind: 'link', target: 'x' } as const;
  });
  const rules = [{ permission: 'fs.write', pattern: '**', action: 'allow' }];
  const { lists } = await decide(made, { rules, files: { 'x/agents/own.agent.md': '' } });
  assert.deepEqual(lists.asked, ['.github', 'sub/.GitHub', '.vscode']);
  assert.deepEqual(lists.allowed, ['github']);
});

test('a deleted folder is decided with everything below it', async () => {
  const files = { 'gone/a.ts': '', 'gone/deep/secret.ts': '', 'fine/a.ts': '', 'swapped/b.ts': '' };
  const rules = [ALLOW, rule('fs.write', '**/secret.ts', 'deny'), rule('write', '**/b.ts', 'ask')];
  const { lists } = await decide(
    [
      { path: 'gone', type: 'deleted', kind: 'folder', was: 'folder' },
      { path: 'fine', type: 'deleted', kind: 'folder', was: 'folder' },
      { path: 'swapped', type: 'changed', kind: 'file', was: 'folder' },
    ],
    { files, rules },
  );
  assert.deepEqual(lists, { ...NONE, allowed: ['fine'], asked: ['swapped'], denied: ['gone'] });
});

test('a folder that cannot be listed is asked about when it is deleted', async () => {
  const gone = { path: 'gone', type: 'deleted', kind: 'folder', was: 'folder' } as const;
  const { why } = await decide([gone], { rules: [ALLOW] });
  assert.deepEqual(why, { gone: '`gone` holds too many files to look at, or cannot be listed.' });
});

test('what a rule about a file does not mean is asked about', async () => {
  const made: readonly Made[] = [
    { path: 'out', kind: 'link', target: '/etc/passwd' },
    { path: 'deep/up', kind: 'link', target: '../../other' },
    { path: 'deep/in', kind: 'link', target: '../a.ts' },
    { path: 'root', kind: 'file', mode: 0o4755 },
    { path: 'tool', kind: 'file', type: 'mode', mode: 0o755, wasMode: 0o644 },
    { path: 'odd\uFFFD', isUtf8: false },
  ];
  const { lists, why } = await decide(made, { rules: [ALLOW] });
  assert.deepEqual(lists, {
    ...NONE,
    allowed: ['deep/in', 'tool'],
    asked: ['out', 'deep/up', 'root', 'odd\uFFFD'],
  });
  assert.equal(
    why['out'],
    '`out` is a link that leads out of the workspace folder, to `/etc/passwd`.',
  );
  assert.equal(why['root'], '`root` would run with the rights of its owner or group.');
  assert.equal(why['odd\uFFFD'], 'The name of `odd␣U+FFFD` is not UTF-8, so no rule can name it.');
});

test('a deny holds for names that are not UTF-8 and for links', async () => {
  const made: readonly Made[] = [
    { path: 'kept/odd\uFFFD', isUtf8: false },
    { path: 'kept/out', kind: 'link', target: '/etc/passwd' },
  ];
  const rules = [ALLOW, rule('fs.write', 'kept/**', 'deny')];
  assert.deepEqual(
    (await decide(made, { rules })).lists.denied,
    made.map((each) => each.path),
  );
});

test('a device, a socket or a FIFO never reaches the workspace, and one may be deleted', async () => {
  const special = { kind: 'special' } as const;
  const { lists, why } = await decide(
    [
      { ...special, path: 'fifo' },
      { ...special, path: 'old', type: 'deleted', was: 'special' },
    ],
    { rules: [ALLOW] },
  );
  assert.deepEqual(lists, { ...NONE, allowed: ['old'], denied: ['fifo'] });
  assert.match(why['fifo'] ?? '', /^`fifo` is a device, a socket or a FIFO/);
});

test('a file that changed in the workspace meanwhile is a conflict, also under an allow', async () => {
  const { lists } = await decide([{ path: 'a.ts', isConflict: true }], { rules: [ALLOW] });
  assert.deepEqual(lists, { ...NONE, conflicts: ['a.ts'] });
});

test('where times do not tell what was saved meanwhile, every change is asked about', async () => {
  for (const [untimed, said] of [
    ['otherClock', /^`a\.ts` lies on another machine, whose clock may be another/],
    [
      'wholeSeconds',
      /^`a\.ts` lies in a file system that notes .* in whole seconds, so that a change of/,
    ],
  ] as const) {
    const { lists, why } = await decide([{ path: 'a.ts', untimed }], { rules: [ALLOW] });
    assert.deepEqual(lists, { ...NONE, asked: ['a.ts'] });
    assert.match(String(why['a.ts']), said);
  }
});

test('what git ignores stays in the copy, also new folders and under an allow', async () => {
  const made: readonly Made[] = [
    { path: 'build', kind: 'folder' },
    { path: 'build/out.js' },
    { path: 'build/deep', kind: 'folder' },
    { path: 'build/deep/out.js' },
    { path: 'src', kind: 'folder' },
    { path: 'src/a.log' },
    { path: 'src/a.ts' },
    { path: 'src/kept.log', isConflict: true },
    { path: 'ä.log' },
    { path: 'a\nb.ts' },
  ];
  const files = { '.gitignore': 'build/\n*.log\n' };
  const ignored = [
    'build',
    'build/out.js',
    'build/deep',
    'build/deep/out.js',
    'src/a.log',
    'src/kept.log',
    'ä.log',
  ];
  for (const rules of [[], [ALLOW]]) {
    const { lists } = await decide(made, { files, rules, repository: true });
    assert.deepEqual([...lists.ignored].sort(), [...ignored].sort());
  }
  const outside = await decide(made, { files, rules: [ALLOW] });
  assert.deepEqual(outside.lists.ignored, [], 'there is no repository');
});

test('a new folder that ignores itself, as caches of tools do, stays in the copy', async () => {
  const contents = {
    'cache/.gitignore': '# Created by a tool.\n*\n',
    'part/.gitignore': '*\n!kept\n',
    'old/.gitignore': '*\n',
    'linked/.gitignore': '*\n',
  };
  const folders = ['cache', 'cache/v', 'part', 'linked'].map(
    (name): Made => ({ path: name, kind: 'folder' }),
  );
  const names = [...Object.keys(contents), 'cache/v/x', 'part/x', 'old/x', 'linked/x'];
  const made = [
    ...folders,
    ...names.map(
      (name): Made => ({
        path: name,
        kind: name.startsWith('linked/.') ? 'link' : 'file',
      }),
    ),
  ];
  const plant = (root: string) => {
    for (const [name, text] of Object.entries(contents)) {
      mkdirSync(path.dirname(path.join(`${root}.upper`, name)), { recursive: true });
      writeFileSync(path.join(`${root}.upper`, name), text);
    }
  };
  const options = { files: { 'old/kept': 'x' }, rules: [ALLOW], plant };
  const { lists } = await decide(made, { ...options, repository: true });
  const cache = ['cache', 'cache/.gitignore', 'cache/v', 'cache/v/x'];
  assert.deepEqual([...lists.ignored].sort(), cache);
  const outside = await decide(made, options);
  assert.deepEqual(outside.lists.ignored, [], 'there is no repository');
});

test('new caches of known names stay in the copy, with or without a repository', async () => {
  const folders = ['__pycache__', 'src', 'src/__pycache__', '.benchmarks', 'my__pycache__'];
  const files = ['__pycache__/a.pyc', 'src/__pycache__/b.pyc', 'src/c', 'old/__pycache__/d.pyc'];
  const made = [
    ...folders.map((name): Made => ({ path: name, kind: 'folder' })),
    ...[...files, '.hypothesis'].map((name): Made => ({ path: name, kind: 'file' })),
  ];
  for (const repository of [true, false]) {
    const plant = (root: string) =>
      mkdirSync(path.join(root, 'old/__pycache__'), { recursive: true });
    const { lists } = await decide(made, { rules: [ALLOW], plant, repository });
    assert.deepEqual([...lists.ignored].sort(), [
      ...['.benchmarks', '__pycache__', '__pycache__/a.pyc'],
      ...['src/__pycache__', 'src/__pycache__/b.pyc'],
    ]);
  }
});

test('no name of a file keeps others, or itself, from being known as ignored', async () => {
  const odd = [':(bad', 'a\nb', 'a"b\\\t\x01', ' ', '-x', ':/a'].map((name) => `out/${name}`);
  const made = [...odd, ':(bad', ':!x.log', 'x.log', 'src/a.ts', 'link/x', 'link/y.log'].map(
    (name): Made => ({ path: name }),
  );
  const files = { '.gitignore': 'out/\n*.log\n', 'out/kept': 'x' };
  const { lists } = await decide(made, {
    ...{ files, rules: [ALLOW], repository: true },
    plant: (root) => symlinkSync('src', path.join(root, 'link')),
  });
  assert.deepEqual([...lists.ignored].sort(), [...odd, ':!x.log', 'x.log'].sort());
});

test('many files cost few programs, ignored or not', async () => {
  const many = Array.from({ length: 3000 }, (_, at): Made => ({ path: `node_modules/p/${at}.js` }));
  const made: readonly Made[] = [{ path: 'node_modules', kind: 'folder' }, ...many];
  const files = { '.gitignore': 'node_modules/\n' };
  const { lists } = await decide(made, { files, repository: true });
  assert.equal(lists.ignored.length, made.length);
  const sources = many.map(
    ({ path: file }): Made => ({ path: file.replace('node_modules', 'src') }),
  );
  const asked = await decide(sources, { files, repository: true });
  assert.deepEqual([asked.lists.asked.length, asked.programs], [3000, 1]);
  const outside = await decide(sources, { files });
  assert.deepEqual([outside.lists.asked.length, outside.programs], [3000, 2]);
});

test('adding a deny never allows a change', async () => {
  const paths = ['a.ts', 'src/b.ts', '.env', '.git/config', 'out'];
  const made = paths.map((each) => ({ path: each }));
  const base = [rule('fs.write', 'src/**', 'allow')];
  const before = await decide(made, { rules: base });
  for (const added of [
    rule('*', '*', 'deny'),
    rule('fs.write', 'src', 'deny'),
    rule('edit', '**', 'deny'),
  ]) {
    const after = await decide(made, { rules: [...base, added] });
    for (const each of after.lists.allowed) assert.ok(before.lists.allowed.includes(each), each);
  }
});

test('an abort ends the evaluation', async () => {
  const policy: Policy = {
    ...{ rules: [], shell: 'bash', platform: process.platform, headless: false },
    folders: { workspace: ['/w'], adHoc: [], cwd: '/w' },
    readGit: UNREADABLE,
  };
  const context = { policy: () => policy, compiler: createPolicyCompiler() };
  const changes = [toChange('/w', { path: 'a' })];
  await assert.rejects(decideChanges(changes, context, AbortSignal.abort()), {
    name: 'AbortError',
  });
});

test('more changes than anybody can review are not evaluated one by one, and those of other fates stay known', async () => {
  const made = Array.from({ length: 200_000 }, (_, at): Made => ({ path: `a/${at}` }));
  const files = { '.gitignore': 'out/\n' };
  const more: readonly Made[] = [
    { path: 'out', kind: 'folder' },
    { path: 'b', isConflict: true },
  ];
  const decided = await decide([...made, ...more], { files, repository: true });
  assert.equal(decided.tooMany, 200_000);
  assert.deepEqual(decided.lists, { ...NONE, conflicts: ['b'], ignored: ['out'] });
});

test('deleted folders that lie in each other are looked through a limited number of times', async () => {
  const names = Array.from({ length: 150 }, (_, at) => 'd/'.repeat(at + 1));
  const files: Record<string, string> = {};
  for (const name of names) for (const file of ['a', 'b', 'c']) files[`${name}${file}`] = '';
  const made = names.map((name): Made => {
    return { path: name.slice(0, -1), type: 'deleted', kind: 'folder', was: 'folder' };
  });
  const { lists } = await decide(made, { files, rules: [ALLOW] });
  assert.equal(lists.allowed.length + lists.asked.length, 150);
  assert.ok(lists.asked.length > 20, `${lists.asked.length}`);
});

test('what is planted together with a HEAD asks together', async () => {
  const rules = [{ permission: 'fs.write', pattern: '{workspace}/**', action: 'allow' }];
  const made = ['x/HEAD', 'x/config', 'x/refs/a', 'x/objects/a', 'x/a.ts', 'y/config', 'z/head/a'];
  const decided = await decide(
    made.map((name) => ({ path: name })),
    { rules },
  );
  assert.deepEqual(decided.lists.asked, ['x/HEAD', 'x/config', 'x/refs/a', 'x/objects/a']);
  assert.deepEqual(decided.lists.allowed, ['x/a.ts', 'y/config', 'z/head/a']);
  assert.match(decided.why['x/config'] ?? '', /the same command writes a `HEAD` there/);
  const folded = await decide([{ path: 'x/Head' }, { path: 'X/Config' }], { rules });
  assert.deepEqual(folded.lists.asked, ['x/Head', 'X/Config']);
});
