import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, test } from 'node:test';
import { stringify } from 'yaml';
import { evaluateTemplate } from '../../../../src/declared/compozy/evaluateTemplate.ts';
import { parseGoTemplate } from '../../../../src/declared/compozy/parseTemplate.ts';
import { bench, ROOT } from '../running.ts';

after(() => rmSync(ROOT, { recursive: true, force: true, maxRetries: 5 }));

const project = (config: object, tools: string, more: Readonly<Record<string, string>> = {}) => ({
  'tools/fmt.yaml': stringify({ resource: 'tool', id: 'fmt', ...config }),
  'compozy.yaml': 'name: shop\n',
  'tools.ts': tools,
  ...more,
});
const ECHO = 'export default { fmt: (input: unknown, config: unknown) => ({ input, config }) };';

test('VB-8 without an input schema every input runs', async () => {
  const { run } = await bench(project({ config: { a: 1 } }, ECHO));
  assert.deepEqual(await run('shop_fmt', { x: [1] }), {
    data: { input: { x: [1] }, config: { a: 1 } },
  });
});

test('VB-9 an input that does not fit is named, and the tool is not started', async () => {
  const input = { type: 'object', required: ['path'] };
  const { run } = await bench(project({ input }, 'throw new Error("started");'));
  assert.deepEqual(await run('shop_fmt', {}), {
    refused:
      "TOOL_INVALID_INPUT: validation error for fmt: schema validation failed: must have required property 'path'",
  });
});

test('VB-10 with is merged before the check, and the model need not give it', async () => {
  const input = { type: 'object', required: ['path'], properties: { path: { type: 'string' } } };
  const { run, tool } = await bench(project({ input, with: { path: 'a' } }, ECHO));
  assert.deepEqual(await run('shop_fmt', {}), { data: { input: { path: 'a' }, config: {} } });
  assert.deepEqual(Reflect.get(tool('shop_fmt').parameters, 'required'), []);
});

test('VB-11, VB-12 the merge is shallow, and the call wins', async () => {
  const { run } = await bench(project({ with: { o: { a: 1, b: 2 }, n: 1 } }, ECHO));
  assert.deepEqual(await run('shop_fmt', { o: { a: 9 }, n: null }), {
    data: { input: { o: { a: 9 }, n: null }, config: {} },
  });
});

test('B-24 the top-level defaults of the schema lie under everything', async () => {
  const input = { type: 'object', properties: { size: { type: 'integer', default: 2 } } };
  const { run } = await bench(project({ input }, ECHO));
  assert.deepEqual(await run('shop_fmt', {}), { data: { input: { size: 2 }, config: {} } });
});

test('VB-13 an output that does not fit is an error that says the tool has run', async () => {
  const output = { type: 'object', properties: { content: { type: 'string' } } };
  const { run } = await bench(
    project({ output }, 'export function fmt() { return { content: 5 }; }'),
  );
  assert.deepEqual(await run('shop_fmt'), {
    error:
      'TOOL_INVALID_OUTPUT: validation error for fmt: schema validation failed: /content must be string. The tool has already run.',
  });
});

test('VB-31 Draft 7 tuples are checked', async () => {
  const input = {
    type: 'object',
    properties: { a: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } },
  };
  const { run } = await bench(project({ input }, ECHO));
  assert.match(JSON.stringify(await run('shop_fmt', { a: ['x', 'y'] })), /\/a\/1 must be number/);
});

returns('VB-14 a result that is no object is wrapped', '7', { data: { value: 7 } });
returns('VB-15 nothing is an empty object', 'undefined', { data: {} });
returns('VB-16 success: false is a failure', '({ success: false })', {
  error: 'TOOL_EXECUTION_ERROR: Tool execution failed',
});
returns('an error key is a failure', '({ error: { code: "X", message: "boom" } })', {
  error: 'TOOL_EXECUTION_ERROR: boom',
});
returns('a promise is waited for', 'Promise.resolve({ a: 1 })', { data: { a: 1 } });
returns('something thrown is the error', '(() => { throw new TypeError("no"); })()', {
  error: 'TOOL_EXECUTION_ERROR: tool execution failed: no',
});
returns('a result without a JSON form is an error', '({ n: 1n })', {
  error: 'TOOL_EXECUTION_ERROR: tool execution failed: Do not know how to serialize a BigInt',
});

function returns(name: string, expression: string, expected: unknown) {
  test(name, async () => {
    const { run } = await bench(project({}, `export const fmt = () => ${expression};`));
    assert.deepEqual(await run('shop_fmt'), expected);
  });
}

test('VB-32 an entry point without the tool names what it has', async () => {
  const { run } = await bench(project({}, 'export default { other() {}, more() {} };'));
  assert.deepEqual(await run('shop_fmt'), {
    error: 'TOOL_NOT_FOUND: Tool fmt not found in entrypoint exports. Available tools: other, more',
  });
});

