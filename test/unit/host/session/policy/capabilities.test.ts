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

const READER: AgentDefinition = {
  ...BUILT_IN_AGENT,
  name: 'reader',
  requires: { fs: { read: ['{workspace}/docs/**'] } },
};
const WRITES = [{ requires: { fs: { write: ['{workspace}/**'] }, shell: [{ cmd: 'make' }] } }];

test('no capability set limits the built-in agent, unless it may only read', () => {
  const facts = { definition: BUILT_IN_AGENT, tools: WRITES };
  assert.equal(effectiveCapabilities({ ...facts, approval: 'ask' }), undefined);
  assert.equal(effectiveCapabilities({ ...facts, approval: 'acceptEdits' }), undefined);
  const { fs, ...others } = effectiveCapabilities({ ...facts, approval: 'readOnly' }) ?? {};
  assert.deepEqual([fs?.write, others], [undefined, {}]);
  assert.ok(fs?.read?.includes('/**'));
});

test('an agent is limited to what it and its tools require', () => {
  const set = effectiveCapabilities({ definition: READER, tools: WRITES, approval: 'ask' });
  assert.deepEqual(set?.fs, { read: ['{workspace}/docs/**'], write: ['{workspace}/**'] });
  assert.deepEqual(set?.shell, [{ cmd: 'make' }]);
});

test('reading only never widens what the agent may read', () => {
  const set = effectiveCapabilities({ definition: READER, tools: WRITES, approval: 'readOnly' });
  assert.deepEqual(set, { fs: { read: ['{workspace}/docs/**'] } });
});

test('a missing agent is granted nothing', () => {
  const set = effectiveCapabilities({ definition: missingAgent('x'), tools: [], approval: 'ask' });
  assert.deepEqual(set, {});
});

test('the set stays the same object until something it depends on changes', () => {
  const capabilitiesOf = createCapabilities();
  const facts = { definition: READER, tools: WRITES, approval: 'ask' } as const;
  const first = capabilitiesOf(facts);
  assert.equal(capabilitiesOf({ ...facts }), first);
  assert.notEqual(capabilitiesOf({ ...facts, tools: [...WRITES] }), first);
  assert.deepEqual(capabilitiesOf({ ...facts, approval: 'readOnly' })?.shell, undefined);
});
