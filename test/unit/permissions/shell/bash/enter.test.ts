import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { findTop } from '../../../../../src/permissions/shell/bash/enter.ts';
import { evaluateBash } from '../../ask.ts';

const RULES = [
  'bash npm test allow',
  'bash cd * allow',
  'fs.read {workspace}/** allow',
  'fs.read ** ask',
];

test('a command in a folder that `cd` is not followed to asks', async () => {
  for (const line of [
    'cd ~root && npm test',
    'cd ~root/project; npm test',
    'cd ~-/..; npm test',
    'cd -P ..; npm test',
    'cd -L ..; npm test',
    'cd -Pe ..; npm test',
  ])
    assert.equal((await evaluateBash(line, RULES)).decision, 'ask', line);
});

test('a deny holds in such a folder', async () => {
  const rules = [...RULES, 'bash npm test deny'];
  assert.equal((await evaluateBash('cd ~root && npm test', rules)).decision, 'deny');
});

test('a command in a folder of the workspace runs without asking', async () => {
  for (const line of ['cd src && npm test', 'cd -- src && npm test', 'cd src; cd -; npm test'])
    assert.equal((await evaluateBash(line, RULES)).decision, 'allow', line);
});

test('the top of a work tree is told, and none of a bare repository or one whose settings may name another', (t) => {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'gatehouse-top-')));
  t.after(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));
  const init = (name: string, ...options: readonly string[]) => {
    execFileSync('git', ['init', '-q', ...options, path.join(base, name)]);
    return path.join(base, name);
  };
  const tree = init('tree');
  mkdirSync(path.join(tree, 'src'));
  assert.equal(findTop(tree), tree);
  assert.equal(findTop(path.join(tree, 'src')), tree);
  assert.equal(findTop(init('bare', '--bare')), undefined);
  assert.equal(findTop(base), undefined);
  const elsewhere = init('elsewhere');
  execFileSync('git', ['-C', elsewhere, 'config', 'core.worktree', tree]);
  assert.equal(findTop(elsewhere), undefined);
});
