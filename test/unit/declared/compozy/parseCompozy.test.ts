import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringify } from 'yaml';
import { validatePattern } from '../../../../src/declared/compozy/parseProject.ts';
import { validateTogether } from '../../../../src/declared/validateTogether.ts';
import { errors, messages, surroundings, validate } from '../validated.ts';

const around = surroundings({ 'tools.ts': '' });
const yaml = (value: unknown, name = 'tool.yaml', autoloaded = false) =>
  validate(typeof value === 'string' ? value : stringify(value), { name, around, autoloaded });

for (const [timeout, ms] of [
  ['500ms', 500],
  ['30s', 30_000],
  ['5m', 300_000],
  ['1h', 3_600_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1_500],
  ['', undefined],
] as const) {
  test(`VB-1, VB-6 timeout ${JSON.stringify(timeout)} is ${ms} ms`, () => {
    const [entry] = yaml({ resource: 'tool', id: 'x', timeout }).entries;
    assert.ok(entry?.dialect === 'compozy');
    assert.equal(entry.timeoutMs, ms);
  });
}
timeout('VB-2', '0s', 'timeout must be positive, got: 0s');
timeout('VB-3', '-5s', 'timeout must be positive, got: -5s');
timeout('a long one', '-1.5h', 'timeout must be positive, got: -1h30m0s');
timeout('VB-4', 'soon', `invalid timeout format 'soon': time: invalid duration "soon"`);
timeout('VB-5', '30', `invalid timeout format '30': time: missing unit in duration "30"`);
timeout('VB-7', '1d', `invalid timeout format '1d': time: unknown unit "d" in duration "1d"`);

id('VB-17', '../malicious', 'tool_id contains directory traversal patterns');
id('VB-17', 'a/../b', 'tool_id contains path traversal or invalid path components');
id('VB-18', 'tool...name', 'tool_id contains directory traversal patterns');
id('VB-19', 'tool@name', 'tool_id contains invalid characters');
id('VB-19', 'tool\0x', 'tool_id contains invalid characters');
id('VB-19', 'tоol'.replace('о', 'а'), 'tool_id contains invalid characters');
id('B-37', '', 'tool_id cannot be empty');
id('B-37', '/abs', 'tool_id cannot be an absolute path');
id('B-37', '.hidden', 'tool_id cannot start with dot or contain multiple consecutive dots');
id('B-43', 'cp__x', 'tool id cp__x uses reserved cp__ prefix');
id('decision 48', 'Bash', 'tool id Bash is reserved for a built-in tool');
id('VB-20', 'category/tool-name', undefined);
id('VB-20', 'tool.name', undefined);

env(
  'VB-21',
  { api_key: 'x' },
  'invalid environment variable name "api_key": must contain only uppercase letters, numbers, and underscores',
);
env(
  'VB-22',
  { LD_PRELOAD: 'x' },
  'environment variable "LD_PRELOAD" is not allowed for security reasons',
);
env(
  'VB-23',
  { A: 'x\ny' },
  'environment variable "A" contains invalid characters (newline or null byte)',
);
env(
  'a value that is no text',
  { DEBUG: false },
  'environment variable "DEBUG" must be a string, not boolean',
);
env(
  'a template that is not in the subset',
  { A: '{{ range .env }}x{{ end }}' },
  'failed to parse template: unsupported function or keyword "range" in {{ range .env }}',
);
env(
  'an unclosed template',
  { A: '{{ .env.X' },
  'failed to parse template: unclosed action in {{ .env.X',
);

test('VB-24 an absent variable is a warning that holds the tool back', () => {
  const validated = yaml({
    resource: 'tool',
    id: 'x',
    env: { API_KEY: '{{ .env.SECRET_API_KEY }}' },
  });
  assert.deepEqual(
    validated.diagnostics.map(({ pointer, severity, blocks }) => [pointer, severity, blocks]),
    [['/env/API_KEY', 'warning', 0]],
  );
});

