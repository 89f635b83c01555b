import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, plantWorkspace, policyOf } from '../ask.ts';

// Each way makes git print a commit of a repository outside the workspace.
const root = plantWorkspace(['a.md']);
const outside = path.join(path.dirname(root), 'outside');
const [own, other] = [path.join(root, '.git'), path.join(outside, '.git')];

function git(folder: string, ...args: readonly string[]): string {
  const user = ['-c', 'user.name=x', '-c', 'user.email=x@y'];
  return execFileSync('git', ['-C', folder, ...user, ...args], { encoding: 'utf8' }).trim();
}

function makeRepository(folder: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'a.md'), text);
  git(folder, 'init', '-q');
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', 'x');
}

makeRepository(root, 'own\n');
makeRepository(outside, 'secret\n');
const commit = git(outside, 'rev-parse', 'HEAD');

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** A link for each folder of single objects, or for each object. */
function linkObjects(single: boolean): void {
  const names = readdirSync(path.join(other, 'objects')).filter((name) => name.length === 2);
  for (const name of names) {
    const link = path.join(own, 'objects', name);
    if (!single && existsSync(link)) continue;
    if (!single) symlinkSync(path.join(other, 'objects', name), link);
    else {
      mkdirSync(link, { recursive: true });
      for (const object of readdirSync(path.join(other, 'objects', name)))
        if (!existsSync(path.join(link, object)))
          symlinkSync(path.join(other, 'objects', name, object), path.join(link, object));
    }
  }
}

function unlinkObjects(): void {
  const store = path.join(own, 'objects');
  for (const entry of readdirSync(store, { withFileTypes: true, recursive: true }))
    if (entry.isSymbolicLink()) unlinkSync(path.join(entry.parentPath, entry.name));
}

const alternates = path.join(own, 'objects/info/alternates');
const lent = path.join(root, 'lent');

const WAYS: Readonly<Record<string, () => void>> = {
  'a folder of objects that is named': () => write(alternates, `${other}/objects\n`),
  'one in quotes': () => write(alternates, `"${other}/objects"\n`),
  'one that a folder of the workspace names': () => {
    write(path.join(lent, 'info/alternates'), `${other}/objects\n`);
    write(alternates, '../../lent\n');
  },
  'a folder of the workspace that is a link': () => {
    symlinkSync(path.join(other, 'objects'), lent);
    write(alternates, '../../lent\n');
  },
  'links in a folder of the workspace': () => {
    mkdirSync(lent);
    for (const name of readdirSync(path.join(other, 'objects')))
      symlinkSync(path.join(other, 'objects', name), path.join(lent, name));
    write(alternates, '../../lent\n');
  },
  'links to folders of objects': () => linkObjects(false),
  'links to objects': () => linkObjects(true),
};

async function decide(line: string): Promise<string> {
  const folders = { workspace: [root], adHoc: [], cwd: root };
  return (await evaluate(bashCall(line), policyOf(DEFAULT_RULES, { folders }))).decision;
}

for (const [way, prepare] of Object.entries(WAYS)) {
  test(`git asks where objects outside are borrowed by ${way}`, async () => {
    assert.equal(await decide(`git show ${commit}`), 'allow');
    prepare();
    try {
      assert.match(git(root, 'show', commit), /secret/);
      for (const line of [`git show ${commit}`, 'git log -p', 'git status'])
        assert.equal(await decide(line), 'ask', line);
    } finally {
      rmSync(alternates, { force: true });
      rmSync(lent, { recursive: true, force: true });
      unlinkObjects();
    }
  });
}

test('git asks where a link leads to a folder of the workspace with a link out', async () => {
  write(path.join(outside, 'reason'), 'secret\n');
  mkdirSync(path.join(root, 'trees/x'), { recursive: true });
  symlinkSync(path.join(outside, 'reason'), path.join(root, 'trees/x/locked'));
  symlinkSync('../trees', path.join(own, 'worktrees'));
  assert.equal(await decide('git worktree list -v'), 'ask');
  rmSync(path.join(root, 'trees/x/locked'));
  assert.equal(await decide('git worktree list -v'), 'allow');
});

test('git may borrow objects from a folder of the workspace', async () => {
  makeRepository(path.join(root, 'inner'), 'inner\n');
  write(alternates, '../../inner/.git/objects\n');
  assert.equal(await decide('git log -p'), 'allow');
});
