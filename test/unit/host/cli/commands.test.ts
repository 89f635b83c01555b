import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import { run } from '../../../../src/host/cli/commands.ts';
import { VERSION } from '../../../../src/host/version.ts';

const COMMANDS = [
  'acp',
  'call',
  'explain',
  'check',
  'tools',
  'scaffold',
  'rules',
  'sessions',
  'replay',
  'accept',
];

for (const name of COMMANDS) {
  test(`gatehouse ${name} --help prints help with exit code 0`, async () => {
    for (const word of ['--help', '-h']) {
      const { code, out, err } = await gatehouse(name, word);
      assert.deepEqual([code, err], [0, '']);
      assert.match(out, new RegExp(`^usage: gatehouse ${name}`));
    }
  });
}

test('the commands that take rules are those of rulesOption.test.ts', async () => {
  const found: string[] = [];
  for (const name of COMMANDS)
    if ((await gatehouse(name, '--help')).out.includes('--rules')) found.push(name);
  assert.deepEqual(found, ['call', 'explain']);
});

test('help lists the commands and goes to standard output', async () => {
  for (const word of ['--help', '-h', 'help']) {
    const { code, out, err } = await gatehouse(word);
    assert.deepEqual([code, err], [0, '']);
    for (const name of COMMANDS) assert.match(out, new RegExp(`^ {2}${name} `, 'm'));
  }
});

test('the version is that of the package', async () => {
  assert.deepEqual(await gatehouse('--version'), { code: 0, out: `${VERSION}\n`, err: '' });
});

test('an unknown command is named; no command is a usage error', async () => {
  const wrong = await gatehouse('explane', 'x');
  assert.deepEqual([wrong.code, wrong.out], [2, '']);
  assert.match(wrong.err, /^gatehouse: unknown command "explane"\.\n\nusage: gatehouse /);
  const none = await gatehouse();
  assert.deepEqual([none.code, none.out], [2, '']);
  assert.match(none.err, /^usage: gatehouse /);
  assert.equal((await gatehouse('toString')).code, 2);
});

test('arguments after -- are operands', async () => {
  const { code, err } = await gatehouse('check', '--', '--help');
  assert.equal(code, 2);
  assert.match(err, /--help does not exist/);
});

test('a missing workspace is a usage error, not an empty one', async () => {
  const { code, out, err } = await gatehouse('call', 'glob', '{}', '--workspace', 'nowhere');
  assert.deepEqual([code, out], [2, '']);
  assert.match(err, /^gatehouse call: --workspace: there is no folder .*nowhere\./);
});

async function gatehouse(...args: readonly string[]) {
  const stdout = new PassThrough({ encoding: 'utf8' });
  const stderr = new PassThrough({ encoding: 'utf8' });
  const io = { args, stdin: Readable.from([]), stdout, stderr, env: {}, cwd: import.meta.dirname };
  const code = await run(io);
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}
