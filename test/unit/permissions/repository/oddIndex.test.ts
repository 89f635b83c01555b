import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { findGitFolder } from '../../../../src/permissions/repository/gitFolder.ts';
import { readIndex } from '../../../../src/permissions/repository/trackedFiles.ts';
import { bashCall, evaluate, plantWorkspace, policyOf } from '../ask.ts';

function git(root: string, ...args: readonly string[]): string {
  const user = ['-c', 'user.name=x', '-c', 'user.email=x@y', '-c', 'advice.addEmbeddedRepo=false'];
  return execFileSync('git', ['-C', root, ...user, ...args], { encoding: 'utf8' }).trim();
}

function makeRepository(root: string, ...options: readonly string[]): string {
  mkdirSync(root, { recursive: true });
  writeFileSync(path.join(root, 'a.md'), 'a\n');
  git(root, 'init', '-q', ...options);
  git(root, 'add', 'a.md');
  git(root, 'commit', '-qm', 'x');
  return root;
}

async function decide(root: string, line: string): Promise<string> {
  const folders = { workspace: [root], adHoc: [], cwd: root };
  return (await evaluate(bashCall(line), policyOf(DEFAULT_RULES, { folders }))).decision;
}

const [FILE, SUBMODULE] = [0o100644, 0o160000];

function toNumber(value: number, bytes = 4): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
}

function toEntry(name: Buffer, mode: number, id: Buffer): Buffer {
  const parts = [Buffer.alloc(24), toNumber(mode), Buffer.alloc(12), id, toNumber(name.length, 2)];
  const entry = Buffer.concat([...parts, name]);
  return Buffer.concat([entry, Buffer.alloc(8 - (entry.length % 8))]);
}

function writeIndex(root: string, entries: readonly Buffer[], more = Buffer.alloc(0)): void {
  const head = [Buffer.from('DIRC'), toNumber(2), toNumber(entries.length)];
  const data = Buffer.concat([...head, ...entries, more]);
  const algorithm = entries[0] !== undefined && isLong(root) ? 'sha256' : 'sha1';
  const sum = createHash(algorithm).update(data).digest();
  writeFileSync(path.join(root, '.git/index'), Buffer.concat([data, sum]));
}

const isLong = (root: string) => /sha256/.test(readFileSync(`${root}/.git/config`, 'utf8'));

function readNames(root: string): readonly string[] | undefined {
  const found = findGitFolder(root);
  return found && readIndex(found)?.map(({ name }) => name);
}

test('a name in the index that leads elsewhere is not taken for a file of the work tree', async () => {
  const root = makeRepository(plantWorkspace([]));
  writeFileSync(path.join(root, '../notes.md'), 'secret\n');
  mkdirSync(path.join(root, 'a.d'));
  const blob = Buffer.from(git(root, 'rev-parse', 'HEAD:a.md'), 'hex');
  const plant = (...names: readonly string[]) =>
    writeIndex(
      root,
      names.map((name) => toEntry(Buffer.from(name), FILE, blob)),
    );
  plant('.gitignore', 'a.md', 'b/.github', 'c/..d');
  assert.equal(await decide(root, 'git diff --stat'), 'allow');
  for (const name of ['../notes.md', `${path.dirname(root)}/notes.md`, 'a.d/../../notes.md']) {
    plant(name);
    assert.match(git(root, 'grep', 'secret'), /secret/, name);
    for (const line of ['git diff', 'git grep secret', 'git status'])
      assert.equal(await decide(root, line), 'ask', `${line} with ${name}`);
  }
  for (const name of ['.git/config', 'x/.GIT/config', './a.md', 'a//b', '..']) {
    plant(name);
    assert.equal(readNames(root), undefined, name);
  }
});

