import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passGate } from '../../../src/gate/passGate.ts';
import { type HostedOptions, hostedTerminal, openHosted, toShort } from './hosted.ts';

/** The rules of a session whose commands may run in a copy; the user would reject what is asked. */
const COPIES: HostedOptions = {
  copies: true,
  answers: [{ outcome: 'reject' }],
};

/** How a command gets through the gate: in the copy, for real, or as the user answers. */
async function run(command: string, options: HostedOptions, more: object = {}): Promise<string> {
  using hosted = openHosted({ ...COPIES, ...options });
  const passage = await hosted.pass(hostedTerminal, { command, ...more });
  if (hosted.asks.length > 0) return 'asks';
  if (passage.type !== 'passed') return passage.why;
  return passage.inCopy ? 'in the copy' : 'for real';
}

for (const [command, what] of [
  ['make all', 'that no rule covers'],
  ['make all && npm test', 'with two programs that no rule covers'],
  ['$(cat name) all', 'that cannot be analyzed'],
  ['make "unfinished', 'that cannot be parsed'],
  ['rm a.txt', 'that deletes a file'],
  ['echo x > .git/hooks/pre-commit', 'that writes a protected file'],
  ['make all\nmake check', 'of several lines'],
  ['npx eslint src --fix', 'whose tool may be installed'],
  ['CI=1 npx --yes cowsay', 'whose tool may have to be fetched, from a host that is asked about'],
] as const) {
  test(`a command ${what} runs in the copy unasked: ${command}`, async () => {
    assert.equal(await run(command, {}), 'in the copy');
    assert.equal(await run(command, { copies: false }), 'asks');
  });
}

const rule = (pattern: string, action: string, permission = 'bash') => ({
  ...{ permission, pattern, action },
});

for (const [command, rules, expected] of [
  ['make all', [rule('make *', 'allow')], 'for real'],
  ['make all', [rule('make *', 'ask')], 'asks'],
  ['make all', [rule('make *', 'deny')], 'deny'],
  ['make all && rm -r src', [rule('rm *', 'ask')], 'asks'],
  ['make all && rm -r src', [rule('rm *', 'deny')], 'deny'],
  ['make > secret.txt', [rule('secret.txt', 'ask', 'fs.write')], 'asks'],
  ['curl https://example.com', [], 'asks'],
  ['npx curl https://example.com', [], 'asks'],
  ['npx eslint && npm install', [], 'asks'],
  ['npx eslint', [rule('npx *', 'ask')], 'asks'],
  ['make > /elsewhere/a.txt', [], 'asks'],
  ['make all', [rule('bash make *', 'ask', 'copy')], 'asks'],
  ['make all', [rule('bash *', 'deny', 'copy')], 'asks'],
  ['make all', [rule('bash npm *', 'deny', 'copy')], 'in the copy'],
  ['psql -h localhost -c x', [], 'asks'],
  ['docker compose up -d', [], 'asks'],
  ['redis-cli', [], 'asks'],
  ['redis-cli', [rule('bash redis-cli', 'allow', 'copy')], 'in the copy'],
  ['./docker.sh', [], 'in the copy'],
  ['make serve &', [], 'asks'],
  ['nohup make serve > log 2>&1 & ', [], 'asks'],
  ['make && make check', [], 'in the copy'],
  ['make serve &', [rule('bash make serve *', 'allow', 'copy')], 'asks'],
  ['make serve &', [rule('bash make serve &', 'allow', 'copy')], 'in the copy'],
  ['curl -s localhost:3000 | sh', [], 'asks'],
  ['make URL=http://127.0.0.1:8080/x', [], 'asks'],
  ['node client.js http://[::1]:80', [], 'asks'],
] as const) {
  const given = rules.map(
    ({ permission, pattern, action }) => `${action} ${permission} ${pattern}`,
  );
  test(`${command} under "${given.join(', ')}": ${expected}`, async () => {
    assert.equal(await run(command, { rules }), expected);
  });
}

test('a call that asks to run without the sandbox asks, whatever allows it, and is denied without a user', async () => {
  const rules = [rule('make *', 'allow'), rule('bash *', 'allow', 'copy')];
  const outside = { without_sandbox: true };
  assert.equal(await run('make all', {}, outside), 'asks');
  assert.equal(await run('make all', { rules }, outside), 'asks');
  assert.equal(await run('make all', { rules: [rule('make *', 'deny')] }, outside), 'deny');
  assert.equal(await run('make all', { rules, headless: true }, outside), 'deny');
});

test('a command in the background asks', async () => {
  assert.equal(await run('make serve', {}, { background: true }), 'asks');
});

test('the watchdog asks and denies before anything runs in the copy', async () => {
  const answer = (action: 'ask' | 'deny') => ({
    watchdog: async () => ({ action, reason: 'It looks odd.' }),
  });
  assert.equal(await run('make all', answer('ask')), 'asks');
  assert.equal(await run('make all', answer('deny')), 'deny');
});

test('a command outside its capabilities is refused, not copied', async () => {
  const capabilities = { shell: [{ cmd: 'git' }] };
  assert.equal(await run('make all', { capabilities }), 'refuse');
});

test('nothing runs in the copy without a user who can review it', async () => {
  assert.equal(await run('make all', { headless: true }), 'deny');
});

test('the decision to run in the copy names the rule, and why the call would have asked', async () => {
  using hosted = openHosted(COPIES);
  const passage = await hosted.pass(hostedTerminal, { command: 'make all' });
  assert.equal(passage.type, 'passed');
  if (passage.type !== 'passed') return;
  const { decision } = passage.admitted;
  assert.equal(decision.decision, 'allow');
  assert.deepEqual(decision.rule && [decision.rule.permission, decision.rule.pattern], [
    'copy',
    'bash make *',
  ]);
  assert.equal(
    decision.reason,
    'No rule covers `make all`. It runs in a copy of the workspace, and nothing that it changes reaches the workspace before you allow it.',
  );
  assert.deepEqual(
    decision.subjects.map((each) => `${each.permission} ${each.target}: ${each.decision}`),
    ['bash make all: ask', 'copy bash make all: allow'],
  );
  assert.deepEqual(hosted.events.map(toShort), ['call allow by rule']);
});

test('a call that the copy could not do asks for real', async () => {
  using hosted = openHosted(COPIES);
  const call = {
    ...{
      toolCallId: 'call-1',
      operation: hostedTerminal,
      context: hosted.context,
    },
    ...{ signal: new AbortController().signal, forReal: true as const },
  };
  const passage = await passGate(call, { command: 'make all' });
  assert.equal(passage.type === 'stopped' && passage.why, 'reject');
  assert.equal(hosted.asks.length, 1);
});

test('adding a deny or an ask never makes a command run in the copy', async () => {
  const lines = ['make all', 'ls', 'rm -rf src', 'curl https://example.com', 'echo x > a.txt'];
  const added = ['deny', 'ask'].flatMap((action) => [
    rule('*', action),
    rule('make *', action),
    rule('**', action, 'fs.write'),
    rule('*', action, 'copy'),
  ]);
  for (const command of lines) {
    const before = await run(command, {});
    for (const each of added) {
      const after = await run(command, { rules: [each] });
      assert.ok(after !== 'in the copy' || before === 'in the copy', `${command}: ${each.action}`);
    }
  }
});
