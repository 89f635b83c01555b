import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import { addEntry } from '../../../src/declared/scaffold/addEntry.ts';
import { schemaFromExample } from '../../../src/declared/scaffold/schemaFromExample.ts';
import { run as scaffold } from '../../../src/host/authoring/scaffold.ts';
import { run as check } from '../../../src/host/cli/check.ts';
import { run as exportTools } from '../../../src/host/cli/toolsExport.ts';
import type { Command } from '../../../src/host/command.ts';
import { place, ROOT } from './running.ts';

after(() => rmSync(ROOT, { recursive: true, force: true, maxRetries: 5 }));

async function command(run: Command, cwd: string, args: readonly string[], input = '') {
  const stdin = new PassThrough();
  stdin.end(input);
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const code = await run({ args, cwd, env: {}, stdin, stdout, stderr });
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}

test('VA-27 an entry is exported as a function tool, its schema key by key', async () => {
  const schema = {
    type: 'object',
    properties: { tz: { type: 'string' } },
    required: ['tz'],
    additionalProperties: false,
  };
  const tool = {
    name: 'get_time',
    description: 'Tells the time.',
    schema,
    command: ['./tools/bin/get_time'],
    timeoutSec: 5,
  };
  const folder = place({ 'tools.json': JSON.stringify({ tools: [tool] }) });
  const { code, out } = await command(exportTools, folder, ['export', '--openai', 'tools.json']);
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(out), [
    {
      type: 'function',
      function: { name: 'get_time', description: 'Tells the time.', parameters: schema },
    },
  ]);
});

test('VA-28 what is empty is left out', async () => {
  const folder = place({
    'tools.json': JSON.stringify({ tools: [{ name: 'x', command: ['./tools/bin/x'] }] }),
  });
  const { out } = await command(exportTools, folder, ['export', '--openai', folder]);
  assert.deepEqual(JSON.parse(out), [{ type: 'function', function: { name: 'x' } }]);
});

test('a manifest with an error exports nothing, misuse is misuse', async () => {
  const folder = place({ 'tools.json': '{"tools":[{}]}' });
  const { code, out, err } = await command(exportTools, folder, ['export', '--openai', '.']);
  assert.deepEqual([code, out], [1, '']);
  assert.match(err, /tool\[0\]: name is required/);
  assert.equal((await command(exportTools, folder, ['export', '.'])).code, 2);
});

test('D-28 a scaffolded bundle is empty, signed, and passes the check', async () => {
  const folder = place({});
  mkdirSync(folder);
  const { code } = await command(scaffold, folder, [
    'mailer',
    '--non-interactive',
    '--cap-net',
    'api.mail.example',
  ]);
  assert.equal(code, 0);
  const bundle = path.join(folder, 'agents/mailer');
  assert.equal(
    readFileSync(path.join(bundle, 'tools.json'), 'utf8'),
    '{\n  "version": 1,\n  "tools": []\n}\n',
  );
  assert.match(
    readFileSync(path.join(bundle, 'manifest.toml'), 'utf8'),
    /62c56dc05fea3039501e5d21bc43f268757dbc7ccd1d8d7abd03f64607e6f547/,
  );
  const checked = await command(check, folder, ['--json', '.']);
  assert.deepEqual([checked.code, JSON.parse(checked.out)[0].problems], [0, []]);
});

test('D-28, D-44 entries are offered; their hosts and secrets are granted, the digest is theirs', async () => {
  const folder = place({});
  mkdirSync(folder);
  const answers = [
    'y',
    'mail.send',
    'Sends a draft.',
    'http',
    'runloop/mail/key',
    '',
    'https://api.mail.example/send',
    'n',
  ];
  const { code } = await command(scaffold, folder, ['mailer'], `${answers.join('\n')}\n`);
  assert.equal(code, 0);
  const caps = readFileSync(path.join(folder, 'agents/mailer/policy.caps'), 'utf8');
  assert.match(caps, /net = \["api\.mail\.example"\]\n/);
  assert.match(caps, /secrets = \["runloop\/mail\/key"\]\n/);
  const { out } = await command(check, folder, ['--json', '.']);
  const [{ ok, tools }] = JSON.parse(out);
  assert.deepEqual([ok, tools], [true, ['mail.send']]);
});

test('an entry given as options is added to an existing bundle, with a new digest', async () => {
  const folder = place({});
  mkdirSync(folder);
  const first = [
    'mailer',
    '--tool',
    'mail.send',
    '--url',
    'https://api.mail.example/send',
    '--non-interactive',
  ];
  assert.equal((await command(scaffold, folder, first)).code, 0);
  const second = [
    'mailer',
    '--tool',
    'mail.list',
    '--url',
    'https://api.mail.example/list',
    '--method',
    'get',
    '--non-interactive',
  ];
  assert.equal((await command(scaffold, folder, second)).code, 0);
  const { code, out } = await command(check, folder, ['--json', '.']);
  assert.deepEqual([code, JSON.parse(out)[0].tools], [0, ['mail.send', 'mail.list']]);
  const again = await command(scaffold, folder, second);
  assert.deepEqual([again.code, again.err], [1, 'error: the tool mail.list already exists\n']);
});

test('VD-32 a bad agent name, and a folder that is there', async () => {
  const folder = place({ 'agents/mailer/tools.json': '' });
  const bad = await command(scaffold, folder, ['Bad-Name', '--non-interactive']);
  assert.deepEqual([bad.code, bad.err], [1, "error: invalid agent name 'Bad-Name'\n"]);
  const taken = await command(scaffold, folder, ['mailer', '--non-interactive']);
  assert.equal(taken.err, `error: path already exists: ${path.join(folder, 'agents/mailer')}\n`);
});

for (const dialect of ['agentcli', 'compozy']) {
  test(`a scaffolded ${dialect} tool passes the check`, async () => {
    const folder = place({});
    mkdirSync(folder);
    assert.equal((await command(scaffold, folder, ['--dialect', dialect, 'fmt'])).code, 0);
    const { code, out } = await command(check, folder, ['--json', '.']);
    assert.equal(code, 0);
    assert.deepEqual(
      JSON.parse(out).map((row: { tools: string[]; problems: [] }) => [row.tools, row.problems]),
      [[['fmt'], []]],
    );
  });
}

test('a second entry keeps the first as it was written', () => {
  const text = '{\n\t"tools": [\n\t\t{"name":"a",   "command":["./tools/bin/a"]}\n\t]\n}\n';
  const added = addEntry(text, { name: 'b' });
  assert.ok(added.includes('{"name":"a",   "command":["./tools/bin/a"]}'));
  assert.deepEqual(
    JSON.parse(added).tools.map(({ name }: { name: string }) => name),
    ['a', 'b'],
  );
});

test('a schema made from an example fits it', () => {
  assert.deepEqual(schemaFromExample({ a: 1, b: ['x'], c: { d: null, e: 1.5, f: true } }), {
    type: 'object',
    properties: {
      a: { type: 'integer' },
      b: { type: 'array', items: { type: 'string' } },
      c: {
        type: 'object',
        properties: { d: {}, e: { type: 'number' }, f: { type: 'boolean' } },
        required: ['d', 'e', 'f'],
        additionalProperties: false,
      },
    },
    required: ['a', 'b', 'c'],
    additionalProperties: false,
  });
});
