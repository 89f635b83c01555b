import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CLIENT_COMMANDS,
  COPY_COMMANDS,
  COPY_RULES,
} from '../../../../src/permissions/defaults/copyRules.ts';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { DROPPED } from '../../../defaults/dropped.ts';
import { bashCall, evaluate, policyOf, rulesOf } from '../ask.ts';

for (const { lines, why } of DROPPED) {
  test(`the shipped rules ask about ${lines.slice(0, 3).join(', ')} … ${why}`, async () => {
    const allowed: string[] = [];
    for (const line of lines) {
      const { decision } = await evaluate(bashCall(line), policyOf(DEFAULT_RULES));
      if (decision !== 'ask') allowed.push(`${line} is ${decision}`);
    }
    assert.deepEqual(allowed, []);
  });
}

test('commands of the project run in the copy only, by rules that weaken none of the user', async () => {
  const copied = async (line: string, ...own: readonly string[]) => {
    const rules = [...COPY_RULES, ...rulesOf(...own)];
    const subject = { permission: 'copy', target: `bash ${line}`, match: 'text' } as const;
    return evaluate({ tool: 'bash', input: {}, subjects: [subject] }, policyOf(rules));
  };
  for (const command of COPY_COMMANDS) {
    for (const [line, pattern] of [
      [command, command],
      [`${command} x`, `${command} *`],
    ] as const) {
      const real = await evaluate(bashCall(line), policyOf(DEFAULT_RULES));
      assert.equal(real.decision, 'ask', line);
      const { decision, rule } = await copied(line);
      assert.deepEqual([decision, rule?.pattern], ['allow', `bash ${pattern}`]);
      assert.equal((await copied(line, 'copy bash * ask')).decision, 'ask', line);
    }
  }
});

test('a client of a service asks instead of failing in the copy, unless a rule of the user sends it there', async () => {
  const decide = async (line: string, own: readonly string[] = []) => {
    const subject = { permission: 'copy', target: `bash ${line}`, match: 'text' } as const;
    const rules = [...COPY_RULES, ...rulesOf(...own)];
    return (await evaluate({ tool: 'bash', input: {}, subjects: [subject] }, policyOf(rules)))
      .decision;
  };
  for (const client of CLIENT_COMMANDS) {
    assert.deepEqual([await decide(client), await decide(`${client} x`)], ['ask', 'ask'], client);
    assert.equal(await decide(`${client}x`), 'allow', client);
    assert.equal(await decide(`${client} x`, [`copy bash ${client} * allow`]), 'allow', client);
  }
});

test('what the narrowed rules are for still runs', async () => {
  const asked: string[] = [];
  const lines = [
    ...['lsof -ni :3000', 'lsof -ti:3000', 'netstat -tlnp', 'ss -tlnp', 'hostname -I', 'ps aux'],
    ...['shellcheck --norc x.sh', 'set -euo pipefail', 'git remote', 'man -k printf'],
    ...['git config user.name', 'git config --get user.email', 'npm --version', 'node -v'],
    ...["jq '.env' x", "jq '{env: 1}' x", 'yq eval .a x', 'openssl x509 -in x -text', 'nm x'],
  ];
  for (const line of lines) {
    const { decision, reason } = await evaluate(bashCall(line), policyOf(DEFAULT_RULES));
    if (decision !== 'allow') asked.push(`${line}: ${reason}`);
  }
  assert.deepEqual(asked, []);
});

test('a value that looks like the needed letter is not one', async () => {
  for (const line of ['lsof -pn', 'lsof -un', 'lsof --n', 'lsof -- -n']) {
    const { decision } = await evaluate(bashCall(line), policyOf(DEFAULT_RULES));
    assert.equal(decision, 'ask', line);
  }
});
