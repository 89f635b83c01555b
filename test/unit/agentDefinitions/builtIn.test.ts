import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUILT_IN_AGENTS } from '../../../src/agentDefinitions/builtIn.ts';
import { declaredCapabilities } from '../../../src/agentDefinitions/definition.ts';
import { lockedTools } from '../../../src/tools/locked/lockedTools.ts';

test('CS-33: the small agents are subagents, with tools that read or none', () => {
  const found = BUILT_IN_AGENTS.map(({ name, mode, tools }) => [
    name,
    mode,
    tools?.length ?? 'all',
  ]);
  assert.deepEqual(found, [
    ['gatehouse', 'primary', 'all'],
    ['plan', 'primary', 11],
    ['explore', 'subagent', 6],
    ['title', 'subagent', 0],
    ['summary', 'subagent', 0],
    ['compaction', 'subagent', 0],
  ]);
});

test('CS-36: plan and explore can write no file and run no program, whatever tool they are given', () => {
  for (const agent of BUILT_IN_AGENTS.filter(({ name }) => name === 'plan' || name === 'explore')) {
    const set = declaredCapabilities(agent, lockedTools([]), ['{workspace}/**']);
    assert.deepEqual([set.fs?.write ?? [], set.shell], [[], []], agent.name);
  }
});
