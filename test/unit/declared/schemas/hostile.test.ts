import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { promptOf, start } from '../../host/stdioHost.ts';
import { call, MAIN, oneTool, openBed } from '../builtEntry.ts';

/** Schemas that are small and cost much, each with a value that makes validators work. */
const COSTLY: Readonly<Record<string, { readonly property: object; readonly value: unknown }>> = {
  'references that double at each of 27 levels': {
    property: { $ref: '#/$defs/d0' },
    value: 1,
  },
  'unique objects': {
    property: { type: 'array', uniqueItems: true },
    value: Array.from({ length: 9_000 }, (_, at) => ({ b: at })),
  },
  'a pattern that backtracks': {
    property: { type: 'string', pattern: '^(a|a)*$' },
    value: `${'a'.repeat(40)}!`,
  },
};

const LEVELS = 27;

function toSchema(property: object): object {
  const levels = Array.from({ length: LEVELS }, (_, at) => {
    const next = { $ref: `#/$defs/d${at + 1}` };
    return [`d${at}`, at === LEVELS - 1 ? { type: 'string' } : { anyOf: [next, next] }] as const;
  });
  return { type: 'object', properties: { a: property }, $defs: Object.fromEntries(levels) };
}

for (const [what, { property, value }] of Object.entries(COSTLY)) {
  test(`a call whose arguments take too long to validate is refused: ${what}`, () => {
    using bed = openBed(oneTool({ schema: toSchema(property) }));
    assert.equal(bed.gatehouse('accept', '.').code, 0);
    const envelope = call(bed, 'workspace_x', { a: value });
    assert.equal(envelope.type, 'error');
    assert.match(
      envelope.error_text,
      // One of these references fills the memory with errors before the time is over.
      /validating the arguments of workspace_x .* (?:longer than 1000 ms \(gatehouse\.limits\.schemaMs\)|more than 64 MB of memory)\./,
    );
    assert.deepEqual(call(bed, 'workspace_x', {}).data, {});
  });
}

test('the host answers other requests while arguments are validated', async (t) => {
  const { property, value } = COSTLY['a pattern that backtracks'] ?? assert.fail();
  using bed = openBed(oneTool({ schema: toSchema(property) }));
  assert.equal(bed.gatehouse('accept', '.').code, 0);
  writeFileSync(
    path.join(bed.data, 'settings.json'),
    JSON.stringify({ 'gatehouse.limits.schemaMs': 3000 }),
  );
  const script = [
    { calls: [{ tool: 'workspace_x', input: { a: value }, id: 'c1' }] },
    { text: 'Done.' },
  ];
  const host = await start(t, { data: bed.data, program: MAIN, script });
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const session = await host.request('session/new', { cwd: bed.workspace, mcpServers: [] });
  const { sessionId } = Object(session.result);
  const turn = host.request('session/prompt', promptOf(sessionId)).then(() => 'turn');
  const isCalled = () => host.lines.some((line) => JSON.stringify(line).includes('workspace_x'));
  while (!isCalled()) await new Promise((resolve) => setTimeout(resolve, 5));
  const listed = host.request('session/list', {}).then(() => 'list');
  assert.equal(await Promise.race([turn, listed]), 'list');
  await turn;
  assert.match(JSON.stringify(host.lines), /workspace_x .*longer than 3000 ms/);
});

test('check and the loader tell that a schema takes too much to compile', () => {
  const toProperties = (count: number, property: object) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, property]));
  // Ajv writes out what a reference leads to in its place: a short schema becomes long code.
  const many = { properties: toProperties(300, { type: 'string', minLength: 1 }) };
  const properties = toProperties(1500, { $ref: '#/$defs/many' });
  using bed = openBed(oneTool({ schema: { type: 'object', properties, $defs: { many } } }));
  const { out } = bed.gatehouse('check', '.');
  assert.match(
    out,
    // On a fast machine the memory ends before the time.
    /compiling tool\[0\] "x": schema (?:takes longer than 1000 ms \(gatehouse\.limits\.schemaMs\)|needs more than 64 MB of memory): the tool is not offered/,
  );
  bed.gatehouse('accept', '.');
  assert.match(call(bed, 'workspace_x', {}).error_text, /unknown tool/);
});

test('a schema that cannot be compiled is told by check, and its tool is not offered', () => {
  const files = oneTool({ schema: { $defs: { a: { $id: 'urn:a' }, b: { $id: 'urn:a' } } } });
  using bed = openBed(files);
  assert.match(bed.gatehouse('check', '.').out, /schema cannot be compiled: .*: the tool is not/);
});

test('a reference to the whole schema and to local definitions works in every dialect', () => {
  const list = {
    type: 'object',
    $defs: { name: { type: 'string', minLength: 2 } },
    properties: { name: { $ref: '#/$defs/name' }, next: { $ref: '#' } },
    required: ['name'],
    additionalProperties: false,
  };
  const attachment = {
    id: 'y',
    description: 'd',
    transport: { kind: 'exec', command: '/bin/cat' },
    input_schema: list,
    result_schema: { $ref: 'schema:list' },
    schema_refs: { list },
  };
  using bed = openBed({
    ...oneTool({ schema: list }),
    'b/tools.json': JSON.stringify({ version: 1, tools: [attachment] }),
    'b/policy.caps': '[capabilities]\nexec = true\n',
    'flow/compozy.yaml': 'name: flow\n',
    'flow/tools.ts': 'export default { z: (input: object) => input };\n',
    'flow/z.yaml': `resource: tool\nid: z\ninput: ${JSON.stringify(list)}\noutput: ${JSON.stringify(list)}\n`,
  });
  assert.deepEqual(bed.gatehouse('accept', '.').err, '');
  const { out } = bed.gatehouse('check', '.');
  assert.doesNotMatch(out, /error|warning/);
  const good = { name: 'ab', next: { name: 'cd' } };
  const bad = { name: 'ab', next: { name: 'c' } };
  for (const id of ['workspace_x', 'b_y', 'flow_z']) {
    assert.deepEqual(call(bed, id, good).data, good, id);
    assert.match(call(bed, id, bad).error_text, /\/next\/name must NOT have fewer than 2/, id);
  }
});
