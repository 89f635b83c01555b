import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  FILE_CHANGERS,
  findLockedTools,
  getToolFacts,
  HOST_TOOL_IDS,
  isHostTool,
  isLocked,
  LOCKED_IDS,
} from '../../../../src/base/tools/toolFacts.ts';
import { findSchemaFault } from '../../../../src/gate/validate.ts';
import { openAcceptances } from '../../../../src/host/config/acceptance.ts';
import { openToolCatalog } from '../../../../src/host/tools/toolSources.ts';
import { lockedTools } from '../../../../src/tools/locked/lockedTools.ts';

/** Arguments for the tools whose facts give none. */
const INPUTS: Readonly<Record<string, object>> = {
  todo: { items: [] },
  skill: { name: 'a' },
  task: { subagent_type: 'explore', prompt: 'a' },
  question: { questions: [{ question: 'Which?', options: [{ label: 'a' }, { label: 'b' }] }] },
};

for (const tool of lockedTools([])) {
  test(`the facts of ${tool.id} agree with the tool`, async () => {
    const facts = getToolFacts(tool.id);
    assert.ok(facts);
    const input = facts.toInput?.('a') ?? INPUTS[tool.id];
    assert.equal(await findSchemaFault(tool.parameters, input), undefined);
    assert.ok(input && Object.hasOwn(input, facts.argument), `no "${facts.argument}"`);
    const [first] = tool.subjects(input);
    assert.equal(first.permission, tool.id);
    assert.equal(first.match, facts.about);
    assert.equal(tool.kind, facts.kind);
    if (facts.access !== undefined) assert.equal(first.capability, facts.access);
    assert.equal(
      facts.session === true,
      first.match === 'text' && !first.capability && !requiresNet(tool.requires),
    );
  });
}

test('every locked id has facts, and no other id has', () => {
  assert.ok(LOCKED_IDS.every((id) => isLocked(id) && getToolFacts(id) !== undefined));
  for (const id of ['toString', '__proto__', 'constructor', 'Read', 'mcp:read:read', '']) {
    assert.equal(isLocked(id), false, id);
    assert.equal(getToolFacts(id), undefined, id);
  }
});

test('the ids of all tools of the host are reserved, and those that change files are known', async () => {
  const env = {};
  const acceptances = openAcceptances('/absent/accepted.json');
  const catalog = openToolCatalog({
    ...{ env, data: { state: '/absent' }, acceptances, language: true },
  });
  const list = async (agent: string) => {
    const found = await catalog.get(
      {
        ...{ id: agent, agent, folders: [], trusted: false, searchHosts: [] },
        ...{ timeoutMs: 1000, schemaMs: 1000, confirmExternalActions: true },
      },
      [],
    );
    return found.registry.list();
  };
  const usual = await list('gatehouse');
  // Only this agent has `plan_exit`.
  const tools = [
    ...new Map([...usual, ...(await list('plan'))].map((tool) => [tool.id, tool])).values(),
  ];
  catalog.dispose();
  assert.deepEqual(
    tools.map(({ id }) => id).filter((id) => !isHostTool(id)),
    [],
  );
  assert.deepEqual(
    tools.flatMap(({ id, changesFiles }) => (changesFiles ? id : [])).sort(),
    [...FILE_CHANGERS].sort(),
  );
  assert.deepEqual(
    HOST_TOOL_IDS.filter((id) => !isLocked(id)),
    tools
      .map(({ id }) => id)
      .filter((id) => !isLocked(id))
      .sort(),
  );
});

test('tools are found by their facts', () => {
  assert.deepEqual(
    findLockedTools(({ access }) => access === 'fs.write'),
    ['write', 'edit'],
  );
  assert.deepEqual(
    findLockedTools(({ about }) => about === 'host'),
    ['web_fetch'],
  );
  assert.deepEqual(
    findLockedTools(({ search }) => search === 'contents'),
    ['grep'],
  );
});

function requiresNet(requires: object): boolean {
  return 'net' in requires;
}