test('a submodule in the index whose name is not UTF-8, or leads out, counts', async () => {
  const root = makeRepository(plantWorkspace([]));
  makeRepository(path.join(root, '../other'));
  const id = Buffer.from(git(root, 'rev-parse', 'HEAD'), 'hex');
  for (const name of [Buffer.from([0x73, 0xff]), Buffer.from('../other')]) {
    writeIndex(root, [toEntry(name, SUBMODULE, id)]);
    assert.equal(await decide(root, 'git status'), 'ask', name.toString());
  }
  writeIndex(root, [toEntry(Buffer.from([0x73, 0xff]), FILE, id)]);
  assert.equal(await decide(root, 'git status'), 'allow');
});

test('an index is read with the hashes of its repository', async () => {
  const root = makeRepository(plantWorkspace([]), '--object-format=sha256');
  assert.deepEqual(readNames(root), ['a.md']);
  const inner = makeRepository(path.join(root, 'sub'), '--object-format=sha256');
  git(inner, 'config', 'core.fsmonitor', 'false');
  // With shorter hashes, the name would be another one.
  const other = [Buffer.alloc(20, 1), toNumber(10, 2), Buffer.from('a'.repeat(10))];
  writeIndex(root, [toEntry(Buffer.from('sub'), SUBMODULE, Buffer.concat(other))]);
  assert.match(git(root, 'ls-files', '-s'), /\tsub$/);
  assert.equal(await decide(root, 'git status'), 'ask');
  assert.deepEqual(readNames(root), ['sub']);
  git(root, 'config', 'extensions.objectFormat', '"sha256"');
  assert.equal(readNames(root), undefined, 'a value that is not plain');
});

const toExtension = (name: string, data: Buffer) =>
  Buffer.concat([Buffer.from(name), toNumber(data.length), data]);

test('an index that says where its parts begin says the truth', () => {
  const root = makeRepository(plantWorkspace([]));
  const id = Buffer.alloc(20, 1);
  const entries = ['a', 'b', 'c'].map((name) => toEntry(Buffer.from(name), FILE, id));
  const [first = Buffer.alloc(0)] = entries;
  const end = 12 + 3 * first.length;
  const blocks = (...places: readonly (readonly [at: number, count: number])[]) =>
    toExtension('IEOT', Buffer.concat([1, ...places.flat()].map((value) => toNumber(value))));
  const last = (at: number) => toExtension('EOIE', Buffer.concat([toNumber(at), Buffer.alloc(20)]));
  const check = (expected: readonly string[] | undefined, ...more: readonly Buffer[]) => {
    writeIndex(root, entries, Buffer.concat(more));
    assert.deepEqual(readNames(root), expected);
  };
  const second = 12 + first.length;
  check(['a', 'b', 'c'], blocks([12, 1], [second, 2]), last(end));
  check(['a', 'b', 'c'], toExtension('TREE', Buffer.alloc(5)), last(end));
  check(undefined, blocks([12, 1], [second + 8, 2]), last(end));
  check(undefined, blocks([second, 1], [12, 2]), last(end));
  check(undefined, toExtension('TREE', Buffer.alloc(5)), last(end + 13));
  check(undefined, toExtension('junk', last(end + 8)));
  check(undefined, toExtension('link', Buffer.alloc(20)), last(end));
});

test('the index of many files, as git writes it for threads, is read', () => {
  const root = makeRepository(plantWorkspace([]));
  const blob = git(root, 'rev-parse', 'HEAD:a.md');
  const lines = Array.from({ length: 300 }, (_, at) => `100644 ${blob}\tfolder/${at}.md\n`);
  git(root, 'config', 'index.threads', '4');
  for (const version of ['2', '4']) {
    execFileSync('git', ['-C', root, 'update-index', '--index-version', version, '--index-info'], {
      input: lines.join(''),
      env: { ...process.env, GIT_TEST_INDEX_THREADS: '4' },
    });
    assert.match(readFileSync(path.join(root, '.git/index'), 'latin1'), /IEOT/, version);
    assert.equal(readNames(root)?.length, 301, version);
  }
});
