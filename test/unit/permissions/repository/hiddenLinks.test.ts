import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { hiddenLink, REPOSITORIES } from '../../../fuzz/hiddenLinks.ts';
import { bashCall, evaluate, plantWorkspace, policyOf } from '../ask.ts';

function git(root: string, ...args: readonly string[]): string {
  const user = ['-c', 'user.name=x', '-c', 'user.email=x@y', '-c', 'advice.addEmbeddedRepo=false'];
  const config = [...user, '-c', 'protocol.file.allow=always'];
  return execFileSync('git', ['-C', root, ...config, ...args], { encoding: 'utf8' });
}

function makeRepository(root: string): string {
  mkdirSync(root, { recursive: true });
  writeFileSync(path.join(root, 'a.ts'), 'x');
  git(root, 'init', '-q');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'x');
  return root;
}

/** A repository with a submodule, a work tree, and submodules that have a `.git` of their own. */
function makeNested(): string {
  const root = makeRepository(path.join(plantWorkspace(['x']), 'root'));
  const lib = makeRepository(path.join(root, '../lib'));
  git(root, 'submodule', 'add', '-q', '--name', 'lib', lib, 'mods/lib');
  git(root, 'worktree', 'add', '-q', '--detach', path.join(root, '../tree'));
  const inner = makeRepository(path.join(root, 'inner'));
  makeRepository(path.join(inner, 'deep'));
  git(inner, 'add', 'deep');
  git(root, 'add', 'inner');
  return root;
}

const root = makeNested();

async function decide(line: string): Promise<string> {
  const folders = { workspace: [root], adHoc: [], cwd: root };
  return (await evaluate(bashCall(line), policyOf(DEFAULT_RULES, { folders }))).decision;
}

test('every repository that git enters is there', () => {
  for (const each of REPOSITORIES) assert.ok(existsSync(path.join(root, each, 'HEAD')), each);
});

test('wherever a link in a repository that git enters leads out, git asks', async () => {
  const outside = plantWorkspace(['secret']);
  const lines = ['git status', 'git log', 'git diff'];
  for (const line of lines) assert.equal(await decide(line), 'allow', line);
  await fc.assert(
    fc.asyncProperty(
      hiddenLink,
      fc.constantFrom(...lines),
      fc.boolean(),
      async (name, line, file) => {
        const link = path.join(root, name);
        if (existsSync(link)) return;
        const [created] = [mkdirSync(path.dirname(link), { recursive: true })];
        symlinkSync(file ? path.join(outside, 'secret') : outside, link);
        try {
          assert.equal(await decide(line), 'ask');
        } finally {
          rmSync(created ?? link, { recursive: true });
        }
      },
    ),
    { numRuns: 60, seed: 20_261_123 },
  );
  assert.equal(await decide('git status'), 'allow');
});

test('what a submodule reads elsewhere is decided by the rules about files there', async () => {
  const out = makeRepository(path.join(plantWorkspace(['x']), 'lender'));
  const alternates = path.join(root, 'inner/deep/.git/objects/info/alternates');
  mkdirSync(path.dirname(alternates), { recursive: true });
  writeFileSync(alternates, `${out}/.git/objects\n`);
  assert.equal(await decide('git diff --submodule=log'), 'ask');
  rmSync(alternates);
  assert.equal(await decide('git diff --submodule=log'), 'allow');
  const own = path.join(root, 'inner/.git');
  execFileSync('mv', [own, path.join(out, 'moved')]);
  writeFileSync(own, `gitdir: ${out}/moved\n`);
  assert.equal(await decide('git status'), 'ask');
});
