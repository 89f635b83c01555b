import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { temporary } from '../host/harness.ts';
import { check, checks } from './checked.ts';
import { gatehouse, place } from './program.ts';

// The document vectors of Compozy tools, by the built `gatehouse check`.

const good = { resource: 'tool', id: 'x' };

for (const timeout of ['500ms', '30s', '5m', '1h', '1h30m', '1.5s']) {
  tool(`VB-1 timeout ${timeout}`, { ...good, timeout });
}
tool('VB-2 a timeout of zero', { ...good, timeout: '0s' }, 'timeout must be positive, got: 0s');
tool('VB-3 a negative timeout', { ...good, timeout: '-5s' }, 'timeout must be positive, got: -5s');
tool(
  'VB-4 a timeout in words',
  { ...good, timeout: 'soon' },
  `invalid timeout format 'soon': time: invalid duration "soon"`,
);
tool(
  'VB-5 a timeout without a unit',
  { ...good, timeout: '30' },
  `invalid timeout format '30': time: missing unit in duration "30"`,
);
tool('VB-6 an empty timeout', { ...good, timeout: '' });
tool(
  'VB-7 a timeout in days',
  { ...good, timeout: '1d' },
  `invalid timeout format '1d': time: unknown unit "d" in duration "1d"`,
);
tool(
  'VB-17 an id that climbs',
  { ...good, id: '../malicious' },
  'tool_id contains directory traversal patterns',
);
tool(
  'VB-18 an id with three dots',
  { ...good, id: 'tool...name' },
  'tool_id contains directory traversal patterns',
);
for (const id of ['tool@name', 'tool\0x', 't\u0430ol']) {
  tool(
    `VB-19 the id ${JSON.stringify(id)}`,
    { ...good, id },
    'tool_id contains invalid characters',
  );
}
for (const id of ['category/tool-name', 'tool.name']) tool(`VB-20 the id ${id}`, { ...good, id });
tool(
  'VB-21 a variable in lower case',
  { ...good, env: { api_key: 'x' } },
  'invalid environment variable name "api_key": must contain only uppercase letters, numbers, and underscores',
);
tool(
  'VB-22 a variable of the loader',
  { ...good, env: { LD_PRELOAD: 'x' } },
  'environment variable "LD_PRELOAD" is not allowed for security reasons',
);
tool(
  'VB-23 a variable of two lines',
  { ...good, env: { A: 'x\ny' } },
  'environment variable "A" contains invalid characters (newline or null byte)',
);
tool('VB-30 an unknown key', { ...good, foo: 1 }, 'unknown field "foo"');
tool('VB-31 definitions and tuples of Draft 7', {
  ...good,
  input: {
    type: 'object',
    definitions: { p: { type: 'string' } },
    properties: { a: { type: 'array', items: [{ $ref: '#/definitions/p' }, { type: 'number' }] } },
  },
});

const project = (...include: readonly string[]) =>
  `autoload:\n  enabled: true\n  include: ${JSON.stringify(include)}\n`;

test('VB-25 an id that comes twice in a project, trimmed and without case', async (t) => {
  const { code, problems } = await check(t, {
    'compozy.yaml': project('t/*.yaml'),
    't/a.yaml': { resource: 'tool', id: 'Fmt' },
    't/b.yaml': { resource: 'tool', id: ' fmt ' },
    'tools.ts': '',
  });
  assert.equal(code, 1);
  assert.match(problems.join('\n'), /^error DUPLICATE_CONFIG: tool "fmt" is also in .*a\.yaml$/m);
});

test('VB-26 a file without a resource that autoload matches', async (t) => {
  const files = { 'compozy.yaml': project('t/*.yaml'), 't/a.yaml': 'id: x\n', 'tools.ts': '' };
  const { code, problems } = await check(t, files);
  assert.equal(code, 1);
  assert.match(problems.join('\n'), /^error MISSING_RESOURCE_FIELD/m);
});

test('VB-27 a file of another resource is no tool, and an unknown resource is an error', async (t) => {
  const files = { 'compozy.yaml': project('t/*.yaml'), 'tools.ts': '' };
  const agent = await check(t, { ...files, 't/a.yaml': { resource: 'agent', id: 'x' } });
  assert.deepEqual([agent.code, agent.tools], [0, []]);
  const banana = await check(t, { ...files, 't/a.yaml': { resource: 'banana', id: 'x' } });
  assert.equal(banana.code, 1);
  assert.match(banana.problems.join('\n'), /^error INVALID_RESOURCE_FIELD/m);
});

for (const [pattern, expected] of [
  ['/etc/*.yaml', 'absolute paths not allowed: /etc/*.yaml'],
  ['../x/*.yaml', 'parent directory references not allowed: ../x/*.yaml'],
] as const) {
  test(`VB-28 the pattern ${pattern}`, async (t) => {
    const files = {
      'compozy.yaml': project(pattern, 't/*.yaml'),
      't/a.yaml': good,
      'tools.ts': '',
    };
    const { code, problems } = await check(t, files);
    assert.equal(code, 1);
    assert.ok(problems.join('\n').includes(`error INVALID_PATTERN: ${expected}`), problems.join());
  });
}

test('VB-29 a link to a file outside the project', async (t) => {
  const folder = await temporary(t);
  await place(folder, {
    'outside.yaml': good,
    'shop/compozy.yaml': project('t/*.yaml'),
    'shop/t/a.txt': '',
    'shop/tools.ts': '',
  });
  await symlink(path.join(folder, 'outside.yaml'), path.join(folder, 'shop/t/x.yaml'));
  const { code, stdout } = await gatehouse(['check', '.'], { cwd: path.join(folder, 'shop') });
  assert.equal(code, 1);
  assert.match(stdout, /error: PATH_ESCAPE_ATTEMPT/);
});

for (const number of ['.nan', '-.inf', '1e400']) {
  checks(
    `the number ${number} in YAML, which JSON cannot hold`,
    { 'tool.yaml': `resource: tool\nid: x\nwith: {list: [{n: ${number}}]}\n`, 'tools.ts': '' },
    ['PARSE_ERROR: a number that JSON cannot hold'],
  );
}

/** JSON is YAML, so the tool is written as it is. */
function tool(name: string, entry: object, ...errors: readonly string[]): void {
  checks(name, { 'tool.yaml': entry, 'tools.ts': '' }, errors);
}
