import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { type Bed, call, oneTool, openBed } from './builtEntry.ts';

const PASS =
  'const f = (input: object) => input;\nexport default { x: f, y: f, fmt: f, fetch: f, patch: f };\n';

/** A tool of this name in every dialect, in this folder. */
function inDialect(
  dialect: string,
  folder: string,
  name: string,
): Readonly<Record<string, string>> {
  if (dialect === 'compozy') {
    return {
      [`${folder}compozy.yaml`]: 'description: d\n',
      [`${folder}tools.ts`]: PASS,
      [`${folder}${name}.yaml`]: `resource: tool\nid: ${name}\n`,
    };
  }
  const transport = { kind: 'exec', command: '/bin/cat' };
  const entry =
    dialect === 'agentcli'
      ? { name, command: ['./tools/bin/x'] }
      : { id: name, description: 'd', transport, input_schema: {}, result_schema: {} };
  const version = dialect === 'runloop' ? { version: 1 } : {};
  return {
    [`${folder}tools.json`]: JSON.stringify({ ...version, tools: [entry] }),
    [`${folder}tools/bin/x`]: '#!/bin/sh\ncat\n',
    ...(dialect === 'runloop' && { [`${folder}policy.caps`]: '[capabilities]\nexec = true\n' }),
  };
}

const DIALECTS = ['agentcli', 'runloop', 'compozy'] as const;

/** The ids that `accept` prints. */
function accepted(bed: Bed): readonly string[] {
  const { out } = bed.gatehouse('accept', '.');
  return [...out.matchAll(/^ {2}(\S+):/gm)].map(([, id = '']) => id).sort();
}

for (const dialect of DIALECTS) {
  test(`${dialect}: ids do not depend on the name of the clone`, () => {
    const files = { ...inDialect(dialect, '', 'x'), ...inDialect(dialect, 'a/b c/', 'y') };
    using one = openBed(files, 'one');
    using two = openBed(files, 'zwei');
    assert.deepEqual(accepted(one), ['a_b_c_y', 'workspace_x']);
    assert.deepEqual(accepted(two), accepted(one));
  });

  test(`${dialect}: folders in other scripts have ids of their own`, () => {
    using bed = openBed({
      ...inDialect(dialect, 'ключ/', 'x'),
      ...inDialect(dialect, '工具/', 'x'),
      ...inDialect(dialect, 'été/', 'x'),
    });
    assert.equal(bed.gatehouse('check', '.').code, 0);
    const ids = accepted(bed);
    assert.equal(new Set(ids).size, 3, ids.join(' '));
    assert.ok(ids.every((id) => /^[A-Za-z0-9_]+$/.test(id)));
  });

  test(`${dialect}: an id that only the prefix makes one of ours is refused everywhere`, () => {
    for (const [folder, name] of [
      ['web/', 'fetch'],
      ['apply/', 'patch'],
    ] as const) {
      using bed = openBed(inDialect(dialect, folder, name));
      const { code, out } = bed.gatehouse('check', '.');
      assert.match(out, /reserved for a built-in tool/);
      assert.deepEqual([code, bed.gatehouse('accept', '.').code], [1, 1]);
      const exported = bed.gatehouse('tools', 'export', '--openai', '.');
      assert.equal(exported.code, 1);
    }
  });

  test(`${dialect}: rules stored for an id with the name of the clone still hold`, () => {
    using bed = openBed(inDialect(dialect, '', 'x'), 'clone');
    accepted(bed);
    const rule = (action: string) => [{ permission: 'clone_x', pattern: '*', action }];
    const run = (action: string) =>
      JSON.parse(
        bed.gatehouse(
          ...['call', 'workspace_x', '{}', '--workspace', bed.workspace],
          ...['--rules', JSON.stringify(rule(action))],
        ).out,
      );
    assert.equal(run('allow').type, 'output');
    assert.match(run('deny').error_text, /workspace_x \*/);
  });
}

test("a manifest's own name is the source of its ids", () => {
  using bed = openBed({
    ...inDialect('compozy', 'a/', 'x'),
    'a/compozy.yaml': 'name: shop\n',
  });
  assert.deepEqual(accepted(bed), ['shop_x']);
});

test('accept refuses what the loader would: two manifests with one id', () => {
  using bed = openBed({
    ...inDialect('agentcli', 'a/b/', 'x'),
    ...inDialect('agentcli', 'a_b/', 'x'),
  });
  const { code, err } = bed.gatehouse('accept', '.');
  assert.equal(code, 1);
  assert.match(err, /a_b\/tools\.json: has errors/);
});

test('two Compozy projects may have tools of the same id', () => {
  using bed = openBed({
    ...inDialect('compozy', 'a/', 'fmt'),
    ...inDialect('compozy', 'b/', 'fmt'),
  });
  assert.equal(bed.gatehouse('check', '.').code, 0);
  assert.deepEqual(accepted(bed), ['a_fmt', 'b_fmt']);
  assert.deepEqual(call(bed, 'b_fmt', { a: 1 }).data, { a: 1 });
});

test('VB-28 a pattern that leads out of the project is told though no tool file matched', () => {
  const include = ['/etc/*.yaml', '../x/*.yaml'];
  using bed = openBed({
    'compozy.yaml': `autoload:\n  enabled: true\n  include: ${JSON.stringify(include)}\n`,
  });
  for (const target of ['.', 'compozy.yaml']) {
    const { code, out } = bed.gatehouse('check', target);
    assert.equal(code, 1);
    assert.match(out, /INVALID_PATTERN: absolute paths not allowed: \/etc\/\*\.yaml/);
    assert.match(out, /INVALID_PATTERN: parent directory references not allowed: \.\.\/x/);
  }
  assert.equal(bed.gatehouse('accept', '.').code, 1);
});

