import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from '../ask.ts';

// The target of a link is bytes. Where these aren't UTF-8, or have a backslash, another file must not be looked up.
const root = plantWorkspace(['src/a.ts', 'lib/b.ts']);
const outside = path.join(root, '../outside');
mkdirSync(outside);
writeFileSync(path.join(outside, 'notes.md'), 'secret\n');

async function decide(line: string, ...rules: readonly string[]): Promise<string> {
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const all = [...DEFAULT_RULES, ...rulesOf(...rules)];
  return (await evaluate(bashCall(line), policyOf(all, { folders }))).decision;
}

/** A link in `src` to another one, of that name, which leads out. */
function plantLinks(name: Buffer, link: string): void {
  const at = Buffer.concat([Buffer.from(`${root}/`), name]);
  symlinkSync(outside, at);
  symlinkSync(Buffer.concat([Buffer.from('../'), name]), path.join(root, 'src', link));
  assert.equal(readFileSync(path.join(root, 'src', link, 'notes.md'), 'utf8'), 'secret\n');
}

const DENY = `fs.read ${outside}/** deny`;

function toLines(link: string): readonly string[] {
  return [
    `cat src/${link}/notes.md`,
    `cat < src/${link}/notes.md`,
    `cat src/${link}/*`,
    `cd src/${link} && cat notes.md`,
    `ls src/${link}/`,
    'grep -R secret src',
    'rg -L secret src',
    `git log -p -- src/${link}/notes.md`,
  ];
}

test('a link to a name that is not UTF-8 is not taken for a missing file', async () => {
  assert.equal(await decide('grep -R secret src'), 'allow');
  plantLinks(Buffer.from([0x6f, 0xff]), 'odd');
  for (const line of toLines('odd')) assert.equal(await decide(line), 'ask', line);
  for (const line of ['cat src/odd/notes.md', 'program src/odd/notes.md', 'cp -rL src copy'])
    assert.equal(await decide(line, 'bash * allow', DENY), 'ask', line);
  assert.equal(await decide('echo x > src/odd/new', 'fs.write ** allow'), 'ask');
  assert.equal(await decide('cat src/a.ts', 'bash * allow', DENY), 'allow');
});

test('a repository that is found or named by such a link asks', async () => {
  execFileSync('git', ['init', '-q', root]);
  assert.equal(await decide('git status'), 'allow');
  assert.equal(await decide('cd src/odd; git status'), 'ask');
  mkdirSync(path.join(root, '.git/worktrees/x'), { recursive: true });
  symlinkSync(
    Buffer.from([...Buffer.from('../../../o'), 0xff]),
    path.join(root, '.git/worktrees/x/locked'),
  );
  assert.equal(await decide('git worktree list -v'), 'ask');
});

test('a backslash in the target of a link is no slash', {
  skip: process.platform === 'win32',
}, async () => {
  mkdirSync(path.join(root, 'x'));
  writeFileSync(path.join(root, 'x/y'), '');
  plantLinks(Buffer.from('x\\y'), 'back');
  for (const line of toLines('back').slice(0, 5)) assert.equal(await decide(line), 'ask', line);
  assert.equal(await decide('cat src/back/notes.md', 'bash * allow', DENY), 'deny');
});
