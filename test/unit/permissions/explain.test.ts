import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { run } from '../../../src/host/cli/explain.ts';
import { explainLine } from '../../../src/host/cli/explainLine.ts';

async function explain(args: readonly string[], input = '', cwd = '/nonexistent') {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  // In pieces, so that a line is put together again.
  for (let at = 0; at < input.length; at += 7) stdin.write(input.slice(at, at + 7));
  stdin.end();
  const code = await run({ args, stdin, stdout, stderr, env: {}, cwd });
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}

const ask = async (line: object) =>
  explainLine(JSON.stringify({ id: 1, workspace: '/nonexistent/w', ...line }), {
    scratch: '/nonexistent/s',
  });

test('a line tells layer, rule and subjects of its decision', async () => {
  const answer = await ask({
    tool: 'bash',
    input: { command: 'git status | cat' },
    rules: [{ permission: 'bash', pattern: 'git *', action: 'allow' }],
  });
  const { candidates: _candidates, ...rest } = answer;
  assert.deepEqual(rest, {
    id: 1,
    decision: 'ask',
    layer: 'rules',
    reason: 'No rule covers `cat`.',
    subjects: [
      {
        permission: 'bash',
        target: 'git status',
        decision: 'allow',
        rule: { permission: 'bash', pattern: 'git *', action: 'allow', source: 'session' },
        reason: 'The rule `bash git *` allows `git status`.',
      },
      {
        permission: 'bash',
        target: 'cat',
        decision: 'ask',
        reason: 'No rule covers `cat`.',
      },
    ],
  });
});

for (const [name, line, layer] of [
  ['unknown arguments', { tool: 'read', input: {} }, 'schema'],
  ['no tool', { input: {} }, 'schema'],
  ['a bad shell', { tool: 'bash', input: { command: 'ls' }, shell: 'zsh' }, 'schema'],
  ['a bad platform', { tool: 'bash', input: { command: 'ls' }, platform: 'amiga' }, 'schema'],
  ['a bad flag', { tool: 'bash', input: { command: 'ls' }, headless: 'yes' }, 'schema'],
  ['a bad default', { tool: 'bash', input: { command: 'ls' }, defaults: 1 }, 'schema'],
  ['a bad workspace', { tool: 'bash', input: { command: 'ls' }, workspace: 5 }, 'schema'],
  ['a bad cwd', { tool: 'bash', input: { command: 'ls' }, cwd: 5 }, 'schema'],
  [
    'bad capabilities',
    { tool: 'bash', input: { command: 'ls' }, capabilities: { fs: 1 } },
    'schema',
  ],
  [
    'an unknown variable',
    { tool: 'bash', input: { command: 'ls' }, capabilities: { fs: { read: ['{x}'] } } },
    'schema',
  ],
  [
    'a headless question',
    { tool: 'question', input: { questions: [{ question: 'x' }] }, headless: true },
    'schema',
  ],
] as const) {
  test(`${name} is an error of the schema layer`, async () => {
    const answer = await ask(line);
    assert.deepEqual(
      [answer.id, answer.decision, answer.layer, answer.subjects],
      [1, 'error', layer, []],
    );
    assert.ok(answer.reason.length > 0);
  });
}

test('lines mean what they say about defaults, folders and people', async () => {
  const decide = async (line: object) => (await ask(line)).decision;
  const ls = { tool: 'bash', input: { command: 'ls' } };
  const read = {
    tool: 'read',
    input: { path: 'a' },
    capabilities: { fs: { read: ['{workspace}/**'] } },
    rules: [{ permission: '*', pattern: '*', action: 'allow' }],
  };
  assert.equal(await decide(ls), 'ask');
  assert.equal(await decide({ ...ls, defaults: true }), 'allow');
  assert.equal(await decide({ ...ls, headless: true }), 'deny');
  assert.equal(await decide(read), 'allow');
  assert.equal(await decide({ ...read, workspace: undefined }), 'refuse');
  assert.equal(await decide({ ...read, cwd: '/nonexistent' }), 'refuse');
  assert.equal(await decide({ ...read, workspace: ['/nonexistent/x', '/nonexistent/y'] }), 'allow');
  assert.equal(
    await decide({
      ...read,
      rules: [{ permission: '*', pattern: '*', action: 'deny', scope: 'manifest' }],
    }),
    'deny',
  );
  assert.equal(
    await decide({ tool: 'todo', input: { todos: [] } }),
    await decide({ tool: 'todo', input: { todos: [] }, headless: true }),
  );
  assert.equal(
    await decide({
      tool: 'gh_create',
      input: {},
      rules: [{ permission: 'mcp:gh:*', pattern: '*', action: 'allow' }],
    }),
    'allow',
  );
});

