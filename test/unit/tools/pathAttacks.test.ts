import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { type Bed, gatehouseCall, openBed } from './bed.ts';

// What the corpus's area `path` is about, in further spellings: everything is allowed by rules, so
// only the capability set, protected files and denies stand between a call and the disk.

type Outcome = 'ok' | 'refuse' | 'error' | 'deny';
type SetUp = (bed: Bed) => void;

const SECRET = 'outside-secret-content';
const ALLOW = [{ permission: '*', pattern: '*', action: 'allow', source: 'session' }];
const INSIDE = { fs: { read: ['{workspace}/**'], write: ['{workspace}/**'] } };

interface More {
  readonly setUp?: SetUp;
  /** A pattern that a manifest denies reading. */
  readonly deny?: string;
  readonly capabilities?: unknown;
}

for (const written of [
  ...['..', '../', '/', '../../secret', './../secret', './/..//secret', 'src/./../../secret'],
  ...['missing/../../secret', 'src/f/../../../secret', '../work2/x', '{outside}/secret'],
  ...['//etc/passwd', '/./etc/passwd', '/etc/../etc/passwd', `${'../'.repeat(3000)}etc/passwd`],
  ...['~', '~/', '~root', '~root/.ssh/id', '~+/../secret'],
  ...['FILE:///etc/passwd', 'file:/etc/passwd', 'file:etc/passwd', 'vscode-remote://x/etc/passwd'],
  ...['/proc/self/environ', '/proc/thread-self/root/etc/passwd', '/proc/1/root/etc/passwd'],
  ...['/proc/self/fd/0', '/proc/self/task/self/cwd', '/dev/fd/0', '/dev/stdin', '/dev/zero'],
  ...['/etc/passwd\0.txt', 'src/f\0', '\0', '\ud800/../../secret'],
]) {
  check('read', { path: written }, 'refuse');
}

for (const written of [
  ...[
    '..∕secret',
    '․․/secret',
    '．．/secret',
    '．．／secret',
    '%2e%2e%2fsecret',
    '%252e%252e/secret',
  ],
  ...[
    '..\\secret',
    '\\etc\\passwd',
    'C:\\Windows\\win.ini',
    '$HOME/.ssh/id',
    '{workspace}/../secret',
  ],
  ...['{user-data}/x', 'src/f\n', 'src/\u202ef', ' src/f', 'src/f ', 'src/f.', 'src/f:stream'],
  ...['a'.repeat(256), 'a'.repeat(5000), 'src', '.', 'fifo', 'src/f/..'],
]) {
  check('read', { path: written }, 'error');
}

for (const [name, links, wanted, read = 'l'] of [
  ['relative', { l: '../outside/secret' }, 'refuse'],
  ['with dots', { l: '{outside}/../outside/./secret' }, 'refuse'],
  ['to the parent', { l: '..' }, 'refuse', 'l/secret'],
  ['and back by dots', { l: '{outside}' }, 'refuse', 'l/../secret'],
  ['to the root of a process', { l: '/proc/self/root' }, 'refuse', 'l/etc/passwd'],
  ['to the folder of a process', { l: '/proc/self/cwd/' }, 'refuse', 'l/x'],
  ['to a descriptor', { l: '/dev/fd/0' }, 'refuse'],
  ['in four hops', { l: 'b', b: 'c', c: 'd', d: '{outside}' }, 'refuse', 'l/secret'],
  ['in a circle', { l: 'm', m: 'l' }, 'error'],
  ['in a growing circle', { l: 'l/x' }, 'error'],
  ['to nothing', { l: 'missing/there' }, 'error'],
  ['that stays inside', { l: 'src/../src' }, 'ok', 'l/f'],
  ['to the workspace itself', { l: '{workspace}' }, 'ok', 'l/src/f'],
  ['out of the workspace and in', { l: '../work/src' }, 'ok', 'l/f'],
] as const) {
  check('read', { path: read }, wanted, { setUp: link(links) }, `by a link ${name}`);
}

