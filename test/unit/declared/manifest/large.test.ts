import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { loadAccepted } from '../loading.ts';

/**
 * The longest that one load may keep the host's thread busy, as a multiple of a fixed piece of work that this
 * machine does beside it (about 30 ms of its CPU time): a slow or busy machine takes longer for both. A third of
 * this is what the largest takes.
 */
const THREAD_WORK = 60;

const names = (count: number, name = 'f') => Array.from({ length: count }, (_, at) => name + at);
const fields = (count: number, value: unknown) =>
  Object.fromEntries(names(count).map((name) => [name, value]));

const agentcli = (tools: readonly object[], more: object = {}) => ({
  'tools.json': JSON.stringify({ ...more, tools }),
});
const cat = (name: string, more: object = {}) => ({ name, command: ['/bin/cat'], ...more });
const runloop = (schemas: readonly unknown[], more: Readonly<Record<string, string>> = {}) => ({
  'tools.json': JSON.stringify({
    version: 1,
    tools: schemas.map((schema, at) => ({
      id: `t${at}`,
      description: 'd',
      transport: { kind: 'exec', command: '/bin/cat' },
      input_schema: schema,
      result_schema: { type: 'object' },
    })),
  }),
  'policy.caps': '[capabilities]\nexec = true\n',
  ...more,
});
const compozy = (text: string) => ({
  't.yaml': `resource: tool\nid: x\n${text}`,
  'compozy.yaml': 'name: p\n',
  'tools.ts': 'export default {};\n',
});
/** A Compozy tool with this entry point. */
const compozyEntry = (text: string) => ({ ...compozy(''), 'tools.ts': text });
const autoload = (include: readonly string[], more = '') => ({
  ...compozy(''),
  ...Object.fromEntries(names(50).map((name) => [`${name}.yaml`, 'a: 1\n'])),
  'compozy.yaml': `autoload: {enabled: true, include: ${JSON.stringify(include)}}\n${more}`,
});
const registry = { type: 'object', properties: fields(20_000, { type: 'string' }) };
const middle = { type: 'object', properties: fields(1_000, { type: 'string' }) };

/** Manifests that are large in each their own way: how many tools are offered, and what is reported last. */
const LARGE: Readonly<
  Record<string, readonly [files: Readonly<Record<string, string>>, tools: number, last: RegExp]>