test('what a line says in other words, and the host’s own state, count as well', async () => {
  const all = [{ permission: '*', pattern: '*', action: 'allow' }];
  const folders = { scratch: '/nonexistent/d/user/scratch', userData: '/nonexistent/d/user' };
  const decide = async (line: object, state = '/nonexistent/d/state') =>
    (await explainLine(`\uFEFF${JSON.stringify({ rules: all, ...line })}\r`, { ...folders, state }))
      .decision;
  const write = (path: string) => ({ tool: 'write', input: { path, content: 'x' } });
  const read = (path: string) => ({ tool: 'read', input: { path } });
  assert.equal(await decide(write('/nonexistent/d/state/accepted.json')), 'deny');
  assert.equal(await decide(read('../../state/gatehouse.db')), 'deny');
  assert.equal(await decide(write('/nonexistent/d/user/x')), 'allow');
  const own = { capabilities: { fs: { write: ['{user-data}/**'] } } };
  assert.equal(await decide({ ...write('x'), ...own }), 'allow');
  assert.equal(await decide({ ...write('/nonexistent/e'), ...own }), 'refuse');
  const missing = { headless: null, shell: null, platform: null, defaults: null, cwd: null };
  const more = { ...missing, workspace: null, capabilities: null, id: null };
  assert.equal(await decide({ ...read('x'), ...more }), 'allow');
});

test('a tool that only a session has is judged by what it names', async () => {
  const decide = async (tool: string, input: object, rule: string, more = {}) => {
    const [permission = '', pattern = '', action = ''] = rule.split(' ');
    const rules = [{ permission, pattern, action }];
    return (await ask({ tool, input, rules, ...more })).decision;
  };
  assert.equal(await decide('skill', { name: 'x' }, 'skill x deny'), 'deny');
  assert.equal(await decide('skill', { name: 'y' }, 'skill x deny'), 'allow');
  assert.equal(await decide('tool_search', { query: 'x' }, 'tool_search x ask'), 'ask');
  const task = { subagent_type: 'explore', prompt: 'x' };
  assert.equal(await decide('task', task, 'task.spawn * deny'), 'deny');
  assert.equal(await decide('task', task, 'task * allow', { capabilities: {} }), 'refuse');
  const granted = { capabilities: { capabilities: ['task.spawn'] } };
  assert.equal(await decide('task', task, 'task * allow', granted), 'allow');
});

test('where no rule decides about a protected file, the reason is that one would not help', async () => {
  const input = { path: '.git/config', old_string: 'a', new_string: 'b' };
  assert.match((await ask({ tool: 'edit', input })).reason, /^Writing to `\.git` always asks/);
  const asks = [{ permission: 'edit', pattern: '.git/**', action: 'ask' }];
  assert.match((await ask({ tool: 'edit', input, rules: asks })).reason, /^The rule .* asks about/);
  const denies = [{ permission: 'edit', pattern: '.git/**', action: 'deny' }];
  assert.equal((await ask({ tool: 'edit', input, rules: denies })).decision, 'deny');
});

test('a command with a cwd of its own is explained as the call is decided', async () => {
  const rules = [
    { permission: '*', pattern: '*', action: 'allow' },
    { permission: 'fs.write', pattern: 'sub/out', action: 'deny' },
  ];
  const explainIn = async (input: object) => {
    const { decision } = Object(await ask({ tool: 'bash', input, rules }));
    return decision;
  };
  assert.equal(await explainIn({ command: 'echo a > out', cwd: 'sub' }), 'deny');
  assert.notEqual(await explainIn({ command: 'echo a > out' }), 'deny');
});

test('bad rules of a line are reported by position', async () => {
  const answer = await ask({
    tool: 'bash',
    input: { command: 'ls' },
    rules: [{ permission: 'bash', pattern: 'ls', action: 'Allow' }],
  });
  assert.deepEqual([answer.decision, answer.problems?.map(({ index }) => index)], ['ask', [0]]);
});