test('console output does not disturb the result, raw output is refused', async () => {
  const quiet = await bench(
    project({}, 'export const fmt = () => { console.log("hi"); return 1; };'),
  );
  assert.deepEqual(await quiet.run('shop_fmt'), { data: { value: 1 } });
  const loud = await bench(
    project({}, 'export const fmt = () => { process.stdout.write("garbage"); return 1; };'),
  );
  assert.match(
    JSON.stringify(await loud.run('shop_fmt')),
    /^\{"error":"TOOL_EXECUTION_ERROR: tool produced non-JSON output, indicating a potential error or malformed response: garbage/,
  );
});

test('a tool that hangs is ended after its own time', async () => {
  const { run } = await bench(
    project(
      { timeout: '500ms' },
      'export const fmt = () => new Promise(() => setInterval(() => {}, 1000));',
    ),
  );
  assert.deepEqual(await run('shop_fmt'), {
    error: 'TOOL_EXECUTION_ERROR: Tool execution timed out after 500ms',
  });
});

test('VB-6 the project gives the time of a tool without one', async () => {
  const hangs = 'export const fmt = () => new Promise(() => setInterval(() => {}, 1000));';
  const { run } = await bench(
    project({}, hangs, { 'compozy.yaml': 'runtime:\n  tool_execution_timeout: 400ms\n' }),
  );
  assert.match(JSON.stringify(await run('workspace_fmt')), /timed out after 400ms/);
});

test('B-8 the environment is PATH, HOME and the tool’s own', async () => {
  const names =
    'export const fmt = () => ({ names: Object.keys(process.env).sort(), A: process.env.A });';
  const { run } = await bench(
    project({ env: { A: '{{ .env.TZ | lower }}-{{ .project.debug | default(false) }}' } }, names),
    { env: { TZ: 'UTC', SECRET: 'x' } },
  );
  assert.deepEqual(await run('shop_fmt'), {
    data: { names: ['A', 'HOME', 'PATH'], A: 'utc-false' },
  });
});

test('VB-24 an absent variable: the tool is not offered', async () => {
  const { loaded } = await bench(project({ env: { A: '{{ .env.GONE }}' } }, ECHO));
  assert.match(loaded.notOffered[0]?.why ?? '', /"GONE" is not set/);
});

test('the product’s own variables are not for templates', async () => {
  const env = { GATEHOUSE_MODEL_API_KEY: 'k' };
  const { loaded } = await bench(
    project({ env: { A: '{{ .env.GATEHOUSE_MODEL_API_KEY }}' } }, ECHO),
    {
      env,
    },
  );
  assert.deepEqual(loaded.tools, []);
});

test('a planted secret is in no row and no result', async () => {
  const leak = 'export const fmt = () => { throw new Error("key " + process.env.API_KEY); };';
  const { run, rows } = await bench(project({ env: { API_KEY: '{{ .env.KEY }}' } }, leak), {
    env: { KEY: 'planted-secret' },
  });
  assert.deepEqual(await run('shop_fmt'), {
    error: 'TOOL_EXECUTION_ERROR: tool execution failed: key ***REDACTED***',
  });
  assert.doesNotMatch(JSON.stringify(rows), /planted-secret/);
  assert.deepEqual(
    rows.map((row) => row.event === 'tool' && row.envKeys),
    [['API_KEY']],
  );
});

test('B-7 the project may give one agent another config', async () => {
  const compozy = 'agents:\n  - id: writer\n    tools:\n      - id: fmt\n        config: {b: 2}\n';
  const files = project({ config: { a: 1, b: 1 } }, ECHO, { 'compozy.yaml': compozy });
  assert.deepEqual(await (await bench(files, { agent: 'writer' })).run('workspace_fmt'), {
    data: { input: {}, config: { a: 1, b: 2 } },
  });
});

template('{{ .env.X }}', 'v');
template('a{{ .env.X | upper }}b', 'aVb');
template('{{ .env.GONE | default "d" }}', 'd');
template('{{ .project.debug | default(false) }}', false);
template('{{ default "x" .env.GONE }}', 'x');
template('{{- .env.X -}}', 'v');
template('{{ .project.n }}', 3);
template('n={{ .project.n }}', 'n=3');
template('{{ .project.read-file.output }}', 'hyphen');
template('{{ trimPrefix "v" .env.X | default "none" }}', 'none');
template('{{ .env.X | replace "v" "$&w" }}', '$&w');
template('{{/* nothing */}}', '');

function template(source: string, expected: unknown) {
  test(`template ${source}`, async () => {
    const parsed = parseGoTemplate(source);
    assert.ok(parsed.ok, parsed.ok ? '' : parsed.error);
    const scope = { env: { X: 'v' }, project: { n: 3, 'read-file': { output: 'hyphen' } } };
    assert.deepEqual(evaluateTemplate(parsed.template, scope), { ok: true, data: expected });
  });
}

test('a missing key and a call without end are errors', async () => {
  for (const source of [
    '{{ .env.GONE }}',
    '{{ .env.__proto__ }}',
    '{{ repeat 999999999 .env.X }}',
  ]) {
    const parsed = parseGoTemplate(source);
    assert.ok(parsed.ok);
    const outcome = evaluateTemplate(parsed.template, { env: { X: 'v' } });
    assert.match(outcome.ok ? '' : outcome.error, /^template execution error: /);
  }
});
