import assert from 'node:assert/strict';
import { test } from 'node:test';
import { declaredCapabilities, hasTool } from '../../../src/agentDefinitions/definition.ts';
import { parseAgentDefinition } from '../../../src/agentDefinitions/parse.ts';
import { lockedTools } from '../../../src/tools/locked/lockedTools.ts';

const FILE = '/w/.gatehouse/agents/docs.md';

test('an agent is read with its prompt, rules and roots', async () => {
  const parsed = await parseAgentDefinition(
    `---
description: Writes the docs.
mode: primary
tools: [read, 'web_*']
roots: [../../../shared]
requires:
  fs: {read: ['{workspace}/docs/**']}
permissions:
  - {permission: read, pattern: '**', action: allow, source: session}
---
You write docs.
`,
    FILE,
  );
  assert.deepEqual(parsed, {
    ok: true,
    data: {
      name: 'docs',
      description: 'Writes the docs.',
      mode: 'primary',
      tools: ['read', 'web_*'],
      requires: { fs: { read: ['{workspace}/docs/**'] } },
      roots: ['/shared'],
      permissions: [
        {
          permission: 'read',
          pattern: '**',
          action: 'allow',
          source: 'manifest',
          origin: { layer: 'manifest', file: FILE, index: 0, line: 9 },
        },
      ],
      prompt: 'You write docs.',
    },
  });
});

refuse('no front matter', 'You write docs.', /must begin with front matter/);
refuse('an unknown key', front('temprature: 1'), /must not have the property "temprature"/);
refuse('a wrong mode', front('mode: boss'), /mode must be equal to one of/);
refuse('a wrong field type', front('tools: read'), /tools must be array/);
refuse(
  'an unknown variable',
  front("requires: {fs: {read: ['{workspce}/**']}}"),
  /Unknown variable \{workspce\}/,
);
refuse('a misspelt family', front('requires: {files: {}}'), /must not have the property "files"/);
refuse(
  'a bad rule',
  front('permissions: [{permission: read, pattern: x, action: maybe}]'),
  /permissions, entry 1: "action"/,
);
refuse(
  'a key that is repeated as an alias',
  front('name: &k tools\ntools: [read]\n*k : [bash]'),
  /Map keys must be unique/,
);
refuse('bad YAML', front('tools: [a'), /docs\.md: .*flow/i);

function front(line: string): string {
  return `---\ndescription: x\n${line}\n---\n`;
}

function refuse(name: string, text: string, expected: RegExp) {
  test(`an agent with ${name} is refused, and the file is named`, async () => {
    const parsed = await parseAgentDefinition(text, FILE);
    assert.ok(!parsed.ok);
    assert.match(parsed.error, expected);
    assert.ok(parsed.error.startsWith(FILE));
  });
}

test('issue 18: an agent without a name has that of its file, if it is one', async () => {
  for (const name of ['pl\u200ban', 'p l', 'Plan', '..']) {
    const file = `/w/.gatehouse/agents/${name}.md`;
    const parsed = await parseAgentDefinition(front('mode: all'), file);
    assert.match(parsed.ok ? '' : parsed.error, /its file name must be lower-case/, name);
    const named = await parseAgentDefinition(front('name: docs'), file);
    assert.ok(named.ok && named.data.name === 'docs', name);
  }
});

test('a tool widens what the agent declares, with no edit of its manifest (C-8)', () => {
  const requires = { fs: { read: ['{workspace}/docs/**'] } };
  const extra = {
    requires: { fs: { read: ['{workspace}/src/**'] }, net: { hosts: ['a.example'] } },
  };
  const { fs, net } = declaredCapabilities({ requires }, [extra], []);
  assert.deepEqual(fs?.read, ['{workspace}/docs/**', '{workspace}/src/**']);
  assert.deepEqual(net?.hosts, ['a.example']);
});

test('a tool may be named by its former id, and by nothing else', () => {
  const tool = { id: 'workspace_x', formerId: 'clone_x' };
  const has = (...tools: readonly string[]) => hasTool({ tools }, tool);
  assert.deepEqual([has('clone_x'), has('clone_*'), has('workspace_x')], [true, true, true]);
  assert.deepEqual([has('clone_y'), has('x'), has()], [false, false, false]);
});

test('tools are named by id or glob', () => {
  const all = lockedTools([]);
  const ids = (tools?: readonly string[]) =>
    all.filter((tool) => hasTool(tools ? { tools } : {}, tool)).map(({ id }) => id);
  assert.deepEqual(ids(['read', 'web_*']), ['read', 'web_fetch', 'web_search']);
  assert.deepEqual(ids([]), []);
  assert.equal(ids().length, all.length);
});
