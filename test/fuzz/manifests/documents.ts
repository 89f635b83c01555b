import fc from 'fast-check';
import { stringify } from 'yaml';
import { toDigest } from '../../../src/declared/runloop/parseBundle.ts';
import { args, junk, schema } from './values.ts';

/** A workspace with one manifest or some, and the arguments for a call of one of their tools. */
export interface Case {
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly args: unknown;
}

type Files = Record<string, string | Uint8Array>;

/** The first value, and now and then another. */
function mostly<Value>(first: Value, ...others: readonly Value[]): fc.Arbitrary<Value> {
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant(first) },
    { weight: others.length, arbitrary: fc.constantFrom(...others) },
  );
}

const name = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom('x', 'y', 'fmt', 'a-b', 'mail', 'z', 'fetch'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 70 }) },
);
const folder = fc.constantFrom('', '', 'web/', 'apply/', 'ключ/', 'a b/c/', 'web/web/');

/** Changes one place of a value, now and then. */
function spoiled(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const where = fc.array(fc.nat(5), { maxLength: 5 });
  const change = fc.oneof(
    { weight: 9, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.tuple(where, junk) },
  );
  return fc.tuple(value, change).map(([whole, change]) => {
    if (change === null) return whole;
    const [path, bad] = change;
    return replaceAt(whole, path, bad);
  });
}

function replaceAt(value: unknown, [at, ...rest]: readonly number[], bad: unknown): unknown {
  if (at === undefined || typeof value !== 'object' || value === null) return bad;
  const keys = Object.keys(value);
  const key = keys[at % Math.max(1, keys.length)] ?? 'extra';
  const inner = replaceAt(Reflect.get(value, key), rest, bad);
  if (Array.isArray(value))
    return value.map((each, index) => (String(index) === key ? inner : each));
  return { ...value, [key]: inner };
}

/** Damages a text, now and then. */
function damaged(text: string, how: number, at: number): string | Uint8Array {
  const cut = at % (text.length + 1);
  const head = text.slice(0, cut);
  const tail = text.slice(cut);
  const changes: readonly (string | Uint8Array)[] = [
    head,
    `${head}"\u0000${tail}`,
    `\ufeff${text}`,
    Buffer.concat([Buffer.from(head), Buffer.from([0xff, 0xfe]), Buffer.from(tail)]),
    `${head}${'['.repeat(3000)}${tail}`,
    `${head}\n&a [*a, *a]\n${tail}`,
    `${text}${text}`,
    text.replaceAll('"', "'"),
  ];
  return changes[how] ?? text;
}

const damage = fc.tuple(
  fc.oneof({ weight: 14, arbitrary: fc.constant(99) }, { weight: 1, arbitrary: fc.nat(7) }),
  fc.nat(5000),
);

const agentcliTool = fc.record(
  {
    name,
    description: fc.string(),
    schema,
    command: mostly<readonly string[]>(
      ['./tools/bin/cat'],
      ['./tools/bin/cat', '-u'],
      ['../x'],
      [],
    ),
    timeoutSec: mostly<unknown>(5, 0, -1, 1.5),
    envPassthrough: mostly<readonly string[]>(['TZ'], [], ['LD_PRELOAD'], ['1']),
  },
  { requiredKeys: ['name', 'command'] },
);

export const agentcli: fc.Arbitrary<Case> = fc
  .tuple(
    folder,
    spoiled(fc.record({ tools: fc.array(spoiled(agentcliTool), { maxLength: 3 }) })),
    damage,
    args,
  )
  .map(([where, value, [how, at], input]) => ({
    files: {
      [`${where}tools.json`]: damaged(JSON.stringify(value), how, at),
      [`${where}tools/bin/cat`]: '#!/bin/sh\nexec cat\n',
    },
    args: input,
  }));

