import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, policyOf, rulesOf } from '../ask.ts';

async function decide(line: string, ...own: readonly string[]): Promise<string> {
  const rules = [...DEFAULT_RULES, ...rulesOf(...own)];
  return (await evaluate(bashCall(line), policyOf(rules))).decision;
}

test('devices that hold nothing are read like any file of the workspace', async () => {
  for (const line of [
    'tail -f /dev/null',
    'head -c 8 /dev/urandom',
    'head -c 8 /dev/zero',
    'od -N 4 /dev/random',
    'grep -H x a.ts /dev/null',
    'diff /dev/null a.ts',
  ])
    assert.equal(await decide(line), 'allow', line);
});

test('other devices, writing, and rules of the user are decided as before', async () => {
  for (const line of [
    'cat /dev/sda',
    'cat /dev/nullx',
    'cat /dev/tcp/127.0.0.1/80',
    'head /dev',
    'ls -R /dev',
    'rm /dev/null',
    'cp a.ts /dev/null/x',
  ])
    assert.equal(await decide(line), 'ask', line);
  assert.equal(await decide('cat /dev/null', 'fs.read /dev/** deny'), 'deny');
  assert.equal(await decide('cat /dev/null', 'fs.read /dev/null ask'), 'ask');
});
