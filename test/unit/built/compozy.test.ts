import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { compozy, converse, fields, makeBed, type SessionSetUp } from './session.ts';

// Compozy tools, through the built `gatehouse acp`.

const ECHO = 'return { input, config };';

interface SetUp extends SessionSetUp {
  readonly more?: object;
  readonly project?: object;
  readonly input?: unknown;
}

async function callX(t: TestContext, body: string, setUp: SetUp = {}) {
  const { more = {}, project = {}, input = {}, ...session } = setUp;
  const dataFiles = { 'agents/writer.md': '---\ndescription: Writes.\n---\nYou write.\n' };
  const bed = await makeBed(t, { files: compozy(body, more, project), dataFiles });
  const seen = await converse(t, bed, { calls: [{ tool: 'shop_x', input }], ...session });
  return { ...seen, bed, result: fields(seen.results[0]) };
}

const outcome = ({ result }: { readonly result: Readonly<Record<string, unknown>> }) =>
  result['data'] ?? result['error_text'] ?? result['error'];

const INPUT = { type: 'object', required: ['path'], properties: { path: { type: 'string' } } };

for (const [timeout, ms] of [
  ['500ms', 500],
  ['1.5s', 1500],
] as const) {
  test(`VB-1 a timeout of ${timeout} ends the tool after ${ms} ms`, async (t) => {
    const forever = 'await new Promise((resolve) => setTimeout(resolve, 900000));';
    const seen = await callX(t, forever, { more: { timeout } });
    assert.equal(outcome(seen), `TOOL_EXECUTION_ERROR: Tool execution timed out after ${ms}ms`);
  });
}

test('VB-6 the project gives the time of a tool without one', async (t) => {
  const project = { runtime: { tool_execution_timeout: '1s' }, config: {} };
  const forever = 'await new Promise((resolve) => setTimeout(resolve, 900000));';
  const seen = await callX(t, forever, { project, more: { timeout: '' } });
  assert.match(String(outcome(seen)), /Tool execution timed out after 1000ms/);
});

test('VB-8 without a schema every input runs', async (t) => {
  const seen = await callX(t, ECHO, { input: { x: [1] } });
  assert.deepEqual(outcome(seen), { input: { x: [1] }, config: {} });
});

test('VB-9 an input that does not fit is named, and the tool is not started', async (t) => {
  const body =
    'const { writeFileSync } = await import("node:fs"); writeFileSync("ran", ""); return 1;';
  const seen = await callX(t, body, { more: { input: INPUT } });
  assert.match(
    String(outcome(seen)),
    /TOOL_INVALID_INPUT: validation error for x: schema validation failed: must have required property 'path'/,
  );
  assert.equal(existsSync(path.join(seen.bed.workspace, 'shop/ran')), false);
});

test('VB-10 the defaults of with are there before the input is checked', async (t) => {
  const seen = await callX(t, ECHO, { more: { input: INPUT, with: { path: 'a' } } });
  assert.deepEqual(outcome(seen), { input: { path: 'a' }, config: {} });
});

test('VB-11, VB-12 the merge is shallow, and the call wins', async (t) => {
  const more = { with: { o: { a: 1, b: 2 }, n: 1 } };
  const seen = await callX(t, ECHO, { more, input: { o: { a: 9 }, n: null } });
  assert.deepEqual(outcome(seen), { input: { o: { a: 9 }, n: null }, config: {} });
});

test('VB-13 an output that does not fit is an error that says that the tool has run', async (t) => {
  const output = { type: 'object', properties: { content: { type: 'string' } } };
  const seen = await callX(t, 'return { content: 5 };', { more: { output } });
  assert.match(String(outcome(seen)), /^TOOL_INVALID_OUTPUT: .*The tool has already run\.$/);
});

for (const [name, body, expected] of [
  ['VB-14 a result that is no object is wrapped', 'return 7;', { value: 7 }],
  ['VB-15 nothing is an empty object', 'return;', {}],
  [
    'VB-16 a result that says so is a failure',
    'return { success: false };',
    'TOOL_EXECUTION_ERROR: Tool execution failed',
  ],
] as const) {
  test(name, async (t) => assert.deepEqual(outcome(await callX(t, body)), expected));
}

test('VB-24 a tool whose variable is not set is not offered, and says why', async (t) => {
  const more = { env: { API_KEY: '{{ .env.SECRET_API_KEY }}' } };
  const seen = await callX(t, ECHO, { more });
  assert.equal(seen.offered.includes('shop_x'), false);
  assert.match(String(outcome(seen)), /^unknown tool: shop_x\. .*"SECRET_API_KEY" is not set/);
});

test('VB-31 a tuple of Draft 7 is checked', async (t) => {
  const input = {
    type: 'object',
    properties: { a: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } },
  };
  const seen = await callX(t, ECHO, { more: { input }, input: { a: ['x', 'y'] } });
  assert.match(String(outcome(seen)), /\/a\/1 must be number/);
});

test('VB-32 an entry point without the tool names what it has', async (t) => {
  const bed = await makeBed(t, {
    files: {
      ...compozy(ECHO),
      'shop/tools.ts': 'export const a = () => 1;\nexport const b = a;\n',
    },
  });
  const { results } = await converse(t, bed, { calls: [{ tool: 'shop_x' }] });
  assert.equal(
    fields(results[0])['error_text'],
    'TOOL_NOT_FOUND: Tool x not found in entrypoint exports. Available tools: a, b',
  );
});

test('B-34 every method of console writes to the log, none into the result', async (t) => {
  const body = `
    console.log('l'); console.debug('d'); console.info('i'); console.warn('w'); console.error('e');
    console.dir({ a: 1 }); console.table([[1]]); console.trace('t'); console.group('g'); console.log('in');
    console.groupEnd(); console.count(); console.assert(false, 'no'); console.time('x'); console.timeLog('x');
    console.timeEnd('x'); console.dirxml({ b: 1 });
    return { ok: 1 };`;
  assert.deepEqual(outcome(await callX(t, body)), { ok: 1 });
  const log = await callX(t, 'console.dir({ a: 1 }); console.warn("w"); process.exit(3);');
  const text = 'TOOL_EXECUTION_ERROR: node process failed (exit 3): [LOG] { a: 1 }\n[WARN] w';
  assert.equal(outcome(log), text);
});

for (const value of ['NaN', 'Infinity', '1e400']) {
  test(`a result with ${value} is an error`, async (t) => {
    const seen = await callX(t, `return { list: [{ n: ${value} }] };`);
    assert.match(
      String(outcome(seen)),
      /the result has (NaN|Infinity) at "n", which JSON cannot hold/,
    );
  });
}

test('B-7 the config of the agent that the session runs as wins', async (t) => {
  const agents = [{ id: 'writer', tools: [{ id: 'x', config: { b: 2 } }] }];
  const set = { more: { config: { a: 1, b: 1 } }, project: { agents } };
  const other = await callX(t, 'return config;', set);
  assert.deepEqual(outcome(other), { a: 1, b: 1 });
  const writer = await callX(t, 'return config;', { ...set, meta: { agent: 'writer' } });
  assert.deepEqual(outcome(writer), { a: 1, b: 2 });
});