for (const written of ['./.env', 'src/../.env', './/.env', '.env/', '.env/.', '{workspace}/.env']) {
  check('read', { path: written }, 'deny', { setUp: files('.env'), deny: '**/.env' });
}
check('read', { path: 'e' }, 'deny', {
  setUp: all(files('.env'), link({ e: '.env' })),
  deny: '.env',
});
check('read', { path: 'e' }, 'deny', { setUp: all(files('a'), link({ e: 'a' })), deny: 'e' });
check('grep', { pattern: 'x', path: 'e' }, 'deny', {
  setUp: all(files('p/k'), link({ e: 'p' })),
  deny: 'p/**',
});

for (const written of [
  '../*',
  'src/../../*',
  '{..,src}/*',
  'src/{..,x}/../*',
  '/*',
  '//etc/*',
  '..',
]) {
  check('glob', { pattern: written }, 'error');
  check('grep', { pattern: SECRET, include: written }, 'error');
}
for (const written of ['..', '/', '/etc', '../outside', 'src/../../outside', '~', 'l', 'l/.']) {
  const setUp = link({ l: '{outside}' });
  check('glob', { pattern: '*', path: written }, 'refuse', { setUp });
  check('grep', { pattern: 'x', path: written }, 'refuse', { setUp });
}
check('glob', { pattern: 'l/*' }, 'ok', { setUp: link({ l: '{outside}' }) });
check('grep', { pattern: 'outside' }, 'ok', {
  setUp: link({ l: '{outside}', m: '{outside}/secret' }),
});
check('glob', { pattern: '{a..z}{a..z}{a..z}{a..z}{a..z}' }, 'error');
check('glob', { pattern: '{'.repeat(2000) }, 'ok');
check('glob', { pattern: '*('.repeat(1000) }, 'ok');
check('glob', { pattern: `${'**/'.repeat(500)}x` }, 'ok');
check('glob', { pattern: '?'.repeat(5000) }, 'error');
check('glob', { pattern: 'a\0b' }, 'error');
check('grep', { pattern: 'a\0b' }, 'error');
check('grep', { pattern: 'x', path: 'fifo' }, 'error');
check('grep', { pattern: '-f/etc/passwd' }, 'ok');
check('grep', { pattern: 'x', include: '-f/etc/passwd' }, 'ok');
check('grep', { pattern: 'x', include: '\n--pre=./evil' }, 'ok');
check('grep', { pattern: '((a{1000}){1000}){1000}' }, 'error');

for (const written of [
  ...[
    '../out',
    '~/rt-out',
    'file:/tmp/x',
    '/dev/null',
    '/dev/full',
    '/proc/self/mem',
    '..',
    'a\0b',
  ],
]) {
  check('write', { path: written, content: 'x' }, 'refuse');
}
for (const written of [
  ...[
    '.VSCODE/settings.json',
    '.Git/config',
    '.GIT',
    'sub/.git/hooks/x',
    '.gitmodules/',
    'TOOLS.JSON',
  ],
  ...[
    'claude.MD',
    'docs/AGENTS.md',
    '.idea/x/y',
    'sub/.npmrc',
    'X.CODE-WORKSPACE',
    '.husky',
    '.vscode',
  ],
  ...[
    '.g\u200cit/config',
    '．git/config',
    '.vſcode/x',
    '.git /config',
    '.vscode./x',
    '.git::$DATA',
  ],
  ...['.git/../.git/config', 'src/../.vscode/x'],
]) {
  check('write', { path: written, content: 'x' }, 'deny');
}
for (const written of ['src', 'src/', 'src/f/x', 'fifo', '.', 'x'.repeat(256)]) {
  check('write', { path: written, content: 'x' }, 'error');
}
const edit = { path: 'l', old_string: 'outside', new_string: 'x' };
const write = { path: 'l', content: 'x' };
check('write', write, 'refuse', { setUp: link({ l: 'm', m: '{outside}/new' }) }, 'by two links');
check('write', write, 'deny', { setUp: link({ l: '.git/config' }) }, 'by a link into .git');
check('write', write, 'deny', { setUp: hardLink('.git/config') }, 'by a hard link into .git');
check('write', write, 'error', { setUp: hardLink('{outside}/secret') }, 'by a hard link outside');
check('edit', edit, 'error', { setUp: hardLink('{outside}/secret') }, 'by a hard link outside');
check('edit', edit, 'refuse', { setUp: link({ l: '{outside}/secret' }) }, 'by a link outside');

