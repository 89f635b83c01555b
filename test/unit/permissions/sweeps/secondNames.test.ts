import assert from 'node:assert/strict';
import { linkSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { evaluateBash, plantWorkspace } from '../ask.ts';

function plant(): string {
  const root = plantWorkspace(['real/key', 'real/deep/key', 'real/x', 'a/x', 'z/y', 'key/x']);
  symlinkSync('real', path.join(root, 'link'));
  symlinkSync('../real', path.join(root, 'a/own'));
  symlinkSync('../real', path.join(root, 'z/other'));
  symlinkSync('..', path.join(root, 'z/up'));
  return root;
}

const root = plant();

async function decide(line: string, rule: string): Promise<string> {
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const rules = ['bash * allow', 'fs.read ** allow', rule];
  return (await evaluateBash(line, rules, { folders, lookMs: 60_000 })).decision;
}

// A folder that is reached by several names is looked through by each of them.
for (const [rule, line, expected] of [
  // A name that is left out may be the first.
  ['real/key', 'grep -R --exclude-dir=link --exclude-dir=own --exclude-dir=other x .', 'deny'],
  ['real/key', 'grep -R --exclude-dir=real --exclude-dir=own --exclude-dir=other x .', 'deny'],
  ['real/key', 'grep -R --exclude-dir=real --exclude-dir=link --exclude-dir=other x .', 'deny'],
  ['real/key', "rg -uuL x -g '!link' -g '!own' -g '!other'", 'deny'],
  ['real/key', 'grep -R --exclude=key x .', 'allow'],
  // A rule may be about any of them.
  ['**/real/key', 'grep -R x .', 'deny'],
  ['**/link/key', 'grep -R x .', 'deny'],
  ['**/own/key', 'grep -R x .', 'deny'],
  ['**/other/deep/*', 'grep -R x .', 'deny'],
  ['**/none/deep/*', 'grep -R x .', 'allow'],
  ['z/*/deep/key', 'grep -R x .', 'deny'],
  ['{link,a/own}/d*/key', 'grep -R x .', 'deny'],
  // Also about the name by which the folder itself is given.
  ['**/own/key', 'grep -r x a/own/', 'deny'],
  ['**/own/deep/key', 'grep -r x a/own/', 'deny'],
  ['**/own/deep/key', 'grep -r x a/own/deep', 'deny'],
  ['a/*/deep/key', 'grep -r x a/own/', 'deny'],
  ['l*/key', 'grep -rn x link/', 'deny'],
  ['lin?/key', 'grep -rn x link', 'deny'],
  ['l*/key', 'cat link/key', 'deny'],
  ['**/own/key', 'cd a/own && grep -r x .', 'deny'],
  ['**/own/key', 'grep -r x a/own/.', 'deny'],
  ['**/own/key', 'cat a/own/./key', 'deny'],
  ['**/own/key', 'cat a/own//key', 'deny'],
  ['**/own/key', 'cat a/own/deep/../key', 'deny'],
  ['**/own/key', 'cat a/own/../real/x', 'allow'],
  ['**/own/key', 'grep -r x real', 'allow'],
  ['**/own/key', 'grep -r x real a/own/', 'deny'],
  ['**/own/key', 'grep -r x a/own/ real', 'deny'],
  ['**/own/key', 'grep -r x link/', 'allow'],
  // A loop ends.
  ['**/up/real/key', 'grep -R x z', 'deny'],
  ['**/up/z/y', 'grep -R x z', 'allow'],
] as const)
  test(`${line} is ${expected} under ${rule}`, async () => {
    assert.equal(await decide(line, `fs.read ${rule} deny`), expected);
  });

test('many links of many folders are cut off', async () => {
  const own = plantWorkspace(['d0/x']);
  for (let at = 1; at < 30; at += 1) {
    mkdirSync(path.join(own, `d${at}`));
    for (const name of ['a', 'b', 'c'])
      symlinkSync(`../d${at - 1}`, path.join(own, `d${at}`, name));
  }
  const folders = { workspace: [own], adHoc: [], cwd: own };
  const rules = ['bash * allow', 'fs.read **/none/key deny'];
  const { decision, reason } = await evaluateBash('grep -R x .', rules, { folders, lookMs: 50 });
  assert.equal(decision, 'ask');
  assert.match(reason, /takes longer than 50 ms/);
});

// The rule names a file beside the searched folder, so no folder below it is one that the rule could be about.
for (const [how, link, line] of [
  ['a link', symlinkSync, 'grep -R x src'],
  ['another name', linkSync, 'grep -rn x src'],
] as const)
  test(`a denied file that ${how} in a deeper folder leads to is found`, async () => {
    const own = plantWorkspace(['vault/key.txt', 'src/deep/er/x']);
    const folders = { workspace: [own], adHoc: [], cwd: own };
    const rules = ['bash * allow', 'fs.read ** allow', 'fs.read {workspace}/vault/key.txt deny'];
    const decideThere = async () =>
      (await evaluateBash(line, rules, { folders, lookMs: 60_000 })).decision;
    assert.equal(await decideThere(), 'allow');
    link(path.join(own, 'vault/key.txt'), path.join(own, 'src/deep/er/notes.txt'));
    assert.equal(await decideThere(), 'deny');
  });

test('a listing that follows links asks where one leads out, and only there', async () => {
  const own = plantWorkspace(['docs/a.md', 'docs/deep/b.md', 'lib/c', '../outside/x']);
  symlinkSync('../lib', path.join(own, 'docs/lib'));
  const folders = { workspace: [own], adHoc: [], cwd: own };
  const rules = ['bash * allow', 'fs.read {workspace}/** allow', 'fs.read lib/none deny'];
  const decideThere = async (line: string) =>
    (await evaluateBash(line, rules, { folders, lookMs: 60_000 })).decision;
  const lines = ['tree -l docs', 'find -L docs -name a', 'du -L docs'];
  for (const line of lines) assert.equal(await decideThere(line), 'allow', line);
  symlinkSync('../../../outside', path.join(own, 'docs/deep/out'));
  for (const line of lines) assert.equal(await decideThere(line), 'ask', line);
});