test('each line is answered in turn, a bad one and a blank one too', async () => {
  const line = JSON.stringify({ id: 'a', tool: 'bash', input: { command: 'echo \u2028 \r' } });
  const { code, out } = await explain([], `${line}\n\nnope\n7\n${line}`);
  const answers = out
    .trim()
    .split('\n')
    .map((each) => JSON.parse(each));
  assert.equal(code, 0);
  assert.deepEqual(
    answers.map(({ id, decision }) => [id, decision]),
    [
      ['a', 'ask'],
      [null, 'error'],
      [null, 'error'],
      ['a', 'ask'],
    ],
  );
});

test('a call is explained for a person', async () => {
  const { code, out } = await explain(['--tool', 'bash', 'git status && curl x\u202e']);
  assert.equal(code, 0);
  assert.match(out, /^ask \(rules\): /);
  assert.match(out, /allow {2}bash +git status +\[bash git status\]/);
  assert.match(out, /ask {4}bash +curl x\\u\{202e\} +\[no rule\]/);
  assert.doesNotMatch(out, /\u202e/);
  assert.match(
    (await explain(['--tool', 'bash', 'npm install'])).out,
    /"always" offers {2}bash npm/,
  );
  const bare = await explain([
    '--tool',
    'bash',
    'ls',
    '--no-defaults',
    '--rules',
    '[{"permission":"bash","pattern":"ls","action":"deny"}]',
    '--workspace',
    '/x',
    '--shell',
    'bash',
  ]);
  assert.match(bare.out, /^deny \(rules\)[\s\S]*rule: deny bash ls, a session rule/);
  assert.equal((await explain(['--tool', 'read', '{"path":5}'])).code, 1);
  // A path or an address needs no JSON around it.
  assert.match((await explain(['--tool', 'read', '.env'])).out, /read +\.env/);
  assert.match((await explain(['--tool', 'web_fetch', 'https://a.example'])).out, /a\.example/);
  assert.match((await explain(['--tool', 'bash', 'ls', '--rules', '[1]'])).out, /rule 0: /);
});

test('a call is explained in the folder it would run in', async () => {
  const deny = '[{"permission":"read","pattern":"sub/.env","action":"deny"}]';
  const words = ['--tool', 'bash', '--workspace', '/x', '--rules', deny];
  assert.match((await explain([...words, 'cat .env'])).out, /^(ask|allow) /);
  assert.match((await explain([...words, '--cwd', 'sub', 'cat .env'])).out, /^deny /);
  assert.match((await explain([...words, '--cwd', '/x/sub', 'cat .env'])).out, /^deny /);
  const input = '{"command":"cat .env","cwd":"sub"}';
  assert.match((await explain([...words, input])).out, /^deny /);
  // Anything else that looks like JSON is a command line.
  assert.match((await explain([...words, '{"command":1}'])).out, /^ask /);
});

test('rules are given inline or as a file', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-rules-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const rules = '\ufeff[{"permission":"bash","pattern":"ls","action":"deny"}]';
  writeFileSync(path.join(folder, 'rules.json'), rules);
  for (const value of ['rules.json', path.join(folder, 'rules.json'), rules.slice(1)]) {
    const { code, out } = await explain(['--tool', 'bash', 'ls', '--rules', value], '', folder);
    assert.deepEqual([code, out.slice(0, 5)], [0, 'deny '], value);
  }
  for (const value of ['missing.json', '[{']) {
    const { code, err } = await explain(['--tool', 'bash', 'ls', '--rules', value], '', folder);
    assert.equal(code, 2);
    assert.match(err, /^gatehouse explain: (missing\.json|--rules): /);
  }
});

test('a NUL character is an error of the arguments', async () => {
  const answer = await ask({ tool: 'bash', input: { command: 'ls \0' }, rules: [] });
  assert.deepEqual(
    [answer.decision, answer.layer, answer.reason],
    ['error', 'schema', 'command contains a NUL character.'],
  );
});

test('misuse is told', async () => {
  for (const args of [
    ['--tool'],
    ['--tool', 'bash'],
    ['bash', 'ls'],
    ['--tool', 'bash', 'ls', '-l'],
    ['--what', 'x'],
  ]) {
    const { code, err } = await explain(args);
    assert.equal(code, 2, args.join(' '));
    assert.match(err, /usage: gatehouse explain/);
  }
});