for (const [read, wanted] of [
  [['{workspace}/docs/**'], 'refuse'],
  [['{workspace}/s*/f'], 'ok'],
  [['{workspace}'], 'refuse'],
  [['{ad-hoc}/**'], 'refuse'],
  [['sr/**'], 'refuse'],
  [['SRC/**'], 'refuse'],
  [[], 'refuse'],
  [['**'], 'ok'],
] as const) {
  check('read', { path: 'src/f' }, wanted, { capabilities: { fs: { read } } }, `under ${read}`);
}
check(
  'read',
  { path: '/etc/passwd' },
  'refuse',
  { capabilities: { fs: { read: ['**'] } } },
  'under **',
);

function check(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  wanted: Outcome,
  { setUp, deny, capabilities = INSIDE }: More = {},
  how = '',
): void {
  const shown = JSON.stringify(input).slice(0, 90);
  const ruled = deny === undefined ? '' : `with ${deny} denied`;
  test(`${tool} ${shown} ${how}${ruled} is ${wanted}`, async () => {
    using bed = openBed();
    prepare(bed);
    setUp?.(bed);
    const rule = { permission: 'fs.read', pattern: deny, action: 'deny', source: 'manifest' };
    const started = performance.now();
    const { envelope } = await gatehouseCall(
      bed,
      tool,
      JSON.parse(fill(JSON.stringify(input), bed)),
      {
        rules: deny === undefined ? ALLOW : [...ALLOW, rule],
        capabilities,
      },
    );
    const text = JSON.stringify(envelope);
    assert.equal(outcomeOf(envelope), wanted, text.slice(0, 400));
    assert.ok(performance.now() - started < 120_000, 'it took too long');
    assert.ok(!text.includes(SECRET) && !text.includes('root:x:0'), 'outside content came back');
    assert.deepEqual(readdirSync(bed.outside), ['secret']);
    assert.equal(readFileSync(path.join(bed.outside, 'secret'), 'utf8'), SECRET);
    assert.match(readFileSync(path.join(bed.workspace, '.git/config'), 'utf8'), /^\[core\]/);
    assert.ok(!existsSync(path.join(bed.workspace, 'evil-ran')), 'a program was started');
  });
}

function outcomeOf(envelope: { readonly type: string; readonly error_text?: string }): Outcome {
  const { type, error_text: text = '' } = envelope;
  if (type === 'output') return 'ok';
  if (text.startsWith("The agent's capabilities don't allow this call: ")) return 'refuse';
  if (text.startsWith('The tool failed')) throw new Error(text);
  return /denies|is denied/.test(text) ? 'deny' : 'error';
}

function prepare({ root, workspace, outside }: Bed): void {
  for (const folder of ['src', 'docs']) mkdirSync(path.join(workspace, folder));
  for (const file of ['src/f', 'docs/x']) writeFileSync(path.join(workspace, file), 'inside');
  for (const folder of [root, outside]) writeFileSync(path.join(folder, 'secret'), SECRET);
  writeFileSync(path.join(workspace, 'evil'), '#!/bin/sh\ntouch evil-ran\n', { mode: 0o755 });
  mkdirSync(path.join(workspace, '.git'));
  writeFileSync(path.join(workspace, '.git/config'), '[core]\n');
  execFileSync('mkfifo', [path.join(workspace, 'fifo')]);
}

function fill(text: string, { workspace, outside }: Bed): string {
  return text.replaceAll('{workspace}/.env', `${workspace}/.env`).replaceAll('{outside}', outside);
}

function link(links: Readonly<Record<string, string>>): SetUp {
  return (bed) => {
    for (const [name, target] of Object.entries(links)) {
      const to = fill(target, bed).replaceAll('{workspace}', bed.workspace);
      symlinkSync(to, path.join(bed.workspace, name));
    }
  };
}

function hardLink(target: string): SetUp {
  return (bed) =>
    linkSync(path.resolve(bed.workspace, fill(target, bed)), path.join(bed.workspace, 'l'));
}

function files(...names: readonly string[]): SetUp {
  return ({ workspace }) => {
    for (const name of names) {
      mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
      writeFileSync(path.join(workspace, name), SECRET);
    }
  };
}

function all(...steps: readonly SetUp[]): SetUp {
  return (bed) => {
    for (const step of steps) step(bed);
  };
}
