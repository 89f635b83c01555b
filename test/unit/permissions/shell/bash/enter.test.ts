import assert from 'node:assert/strict';
import { test } from 'node:test';
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
