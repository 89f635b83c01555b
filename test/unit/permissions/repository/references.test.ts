import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { rulesOf } from '../ask.ts';
import { decideIn, makeFolder, openRepository } from '../moves/repository.ts';

const RULES = rulesOf('git * allow', 'bash git * allow', 'fs.* ** allow');

for (const words of [
  'refs/heads/../../config refs/heads/x',
  '-- refs/./../config refs/heads/x',
  '-m why refs/../config refs/heads/x',
  'config refs/heads/x',
]) {
  test(`git symbolic-ref ${words} writes outside the references, and asks`, async () => {
    const root = makeFolder();
    const { git, commit } = openRepository(root);
    git('init', '-q');
    commit({ 'a.ts': 'a\n' });
    const line = `git symbolic-ref ${words}`;
    assert.equal(await decideIn(line, root, RULES), 'ask');
    git('symbolic-ref', ...words.split(' '));
    assert.match(readFileSync(path.join(root, '.git/config'), 'utf8'), /^ref: /);
  });
}

test('a name of git symbolic-ref that only the shell knows asks, and so does one on Windows', async () => {
  const root = makeFolder();
  for (const name of ['"$NAME"', "'refs\\..\\config'"])
    assert.equal(await decideIn(`git symbolic-ref ${name} refs/heads/x`, root, RULES), 'ask', name);
});

test('git symbolic-ref of a reference is decided by the rules', async () => {
  const root = makeFolder();
  for (const words of [
    '--short HEAD',
    'HEAD refs/heads/x',
    'refs/remotes/origin/HEAD refs/remotes/origin/main',
    '-d refs/remotes/origin/HEAD',
  ])
    assert.equal(await decideIn(`git symbolic-ref ${words}`, root, RULES), 'allow', words);
});