const attachment = fc.record(
  {
    id: fc.oneof(name, fc.constantFrom('mail.send', 'a/b')),
    description: mostly('d', ''),
    transport: mostly<unknown>(
      { kind: 'exec', command: '/bin/cat' },
      { kind: 'http', method: 'GET', url: 'http://127.0.0.1:9/{a}' },
      { kind: 'exec', command: 'cat' },
      { kind: 'unix' },
    ),

    input_schema: schema,
    result_schema: schema,
    schema_refs: fc.constantFrom<unknown>({}, { none: { type: 'object' } }, { none: 'none' }),
    capabilities: mostly<readonly string[]>([], ['exec'], ['net:a.example'], ['odd']),
    secrets: fc.constantFrom<readonly string[]>([], ['runloop/a/b']),
    requires_confirmation: fc.boolean(),
  },
  { requiredKeys: ['id', 'description', 'transport', 'input_schema', 'result_schema'] },
);

const CAPS = ['[capabilities]\nexec = true\n', '[capabilities]\n', 'x', '', undefined] as const;
const BUNDLES = ['none', 'good', 'bad'] as const;

export const runloop: fc.Arbitrary<Case> = fc
  .tuple(
    folder,
    spoiled(
      fc.record({
        version: fc.constant(1),
        tools: fc.array(spoiled(attachment), { maxLength: 3 }),
      }),
    ),
    damage,
    mostly<string | undefined>(...CAPS),
    mostly<(typeof BUNDLES)[number]>(...BUNDLES),
    args,
  )
  .map(([where, value, [how, at], caps, bundle, input]) => {
    const text = damaged(JSON.stringify(value), how, at);
    const files: Files = { [`${where}tools.json`]: text };
    if (caps !== undefined) files[`${where}policy.caps`] = caps;
    const digest = bundle === 'good' ? toDigest(Buffer.from(text)) : '0'.repeat(64);
    if (bundle !== 'none') {
      const table = `[artifacts.tools]\npath = "tools.json"\nblake3 = "${digest}"\nversion = 1\n`;
      files[`${where}manifest.toml`] = `name = "mail"\n${table}`;
    }
    return { files, args: input };
  });

const compozyTool = fc.record(
  {
    resource: mostly('tool', 'agent', 'banana'),
    id: fc.oneof(
      { weight: 9, arbitrary: name },
      { weight: 1, arbitrary: fc.constantFrom('../x', 'a...b', 'cp__x', ' x ') },
    ),
    description: fc.string(),
    timeout: mostly('5s', '', '0s', 'soon'),
    input: fc.oneof(
      { weight: 15, arbitrary: schema },
      { weight: 1, arbitrary: fc.constant('none') },
    ),
    output: schema,
    with: fc.constantFrom<unknown>({ a: 'b' }, {}),
    env: mostly<unknown>({ A: 'b' }, { A: '{{ .env.NOPE }}' }, { LD_PRELOAD: 'x' }),
    config: fc.constantFrom<unknown>({ k: 1 }, {}),
  },
  { requiredKeys: ['resource', 'id'] },
);

const PROJECTS = [
  'name: p\n',
  'name: p\nruntime: { type: bun }\n',
  'autoload: { enabled: true, include: ["*.yaml"] }\n',
  'autoload: { enabled: true, include: ["/etc/*.yaml"] }\n',
  'runtime: { entrypoint: ../../x.ts }\n',
  '- 1\n',
  undefined,
] as const;
const ENTRIES = [
  'const f = (i: object) => i;\nexport default { x: f, y: f, fmt: f, mail: f, "a-b": f };\n',
  'enum E { A = 1 }\nexport default { x: () => E.A, fmt: () => { throw new Error("no"); } };\n',
  'export default {};\n',
  'import "./missing.ts";\n',
  undefined,
] as const;

export const compozy: fc.Arbitrary<Case> = fc
  .tuple(
    folder,
    fc.array(fc.tuple(spoiled(compozyTool), damage), { minLength: 1, maxLength: 2 }),
    mostly<string | undefined>(...PROJECTS),
    mostly<string | undefined>(...ENTRIES),
    args,
  )
  .map(([where, tools, project, entry, input]) => {
    const files: Files = {};
    for (const [index, [value, [how, at]]] of tools.entries())
      files[`${where}t${index}.yaml`] = damaged(stringify(value), how, at);
    if (project !== undefined) files[`${where}compozy.yaml`] = project;
    if (entry !== undefined) files[`${where}tools.ts`] = entry;
    return { files, args: input };
  });