> = {
  'unknown fields at the root': [
    agentcli([cat('x')], fields(100_000, 1)),
    1,
    /^99500 more warnings are not listed$/,
  ],
  'unknown fields of a tool': [
    agentcli([cat('x', fields(100_000, 1))]),
    1,
    /^99500 more warnings are not listed$/,
  ],
  'unknown keys of YAML': [
    compozy(`${names(10_000).join(': 1\n')}: 1\n`),
    0,
    /^9500 more errors are not listed$/,
  ],
  'YAML of more than its limit': [
    compozy(`config:\n${names(100_000, '  f').join(': 1\n')}: 1\n`),
    0,
    /longer than 131072 bytes/,
  ],
  'values repeated by aliases': [
    compozy(`config:\n  a: &a [${'1,'.repeat(40_000)}1]\n  b: [${'*a,'.repeat(90)}*a]\n`),
    0,
    /more than 500000 values/,
  ],
  'aliases of different values': [
    compozy(
      `config:\n  a:\n${names(5_500, '')
        .map((at) => `  - &a${at} x\n  - *a${at}\n`)
        .join('')}`,
    ),
    0,
    /more than 1000 aliases/,
  ],
  'numbers at the deepest level': [
    agentcli([cat('x')], {
      x: JSON.parse(`${'['.repeat(95)}${'1,'.repeat(400_000)}1${']'.repeat(95)}`),
    }),
    1,
    /unknown field "x"/,
  ],
  'repeated names': [
    { 'tools.json': `{"tools":[],${'"a":1,'.repeat(100_000)}"b":1}` },
    0,
    /^99499 more errors are not listed$/,
  ],
  'tools that each have warnings': [
    agentcli(
      names(5_000).map((name) => cat(name, { ...fields(8, 1), command: ['./tools/bin/no'] })),
    ),
    0,
    /more warnings are not listed$/,
  ],
  'tools with invalid schemas': [
    runloop(names(5_000).map(() => ({ properties: fields(20, { type: 'strnig' }) }))),
    0,
    /more errors are not listed$/,
  ],
  'one name for many tools': [
    agentcli(names(5_000, 'x_').map((name, at) => cat(at < 2_500 ? name : 'x'))),
    0,
    /more errors are not listed$/,
  ],
  'a large schema that many tools refer to': [
    runloop(
      names(200).map(() => ({ $ref: 'schema:big' })),
      { 'schemas/big.json': JSON.stringify(registry) },
    ),
    0,
    /input_schema is longer than 262144 characters with all that it refers to: the tool is not offered/,
  ],
  'a schema that too many tools refer to': [
    runloop(
      names(5_000).map(() => ({ $ref: 'schema:middle' })),
      { 'schemas/middle.json': JSON.stringify(middle) },
    ),
    161,
    /input_schema refers to too much: .* 4194304 characters/,
  ],
  'many patterns of autoload': [
    autoload(names(9_000, 'p*')),
    0,
    /autoload\.include has more than 200 patterns, counting each alternative of braces/,
  ],
  'a pattern of autoload with many alternatives': [
    autoload(['{a,b}'.repeat(24)]),
    0,
    /autoload\.include has more than 200 patterns, counting each alternative of braces/,
  ],
  'a large project with many folders': [
    {
      ...autoload(['none/*.yaml'], `x: [${'1,'.repeat(20_000)}1]\n`),
      ...Object.fromEntries(names(300).map((name) => [`${name}/a.yaml`, 'a: 1\n'])),
    },
    1,
    /^$/,
  ],
  'a command of many words': [
    agentcli([cat('x', { command: ['/bin/cat', ...names(300_000)] })]),
    0,
    /^parse manifest: the commands have more than 10000 words$/,
  ],
  'as many words as there may be': [
    agentcli(
      names(500).map((name) =>
        cat(name, { command: ['/bin/cat', ...names(19, `${name}/`), 'last'] }),
      ),
    ),
    500,
    /^$/,
  ],
  'an entry point that imports many packages': [
    compozyEntry(
      names(20_000)
        .map((name) => `import "${name}/part";`)
        .join('\n'),
    ),
    0,
    /^$/,
  ],
  'an entry point that imports many files': [
    compozyEntry(
      names(120_000)
        .map((name) => `import "./${name}";`)
        .join('\n'),
    ),
    0,
    /^$/,
  ],
  'an entry point of comments in comments': [
    compozyEntry('/* import /* x */ '.repeat(100_000)),
    1,
    /^$/,
  ],
  'many names that a configuration maps': [
    {
      ...compozyEntry(
        names(3_000)
          .map((name) => `import "@${name}";`)
          .join('\n'),
      ),
      'tsconfig.json': JSON.stringify({
        compilerOptions: { paths: fields(50_000, ['a', 'b', 'c']) },
      }),
    },
    0,
    /^$/,
  ],
  'references to schemas that are missing': [
    runloop(
      names(1_000).map((tool) => ({
        properties: Object.fromEntries(names(20, tool).map((id) => [id, { $ref: `schema:${id}` }])),
      })),
    ),
    0,
    /unresolved \$ref|more warnings are not listed/,
  ],
};

for (const [what, [files, tools, last]] of Object.entries(LARGE)) {
  test(`a large manifest keeps the thread of the host busy for a bounded time: ${what}`, async () => {
    const { offered, messages, work } = await load(files);
    assert.match(messages.at(-1) ?? '', last);
    assert.equal(offered, tools);
    assert.ok(messages.length <= 7_000, `${messages.length} diagnostics`);
    assert.ok(work < THREAD_WORK, `${work.toFixed(1)} times the fixed work`);
  });
}

async function load(files: Readonly<Record<string, string>>) {
  const root = mkdtempSync(path.join(tmpdir(), 'large-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
      writeFileSync(path.join(root, name), text);
    }
    const fixed = threadTime();
    doFixedWork();
    const before = threadTime();
    const { tools, diagnostics } = await loadAccepted(root);
    const work = (threadTime() - before) / (before - fixed);
    const messages = diagnostics.flatMap((each) => each.diagnostics.map(({ message }) => message));
    return { offered: tools.length, messages, work };
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Microseconds of CPU time of this thread. */
function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/** Of the kind that loading a manifest is: texts, objects, and collecting what is left of them. */
function doFixedWork(): void {
  const text = JSON.stringify(fields(20_000, { type: 'string' }));
  for (let round = 0; round < 2; round++) JSON.parse(text);
}
