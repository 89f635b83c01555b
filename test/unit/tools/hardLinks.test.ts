import assert from 'node:assert/strict';
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { openForReading } from '../../../src/runtime/files/open.ts';
import { ALLOW_ALL, type Bed, gatehouseCall, openBed } from './bed.ts';
import { dataOf, openSession } from './session.ts';

// Who forbids a name forbids the file: by another hard link it is the same one.

const SECRET = 'what-nobody-may-see';

/** `notes` is another name of `file`; a call on it is decided under a rule and a blanket allow. */
function check(
  expected: 'allow' | 'deny',
  rule: string,
  file = '.env',
  notes = 'src/notes.txt',
): void {
  for (const [tool, input] of [
    ['read', { path: notes }],
    ['grep', { pattern: 'what', path: notes }],
    ['bash', { command: `cat ${notes}` }],
    ['bash', { command: `cat < ${notes}` }],
  ] as const) {
    const shown = 'command' in input ? input.command : tool;
    test(`${shown} of ${notes}, which is ${file}, is ${expected} under ${rule}`, async () => {
      using bed = plant(file, notes);
      const [permission, pattern, action] = rule.split(' ');
      const rules = [...ALLOW_ALL, { permission, pattern, action }];
      const { envelope } = await gatehouseCall(bed, tool, input, { rules });
      assert.equal(envelope.type === 'output' ? 'allow' : 'deny', expected);
      assert.equal(JSON.stringify(envelope).includes(SECRET), expected === 'allow');
    });
  }
}

check('deny', 'fs.read .env deny');
check('deny', 'fs.read **/.env deny');
check('deny', 'fs.read **.env deny');
check('deny', 'read **/.env deny');
check('deny', 'fs.read {workspace}/.env deny');
check('deny', 'fs.read .env ask');
check('deny', 'fs.read **/.env deny', 'src/.env', 'src/deep/notes');
check('deny', 'fs.read **/.env deny', 'src/.env', 'src/notes');
check('deny', 'fs.read **/conf/.env deny', 'conf/.env', 'notes');
check('deny', 'fs.read secrets deny', 'secrets/a/key', 'notes');
check('deny', 'fs.read secrets/** deny', 'secrets/a/key', 'notes');
check('deny', 'fs.read **/secrets/** deny', 'secrets/a/key', 'notes');
check('deny', 'fs.read **/*.pem deny', 'a.pem', 'src/notes');
check('deny', 'fs.read **/*.pem deny', 'src/a.pem', 'src/notes');
check('allow', 'fs.read other deny');
check('allow', 'fs.read **/.env deny', 'plain', 'src/notes');
check('allow', 'fs.write **/.env deny');

test('a search in a folder leaves out the other name of a denied file', async () => {
  using bed = plant('.env', 'src/notes');
  const rules = [...ALLOW_ALL, { permission: 'fs.read', pattern: '**/.env', action: 'deny' }];
  await using session = openSession(bed, { rules });
  for (const output of ['content', 'files', 'count']) {
    const found = dataOf(await session.call('grep', { pattern: 'what', output }));
    assert.deepEqual(found['matches'], [], output);
  }
});

test('what is linked out of the state of the host is not read', async () => {
  using bed = openBed();
  mkdirSync(path.join(bed.data, 'state'));
  writeFileSync(path.join(bed.data, 'state/gatehouse.db'), SECRET);
  linkSync(path.join(bed.data, 'state/gatehouse.db'), path.join(bed.workspace, 'notes'));
  const { envelope } = await gatehouseCall(bed, 'read', { path: 'notes' }, { rules: ALLOW_ALL });
  assert.match(JSON.stringify(envelope), /access Gatehouse's own state/);
});

test('a redirection to another name of a protected file asks', async () => {
  using bed = plant('.git/config', 'notes');
  const input = { command: 'echo x > notes' };
  const { envelope } = await gatehouseCall(bed, 'bash', input, { rules: ALLOW_ALL });
  assert.match(JSON.stringify(envelope), /No user is available/);
});

test('a hard link that takes the place of a judged file is judged as what was opened', async () => {
  using bed = plant('.env', 'notes');
  const [file, other] = ['file', '.env'].map((name) => path.join(bed.workspace, name));
  assert.ok(file && other);
  writeFileSync(file, 'harmless');
  const asked: unknown[] = [];
  const opened = await openForReading(file, {
    realPath: () => undefined,
    filterBelow: () => undefined,
    authorizeAddress: async () => ({ ok: true, data: undefined }),
    async authorize({ inode }) {
      asked.push(inode === undefined ? 'a name' : 'a file');
      if (inode !== undefined) return { ok: false, error: 'It is .env.' };
      rmSync(file);
      linkSync(other, file);
      return { ok: true, data: undefined };
    },
  });
  assert.deepEqual(asked, ['a name', 'a file']);
  assert.deepEqual(opened, { ok: false, error: 'It is .env.' });
});

test('a link that leads to another name of a denied file is denied', async () => {
  using bed = plant('.env', 'src/notes');
  symlinkSync('src/notes', path.join(bed.workspace, 'link'));
  const rules = [...ALLOW_ALL, { permission: 'fs.read', pattern: '.env', action: 'deny' }];
  const { envelope } = await gatehouseCall(bed, 'read', { path: 'link' }, { rules });
  assert.equal(envelope.type, 'error');
});

function plant(file: string, notes: string): Bed {
  const bed = openBed();
  const [from, to] = [file, notes].map((name) => path.join(bed.workspace, name));
  if (!from || !to) throw new Error('no names');
  for (const each of [from, to]) mkdirSync(path.dirname(each), { recursive: true });
  writeFileSync(from, `${SECRET}\n`);
  linkSync(from, to);
  return bed;
}
