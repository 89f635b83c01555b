import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUILT_IN_AGENT } from '../../../../../src/agentDefinitions/builtIn.ts';
import {
  type AgentDefinition,
  missingAgent,
} from '../../../../../src/agentDefinitions/definition.ts';
import {
  createCapabilities,
  effectiveCapabilities,
} from '../../../../../src/host/session/policy/capabilities.ts';
import { lockedTools } from '../../../../../src/tools/locked/lockedTools.ts';

const READER: AgentDefinition = {
  ...BUILT_IN_AGENT,
  name: 'reader',
  requires: { fs: { read: ['{workspace}/docs/**'] } },
};
const DEFAULT = ['{workspace}/**', '{ad-hoc}/**'];
const LOCKED = lockedTools([]);
const REASON = 'The approval mode of the session is Read Only.';
const MAKES = [
  { id: 'make', requires: { fs: { write: ['{workspace}/out/**'] }, shell: [{ cmd: 'make' }] } },
];

test('the built-in agent has the default set in each mode', () => {
  const facts = { definition: BUILT_IN_AGENT, tools: LOCKED };
  for (const approval of ['ask', 'acceptEdits'] as const) {
    const set = effectiveCapabilities({ ...facts, approval });
    assert.deepEqual(set.fs, { read: DEFAULT, write: DEFAULT });
    assert.deepEqual([set.shell, set.anyHost, set.asksOutside], [[{ cmd: '*' }], true, true]);
  }
  const readOnly = effectiveCapabilities({ ...facts, approval: 'readOnly' });
  const own = { fs: { read: DEFAULT }, capabilities: ['task.spawn'], readOnly: REASON };
  assert.deepEqual(readOnly, own);
});

test('VC-8 a locked tool takes the scope of the definition, others add their patterns', () => {
  const tools = [...LOCKED, ...MAKES];
  const set = effectiveCapabilities({ definition: READER, tools, approval: 'ask' });
  assert.deepEqual(set.fs, { read: ['{workspace}/docs/**'], write: ['{workspace}/out/**'] });
  assert.deepEqual(set.shell, [{ cmd: '*' }, { cmd: 'make' }]);
  assert.equal(set.asksOutside, undefined);
});

test('a definition that names a program runs no other', () => {
  const definition = { ...READER, requires: { shell: [{ cmd: 'git', args: ['status'] }] } };
  const set = effectiveCapabilities({ definition, tools: LOCKED, approval: 'ask' });
  assert.deepEqual(set.shell, [{ cmd: 'git', args: ['status'] }]);
  assert.deepEqual(set.fs, { read: DEFAULT, write: DEFAULT });
  assert.equal(set.asksOutside, undefined);
});

test('a family that no tool needs is not granted', () => {
  const tools = LOCKED.filter(({ id }) => id === 'read');
  const set = effectiveCapabilities({ definition: BUILT_IN_AGENT, tools, approval: 'ask' });
  assert.deepEqual(set, { fs: { read: DEFAULT, write: [] }, shell: [], capabilities: [] });
});

test('reading only never widens what the agent may read', () => {
  const set = effectiveCapabilities({ definition: READER, tools: MAKES, approval: 'readOnly' });
  assert.deepEqual(set, { fs: { read: ['{workspace}/docs/**'] }, readOnly: REASON });
});

test('a missing agent is granted nothing', () => {
  const set = effectiveCapabilities({ definition: missingAgent('x'), tools: [], approval: 'ask' });
  assert.deepEqual(set, {});
});

test('a child lies within the set of its parent', () => {
  const facts = { definition: BUILT_IN_AGENT, tools: LOCKED, approval: 'ask' } as const;
  const parent = effectiveCapabilities({ ...facts, definition: READER });
  assert.equal(effectiveCapabilities({ ...facts, parent }).within, parent);
});

test('the set stays the same object until something it depends on changes', () => {
  const capabilitiesOf = createCapabilities();
  const facts = { definition: READER, tools: MAKES, approval: 'ask' } as const;
  const first = capabilitiesOf(facts);
  assert.equal(capabilitiesOf({ ...facts }), first);
  assert.notEqual(capabilitiesOf({ ...facts, tools: [...MAKES] }), first);
  assert.notEqual(capabilitiesOf({ ...facts, parent: {} }), first);
  assert.notEqual(capabilitiesOf({ ...facts, scratch: '/s/**' }), first);
  assert.deepEqual(capabilitiesOf({ ...facts, approval: 'readOnly' }).shell, undefined);
});
