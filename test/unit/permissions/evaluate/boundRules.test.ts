import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rule, RuleOrigin } from '../../../../src/permissions/rules/rule.ts';
import type { Subject } from '../../../../src/permissions/rules/subject.ts';
import { evaluate, policyOf, rulesOf, WORKSPACE } from '../ask.ts';

/** Rules of the user settings, as lines. */
function ofUser(...lines: readonly string[]): readonly Rule[] {
  const origin: RuleOrigin = { layer: 'user', index: 0 };
  return rulesOf(...lines).map((rule) => ({ ...rule, source: 'project', origin }));
}

async function decide(
  permission: string,
  rules: readonly Rule[],
  identity?: string,
  stored: readonly string[] = [],
) {
  const capability = permission.startsWith('mcp:') ? 'mcp.call' : 'shell.run';
  const bound = identity !== undefined && { identity };
  const subject: Subject = { permission, capability, target: '{}', match: 'text', ...bound };
  const isStoredFor = ({ permission: named }: Rule, of: string) =>
    stored.includes(`${named} ${of}`);
  const call = { tool: 'github_x', input: {}, subjects: [subject] } as const;
  return evaluate(call, policyOf(rules, { isStoredFor }));
}

for (const rule of [
  'mcp:github:x * allow',
  'mcp:github:* * allow',
  'github_x * allow',
  'mcp:git* * allow',
])
  test(`a user's rule ${rule} doesn't allow the server of a workspace with that name`, async () => {
    const { decision, reason } = await decide('mcp:github:x', ofUser(rule), 'server a');
    assert.equal(decision, 'ask');
    assert.match(reason, /^The rule `.*` is for another tool of this name/);
    assert.equal((await decide('mcp:github:x', ofUser(rule))).decision, 'allow', 'of the user');
  });

test('the rule counts for the server that it was stored for', async () => {
  const rules = ofUser('mcp:github:* * allow');
  const stored = ['mcp:github:* server a'];
  assert.equal((await decide('mcp:github:x', rules, 'server a', stored)).decision, 'allow');
  assert.equal((await decide('mcp:github:x', rules, 'server b', stored)).decision, 'ask');
});

test('a rule of an agent of the user names no server of a workspace either, one of the workspace does', async () => {
  const ofAgent = (file: string): readonly Rule[] => {
    const origin: RuleOrigin = { layer: 'manifest', file, index: 0 };
    return rulesOf('mcp:github:* * allow', 'deploy * allow').map((rule) => ({ ...rule, origin }));
  };
  for (const tool of ['mcp:github:x', 'deploy']) {
    const own = ofAgent('/home/me/.config/gatehouse/agents/dev.md');
    assert.equal((await decide(tool, own)).decision, 'allow', 'a tool of the user');
    assert.equal((await decide(tool, own, 'server a')).decision, 'ask', tool);
    const brought = ofAgent(`${WORKSPACE}/.gatehouse/agents/dev.md`);
    assert.equal((await decide(tool, brought, 'server a')).decision, 'allow', tool);
  }
});

test('the same holds for a tool that a manifest of the workspace declares', async () => {
  const rules = ofUser('deploy * allow');
  assert.equal((await decide('deploy', rules, 'manifest /w/a')).decision, 'ask');
  const stored = ['deploy manifest /w/a'];
  assert.equal((await decide('deploy', rules, 'manifest /w/a', stored)).decision, 'allow');
  assert.equal((await decide('deploy', rules, 'manifest /w/b', stored)).decision, 'ask');
});

for (const rule of ['* * allow', 'mcp:* * allow', 'mcp.call * allow', 'mcp.* * allow'])
  test(`a user's rule ${rule} names no server, so it allows all of them`, async () => {
    assert.equal((await decide('mcp:github:x', ofUser(rule), 'server a')).decision, 'allow');
  });

test('rules of the workspace and the session, and asks and denies of the user, hold', async () => {
  const session = rulesOf('mcp:github:* * allow');
  assert.equal((await decide('mcp:github:x', session, 'server a')).decision, 'allow');
  const workspace = session.map((rule) => ({
    ...rule,
    origin: { layer: 'workspace', index: 0 } as const,
  }));
  assert.equal((await decide('mcp:github:x', workspace, 'server a')).decision, 'allow');
  const denied = [...session, ...ofUser('mcp:github:x * deny')];
  assert.equal((await decide('mcp:github:x', denied, 'server a')).decision, 'deny');
});

test('an answer for the session counts for the tool that it was about, and for no other of its name', async () => {
  const origin: RuleOrigin = { layer: 'session', index: 0 };
  const answers = (named: string, identity?: string) =>
    rulesOf(`${named} * allow`).map((rule) => ({
      ...{ ...rule, origin },
      ...(identity !== undefined && { identity }),
    }));
  for (const [tool, named] of [
    ['mcp:github:x', 'mcp:github:x'],
    ['mcp:github:x', 'mcp:github:*'],
    ['deploy', 'deploy'],
  ] as const)
    for (const own of ['server a', 'server b', undefined])
      for (const now of ['server a', 'server b', undefined]) {
        const { decision } = await decide(tool, answers(named, own), now);
        assert.equal(decision, own === now ? 'allow' : 'ask', `${named}: ${own}, ${now}`);
      }
  const [denied] = answers('mcp:github:x', 'server a');
  const deny = [{ ...denied, action: 'deny' } as Rule];
  assert.equal((await decide('mcp:github:x', deny, 'server b')).decision, 'deny');
});

test('an allow for a server covers no part of a declared tool that has its name', async () => {
  const declared = { permission: 'github_x', identity: 'manifest /w/a' } as const;
  const subject: Subject = { ...declared, target: '{}', match: 'text' };
  const call = { tool: 'github_x', input: {}, subjects: [subject] } as const;
  for (const [rule, expected] of [
    ['mcp:github:* * allow', 'ask'],
    ['mcp:github:* * deny', 'deny'],
    ['github_x * allow', 'allow'],
  ] as const)
    assert.equal((await evaluate(call, policyOf(rulesOf(rule)))).decision, expected, rule);
});