test('VB-25 ids are compared trimmed and without case', () => {
  const files = [
    yaml({ resource: 'tool', id: 'Fmt' }, 'a.yaml'),
    yaml({ resource: 'tool', id: ' fmt ' }, 'b.yaml'),
  ];
  const [first, second] = validateTogether(files);
  assert.ok(first && second);
  assert.deepEqual(errors(first), []);
  assert.match(errors(second).join('\n'), /^DUPLICATE_CONFIG: tool "fmt" is also in .*a\.yaml$/m);
});

test('VB-26 a file without a resource', () => {
  assert.match(errors(yaml({ id: 'x' })).join(), /^MISSING_RESOURCE_FIELD/);
});

test('VB-27 a file of another resource is skipped by autoload, and refused when named', () => {
  const agent = { resource: 'agent', id: 'x' };
  assert.deepEqual(errors(yaml(agent, 'a.yaml', true)), []);
  assert.equal(messages(yaml(agent, 'a.yaml', true), 'information').length, 1);
  assert.match(errors(yaml(agent)).join(), /^INVALID_RESOURCE_FIELD/);
  assert.match(
    errors(yaml({ resource: 'banana', id: 'x' }, 'a.yaml', true)).join(),
    /^INVALID_RESOURCE_FIELD/,
  );
});

test('VB-28 autoload patterns stay in the project', () => {
  assert.equal(
    validatePattern('/etc/*.yaml'),
    'INVALID_PATTERN: absolute paths not allowed: /etc/*.yaml',
  );
  assert.equal(
    validatePattern('../x/*.yaml'),
    'INVALID_PATTERN: parent directory references not allowed: ../x/*.yaml',
  );
  assert.equal(validatePattern(' '), 'empty include pattern is not allowed');
});

test('VB-30 an unknown key is refused, at its name', () => {
  const validated = yaml('resource: tool\nid: x\nfoo: 1\n');
  assert.deepEqual(
    validated.diagnostics.map(({ message, line, column }) => [message, line, column]),
    [['unknown field "foo"', 3, 1]],
  );
});

test('VB-31 Draft 7 definitions and tuples are honoured', () => {
  const input = {
    type: 'object',
    definitions: { p: { type: 'string' } },
    properties: { a: { type: 'array', items: [{ $ref: '#/definitions/p' }, { type: 'number' }] } },
  };
  assert.deepEqual(yaml({ resource: 'tool', id: 'x', input }).diagnostics, []);
});

test('an alias bomb and several documents are diagnostics', () => {
  const bomb = `a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n`;
  assert.match(errors(yaml(bomb)).join(), /^PARSE_ERROR: /);
  assert.match(errors(yaml('id: x\n---\nid: y\n')).join(), /^PARSE_ERROR: /);
  assert.match(errors(yaml('id: x\nid: y\n')).join(), /^PARSE_ERROR: /);
  assert.match(errors(yaml('['.repeat(50_000))).join(), /^PARSE_ERROR: /);
});

test('a duration without a unit has a fix', () => {
  const [diagnostic] = yaml({ resource: 'tool', id: 'x', timeout: '30' }).diagnostics;
  assert.equal(diagnostic?.fix?.edits[0]?.text, '"30s"');
});

function timeout(name: string, value: string, expected: string) {
  test(`${name} timeout ${value}`, () => {
    assert.deepEqual(errors(yaml({ resource: 'tool', id: 'x', timeout: value })), [expected]);
  });
}

function id(name: string, value: string, expected: string | undefined) {
  test(`${name} id ${JSON.stringify(value)}`, () => {
    assert.deepEqual(
      errors(yaml({ resource: 'tool', id: value })),
      expected === undefined ? [] : [expected],
    );
  });
}

function env(name: string, value: object, expected: string) {
  test(`${name} in env`, () => {
    assert.deepEqual(errors(yaml({ resource: 'tool', id: 'x', env: value })), [expected]);
  });
}