test('a project file is validated as one when it is named', () => {
  using bed = openBed({ 'compozy.yaml': 'name: p\nworkflows: []\n' });
  const { code, out } = bed.gatehouse('check', 'compozy.yaml');
  assert.deepEqual([code, out], [0, 'compozy.yaml: ok (compozy, 0 tools)\n']);
});

test('an attachment without policy.caps is told by check, and not offered', () => {
  const { 'policy.caps': _, ...files } = inDialect('runloop', '', 'x');
  using bed = openBed(files);
  assert.match(bed.gatehouse('check', '.').out, /caps_empty: the tool is not offered/);
  accepted(bed);
  assert.match(call(bed, 'workspace_x', {}).error_text, /unknown tool/);
});

test('agent definitions are checked as sessions read them', () => {
  const good = '---\ndescription: d\n---\nDo it.\n';
  using bed = openBed({
    '.gatehouse/agents/good.md': good,
    '.gatehouse/agents/bad.md': '---\ndescription: d\ntoolz: []\n---\n',
    '.gatehouse/agents/utf.md': good,
  });
  writeFileSync(path.join(bed.workspace, '.gatehouse/agents/utf.md'), Buffer.from([0xff, 0xfe]));
  const { code, out } = bed.gatehouse('check', '.');
  assert.equal(code, 1);
  assert.match(out, /^\.gatehouse\/agents\/good\.md: ok \(agent\)$/m);
  assert.match(out, /bad\.md:1:1: error: .*toolz/);
  assert.match(out, /utf\.md:1:1: error: .*UTF-8/);
  for (const [name, expected] of Object.entries({ good: 0, bad: 1, utf: 1 })) {
    const file = `.gatehouse/agents/${name}.md`;
    assert.equal(bed.gatehouse('check', file).code, expected, file);
    assert.equal(bed.gatehouse('accept', file).code, expected, file);
  }
});

test('a manifest that is named twice is one manifest', () => {
  using bed = openBed(oneTool({}));
  assert.equal(bed.gatehouse('accept', '.', 'tools.json').code, 0);
  assert.equal(bed.gatehouse('check', '.', 'tools.json').code, 0);
  const { code, out } = bed.gatehouse('tools', 'export', '--openai', '.', 'tools.json');
  assert.deepEqual([code, JSON.parse(out).length], [0, 1]);
});

test('a folder of agents that cannot be listed is an error of check', () => {
  using bed = openBed({ '.gatehouse/x': '' });
  symlinkSync('agents', path.join(bed.workspace, '.gatehouse/agents'));
  const { code, out } = bed.gatehouse('check', '.');
  assert.equal(code, 1);
  assert.match(out, /^\.gatehouse\/agents:1:1: error: .*ELOOP/m);
});

test('enums of TypeScript work in an entry point', () => {
  using bed = openBed({
    'compozy.yaml': 'name: p\n',
    'fmt.yaml': 'resource: tool\nid: fmt\n',
    'tools.ts':
      'enum Color { Red = "red" }\nexport default { fmt: (): object => ({ color: Color.Red }) };\n',
  });
  accepted(bed);
  assert.deepEqual(call(bed, 'p_fmt', {}).data, { color: 'red' });
});

test('a missing Bun is told, and Node does not take its place', () => {
  using bed = openBed({
    'compozy.yaml': 'name: p\nruntime: { type: bun }\n',
    'fmt.yaml': 'resource: tool\nid: fmt\n',
    'tools.ts': PASS,
  });
  const text = /bun executable not found in PATH/;
  assert.match(bed.gatehouse('check', '.').out, text);
  accepted(bed);
  assert.match(call(bed, 'p_fmt', {}).error_text, /unknown tool/);
  const bin = path.join(bed.data, '../bin');
  mkdirSync(bin);
  bed.write({ 'compozy.yaml': 'name: p\nruntime: { type: deno }\n' });
  assert.match(
    bed.gatehouse('check', '.').out,
    /runtime\.type must be "bun" or "node" \(got "deno"\)/,
  );
});

test('VA-18 output that is no JSON value is passed on unchanged, with a finding', () => {
  using bed = openBed({
    ...oneTool(),
    'tools/bin/x': '#!/bin/sh\nprintf \'{"a":1}\\n{"b":2}\\n\'\n',
  });
  accepted(bed);
  const { data, metadata } = call(bed, 'workspace_x', {});
  assert.equal(data, '{"a":1}\n{"b":2}');
  assert.match(metadata.lint, /not a single JSON value\. It should print one line of JSON\./);
  bed.write({ 'tools/bin/x': '#!/bin/sh\necho 1\n' });
  accepted(bed);
  assert.equal(call(bed, 'workspace_x', {}).metadata.lint, undefined);
});

test('scaffold creates no tool that check refuses', () => {
  const names = ['fetch', 'x', 'bash', '-'];
  for (const dialect of DIALECTS) {
    for (const name of names) {
      using bed = openBed({}, 'w');
      mkdirSync(path.join(bed.workspace, 'web'));
      const more = ['--tool', name, '--command', '/bin/cat', '--non-interactive'];
      const made = bed.gatehouse(
        ...['scaffold', '--dialect', dialect, '--root', 'web'],
        ...(dialect === 'runloop' ? more : []),
        ...['--', dialect === 'runloop' ? 'web' : name],
      );
      const { out } = bed.gatehouse('check', '.');
      if (made.code === 0) assert.doesNotMatch(out, /error/, `${dialect} ${name}`);
      else assert.equal(out, 'no manifests found\n', `${dialect} ${name}: ${made.err}`);
    }
  }
});
