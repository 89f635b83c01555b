import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ALLOW_ALL, type Bed, gatehouseCall, openBed } from './bed.ts';
import { dataOf, errorOf, openSession } from './session.ts';

/** Input nobody should send: the answer says what is wrong, and nothing is changed. */
for (const [name, tool, input, expected] of [
  [
    'half a character in a path',
    'read',
    { path: 'a\ud800' },
    /a lone surrogate|half a|not valid Unicode/,
  ],
  [
    'half a character in content',
    'write',
    { path: 'f', content: '\udc00' },
    /content contains half/,
  ],
  [
    'half a character in a new text',
    'edit',
    { path: 'f', old_string: 'kept', new_string: '\ud83d' },
    /new_string contains half/,
  ],
  ['half a character in a pattern', 'grep', { pattern: '\ud800' }, /pattern contains half/],
  ['a NUL in a path', 'read', { path: 'a\0b' }, /NUL character/],
  ['a NUL in a pattern', 'grep', { pattern: '\0' }, /^Invalid .*pattern contains a NUL character/],
  ['a NUL in an address', 'web_fetch', { url: 'http://a\0b/' }, /^Invalid .*url contains a NUL/],
  ['a NUL in a command', 'bash', { command: 'ls \0' }, /^Invalid .*command contains a NUL/],
  [
    'a NUL in the folder to run in',
    'bash',
    { command: 'ls', cwd: 'a\0b' },
    /^Invalid arguments for bash: cwd contains a NUL/,
  ],
  ['half a character in a command', 'bash', { command: 'echo \ud800' }, /isn't valid Unicode/],
  [
    'half a character in a list',
    'todo',
    { items: [{ content: '\udfff', status: 'pending' }] },
    /items\/0\/content contains half/,
  ],
  [
    'a NUL in content',
    'write',
    { path: 'f', content: 'a\0b' },
    /^Invalid arguments for write: content contains a NUL character\. Correct them/,
  ],
  [
    'a NUL in a new text',
    'edit',
    { path: 'f', old_string: 'kept', new_string: 'a\0b' },
    /new_string contains a NUL character/,
  ],
  [
    'a file name that ends like a folder',
    'write',
    { path: 'new/', content: '' },
    /is a folder path/,
  ],
  [
    'a file as a folder to run in',
    'bash',
    { command: 'true', cwd: 'f' },
    /is a file\. Use a folder/,
  ],
  [
    'a circle as a folder to run in',
    'bash',
    { command: 'true', cwd: 'circle' },
    /cycle of symbolic links/,
  ],
  [
    'a folder to run in that is not there',
    'bash',
    { command: 'true', cwd: 'none' },
    /does not exist/,
  ],
  ['a circle to list', 'glob', { pattern: '*', path: 'circle' }, /cycle of symbolic links/],
  ['a circle to search', 'grep', { pattern: 'x', path: 'circle' }, /cycle of symbolic links/],
  ['a regular expression too deep', 'grep', { pattern: '('.repeat(3000) }, /error: [^(]*$/],
] as const) {
  test(`${name} is refused with the reason`, async () => {
    using bed = openHostileBed();
    const { envelope, exitCode } = await gatehouseCall(bed, tool, input, { rules: ALLOW_ALL });
    assert.match(errorOf(envelope), expected);
    assert.equal(exitCode, 1);
    assert.equal(readFileSync(path.join(bed.workspace, 'f'), 'utf8'), 'kept\n');
  });
}

function openHostileBed(): Bed {
  const bed = openBed();
  writeFileSync(path.join(bed.workspace, 'f'), 'kept\n');
  symlinkSync('circle', path.join(bed.workspace, 'circle'));
  return bed;
}

test('a name that holds line ends is found whole, in every shape of the answer', async () => {
  using bed = openBed();
  const name = 'a\nb\nc';
  writeFileSync(path.join(bed.workspace, name), 'before\nmatch\nafter\n');
  writeFileSync(path.join(bed.workspace, 'd'), 'match\n');
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const search = async (input: object) => {
    const matches: unknown = dataOf(await session.call('grep', { pattern: 'match', ...input }))[
      'matches'
    ];
    assert.ok(Array.isArray(matches));
    return matches.map((each) => (typeof each === 'string' ? each : each.path)).sort();
  };
  assert.deepEqual(await search({}), [name, 'd']);
  assert.deepEqual(await search({ context: 1 }), [name, name, name, 'd']);
  assert.deepEqual(await search({ output: 'files' }), [name, 'd']);
  assert.deepEqual(await search({ output: 'count' }), [`${name}:1`, 'd:1']);
});

test('a file of the kernel that says it is empty is read', async () => {
  // Only Linux has such files; elsewhere a file that is empty stands for it.
  using bed = openBed();
  writeFileSync(path.join(bed.workspace, 'empty'), '');
  await using session = openSession(bed, { rules: ALLOW_ALL });
  if (process.platform === 'linux') {
    const read = dataOf(await session.call('read', { path: '/proc/version' }));
    assert.match(String(read['content']), /Linux version/);
    const part = dataOf(await session.call('read', { path: '/proc/version', byte_limit: 5 }));
    assert.equal(part['content'], 'Linux');
  }
  assert.equal(dataOf(await session.call('read', { path: 'empty' }))['content'], '');
});

test('a command that ran too long says where all of its output is', async () => {
  using bed = openBed();
  await using session = openSession(bed, { rules: ALLOW_ALL, limits: { bashBytes: 100 } });
  const command = 'seq 1000; sleep 600';
  // A machine may be too busy to count to a thousand in the first of these times.
  for (const timeout_ms of [700, 7000, 70_000]) {
    const envelope = await session.call('bash', { command, timeout_ms });
    const text = errorOf(envelope);
    const file = envelope.metadata.output_path;
    const whole = file === undefined ? '' : readFileSync(file, 'utf8');
    if (!whole.endsWith('\n1000\n') && timeout_ms < 70_000) continue;
    assert.match(text, RegExp(`did not finish within ${timeout_ms} ms.*Its output:\n1\n2\n`, 's'));
    assert.equal(envelope.metadata.truncated, true);
    assert.match(whole, /^1\n2\n.*\n1000\n$/s);
    return;
  }
});

test('a sidecar of matches that cannot be kept is said', async () => {
  using bed = openBed();
  writeFileSync(path.join(bed.workspace, 'f'), 'match\n'.repeat(300));
  const blocked = path.join(bed.root, 'blocked');
  writeFileSync(blocked, 'a file where the folder should be');
  await using session = openSession(bed, { rules: ALLOW_ALL, sidecars: path.join(blocked, 'out') });
  const envelope = await session.call('grep', { pattern: 'match' });
  assert.equal(envelope.metadata.truncated, true);
  assert.equal(envelope.metadata.output_path, undefined);
  assert.match(String(dataOf(envelope)['note']), /full list could not be saved/);
});

const MAIN = path.join(import.meta.dirname, '../../../src/host/cli/main.ts');

test('a current folder that was removed is said in one line', () => {
  using bed = openBed();
  const gone = path.join(bed.root, 'gone');
  mkdirSync(gone);
  const script = `cd "$1" && rmdir "$1" && exec "$2" "$3" call read '{"path":"x"}'`;
  const args = ['-c', script, 'bash', gone, process.execPath, MAIN];
  const ran = spawnSync('bash', args, { encoding: 'utf8' });
  assert.equal(ran.status, 2);
  assert.match(
    ran.stderr,
    /^gatehouse: the current folder no longer exists\. Change to another one\.\n$/,
  );
});

for (const [name, folder] of [
  ['a file', 'file'],
  ['below a file', 'file/below'],
  ['where the system makes no folders', '/proc/none'],
] as const) {
  test(`a folder for data that is ${name} is misuse, not a fault`, () => {
    using bed = openBed();
    writeFileSync(path.join(bed.root, 'file'), '');
    const args = [MAIN, 'call', 'read', '{"path":"x"}', '--user-data', folder];
    const ran = spawnSync(process.execPath, args, {
      cwd: bed.root,
      encoding: 'utf8',
    });
    assert.equal(ran.status, 2);
    assert.match(ran.stderr, /^gatehouse call: The data folder .* cannot be created or used: /);
    assert.equal(ran.stdout, '');
  });
}
