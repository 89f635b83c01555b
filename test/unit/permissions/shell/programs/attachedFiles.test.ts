import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../../ask.ts';

const RULES = [
  ...['tar', 'zstd', 'rsync'].map((name) => `bash ${name} * allow`),
  'fs.read {workspace}/** allow',
  'fs.read ** ask',
];

test('what copies asks about a file outside that is attached to an option', async () => {
  for (const line of [
    'tar cf a.tar --directory=.. b',
    'tar cf a.tar --dir=/root .ssh',
    'tar cf a.tar -C.. b',
    'tar -C/root -cf a.tar .ssh',
    'tar cf a.tar --add-file=../secret',
    'zstd --patch-from=../secret src/f',
    'zstd -D../secret src/f',
    'rsync -a --copy-dest=/etc src/ out/',
  ])
    assert.equal((await evaluateBash(line, RULES)).decision, 'ask', line);
});

test('a deny of reading holds for a file that is attached to an option', async () => {
  const rules = [...RULES, 'fs.read secrets/** deny'];
  for (const line of ['tar cf b.tar --directory=secrets a', 'tar cf b.tar -Csecrets/ a'])
    assert.equal((await evaluateBash(line, rules)).decision, 'deny', line);
});

test('what is attached to an option asks nothing within the workspace, or if it is no file', async () => {
  for (const line of [
    'tar czf a.tgz --directory=sub b',
    'tar czf a.tgz --exclude=/node_modules src/f',
    'tar czf a.tgz --transform=s,^/,x, src/f',
    'rsync -a --exclude=/x --info=progress2 src/f out',
    'zstd -19 src/f',
  ])
    assert.equal((await evaluateBash(line, RULES)).decision, 'allow', line);
});

test('the word behind an unknown option may be a file, wherever the hosts stand', async () => {
  const rules = ['bash ncat * allow', 'fs.* ** allow', 'fs.write **/out deny'];
  for (const line of ['ncat --log out h', 'ncat h --log out', 'ncat --log out h 80'])
    assert.equal((await evaluateBash(line, rules)).decision, 'ask', line);
  assert.equal((await evaluateBash('ncat h out', rules)).decision, 'allow');
});
