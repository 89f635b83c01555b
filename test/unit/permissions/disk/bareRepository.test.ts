import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from '../ask.ts';

const RULES = rulesOf('write ** allow', 'fs.write ** allow', 'bash * allow');

function policyIn(root: string) {
  return policyOf(RULES, { folders: { workspace: [root], adHoc: [], cwd: root } });
}

async function write(root: string, file: string): Promise<string> {
  const target = path.join(root, file);
  const subject = { permission: 'write', capability: 'fs.write', target, match: 'path' } as const;
  const call = { tool: 'write', input: { path: target }, subjects: [subject] } as const;
  return (await evaluate(call, policyIn(root))).decision;
}

async function run(root: string, line: string): Promise<string> {
  return (await evaluate(bashCall(line), policyIn(root))).decision;
}

/** Runs `file`, if git takes the folder `x` for a repository. */
function toPlant(file: string): readonly (readonly [string, string])[] {
  const config = `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch ${file}; false"\n`;
  const common = [
    ['x/refs/x', ''],
    ['x/objects/x', ''],
    ['x/config', config],
  ] as const;
  return [['x/HEAD', 'ref: refs/heads/main\n'], ...common];
}

test('what the gate lets through of a planted repository runs nothing, in any order', async () => {
  for (const turned of [false, true]) {
    const root = plantWorkspace(['a.ts']);
    const ran = path.join(root, 'ran');
    const plant = turned ? toPlant(ran).toReversed() : toPlant(ran);
    const fill = async (all: boolean) => {
      for (const [name, text] of plant) {
        if (!all && (await write(root, name)) !== 'allow') continue;
        mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
        writeFileSync(path.join(root, name), text);
      }
      try {
        const env = { ...process.env, GIT_CEILING_DIRECTORIES: root };
        execFileSync('git', ['status'], { cwd: path.join(root, 'x'), env, stdio: 'ignore' });
      } catch {
        // It is no repository.
      }
      return existsSync(ran);
    };
    assert.equal(await fill(false), false);
    assert.equal(await fill(true), true, 'the plant works');
  }
});

test('a file named HEAD asks in any case, whatever writes it', async () => {
  const root = plantWorkspace(['x/head.ts', 'p/HEAD', 'p/config']);
  for (const file of ['x/HEAD', 'x/Head', 'HEAD', 'x/HEAD. '])
    assert.equal(await write(root, file), 'ask', file);
  for (const file of ['x/HEAD.md', 'x/head.ts', 'x/HEAD/a', 'x/config', 'x/refs/x'])
    assert.equal(await write(root, file), 'allow', file);
  for (const line of ['echo a > x/HEAD', 'cp a.ts x/HEAD', 'ln -s refs/a x/HEAD', 'mv p q'])
    assert.equal(await run(root, line), 'ask', line);
});

test('what git reads in a folder with a HEAD asks', async () => {
  const root = plantWorkspace(['a.ts', 'x/HEAD', 'x/config', 'x/src/config', 'y/config', 'p/a']);
  for (const file of [
    ...['x/config', 'x/CONFIG', 'x/config.worktree', 'x/commondir', 'x/hooks/pre-commit'],
    ...['x/info/attributes', 'x/objects/x', 'x/refs/heads/x', 'x/modules/m/config'],
  ])
    assert.equal(await write(root, file), 'ask', file);
  for (const file of ['x/a.ts', 'x/src/config', 'y/config', 'y/hooks/a', 'x/config.ts'])
    assert.equal(await write(root, file), 'allow', file);
  for (const line of [
    'echo a > x/config',
    'cp -rT p x',
    'mkdir x/objects',
    'sed -i s/a/b/ x/config',
  ])
    assert.equal(await run(root, line), 'ask', line);
});

test('HEAD as a revision is no file that a command writes', async () => {
  const root = plantWorkspace(['a.ts', 'x/a']);
  execFileSync('git', ['init', '-q'], { cwd: root });
  for (const line of [
    ...['git show HEAD', 'git push origin HEAD', 'git reset HEAD', 'git reset -q HEAD -- a.ts'],
    ...['git checkout head', 'git reset Head', 'git switch --detach head'],
    ...['git checkout HEAD -- a.ts', 'git restore -s HEAD a.ts', 'git tag v1 HEAD', 'cat HEAD'],
    ...[
      'git ls-files -z | xargs -0 head',
      'timeout 3 head a.ts',
      'env head a.ts',
      'command -v head',
    ],
    ...['http HEAD https://example.com', 'curl -X HEAD https://example.com'],
  ])
    assert.equal(await run(root, line), 'allow', line);
  for (const line of [
    ...['git mv a.ts head', 'git merge-file HEAD a.ts x/a', 'git mailinfo HEAD x/b'],
    ...[
      'git checkout -- head',
      'git mv a.ts HEAD',
      'git rm HEAD',
      'git checkout -- HEAD',
      'tee HEAD',
    ],
    ...['cd x && touch HEAD', 'git log > HEAD', 'http x > HEAD'],
  ])
    assert.equal(await run(root, line), 'ask', line);
});
