import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  readClientExtensions,
  readHostExtensions,
  toExtensions,
} from '../../../../src/acp/gatehouse/capabilities.ts';
import {
  CLIENT_NOTIFICATIONS,
  CLIENT_REQUESTS,
  HOST_REQUESTS,
} from '../../../../src/acp/gatehouse/methods.ts';
import { type Parser, toMeta, WireError } from '../../../../src/acp/gatehouse/parse.ts';
import {
  readOptionMeta,
  readPermissionMeta,
  readPermissionReplyMeta,
} from '../../../../src/acp/gatehouse/permission.ts';
import {
  readCompactionMeta,
  readDiffMeta,
  readElicitationMeta,
  readNoticeMeta,
  readPromptMeta,
  readSessionMeta,
  readToolCallMeta,
  readWriteMeta,
} from '../../../../src/acp/gatehouse/session.ts';
import {
  readSessionInfoMeta,
  readSessionListMeta,
} from '../../../../src/acp/gatehouse/sessionList.ts';
import { CLIENT_SAMPLES, HOST_SAMPLES, NOTIFICATION_SAMPLES } from './samples.ts';

const SOURCE = path.resolve(import.meta.dirname, '../../../../src');
const FILES = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .map((file) => file.split(path.sep).join('/'))
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => ({ file, text: readFileSync(path.join(SOURCE, file), 'utf8') }));

interface Case {
  readonly name: string;
  readonly parse: Parser<unknown>;
  readonly samples: readonly unknown[];
}

const RULE = { permission: 'bash', pattern: 'npm *', action: 'allow' } as const;

/** A reader of `_meta` as a parser of our part of it. */
function ofMeta(read: (holder: { _meta: { gatehouse: object } }) => unknown): Parser<unknown> {
  return (own) => read(toMeta(own as object));
}

const METAS: readonly Case[] = [
  {
    name: 'permission request',
    parse: ofMeta(readPermissionMeta),
    samples: [
      {
        askId: 'a',
        why: { layer: 'rules', reason: 'No.', rule: RULE, origin: { layer: 'user', file: '/u' } },
        subjects: [{ permission: 'bash', target: 'ls', decision: 'ask' }],
        command: 'ls',
      },
    ],
  },
  {
    name: 'permission option',
    parse: ofMeta(readOptionMeta),
    samples: [{ scope: 'user', rule: RULE, rules: [RULE, RULE], alsoMatches: ['npm i'] }],
  },
  {
    name: 'permission reply',
    parse: ofMeta(readPermissionReplyMeta),
    samples: [
      { reason: 'No.', editedInput: { a: 1 } },
      {
        approved: [
          { path: '/a', text: 'x' },
          { path: '/b', text: null },
        ],
      },
      { approved: [] },
    ],
  },
  {
    name: 'session',
    parse: ofMeta(readSessionMeta),
    samples: [{ agent: 'reviewer', approval: 'readOnly' }],
  },
  {
    name: 'tool call',
    parse: ofMeta(readToolCallMeta),
    samples: [{ rule: RULE, rules: [RULE], layer: 'rules', command: 'ls', ended: 'denied' }],
  },
  {
    name: 'diff',
    parse: ofMeta(readDiffMeta),
    samples: [{ line: 3, partial: true, deleted: true, beforeHash: 'h' }],
  },
  {
    name: 'listed session',
    parse: ofMeta(readSessionInfoMeta),
    samples: [
      { v: 1, state: 'idle', title: 'Mail', pinned: false, archived: true, updatedAt: 7 },
      { v: 1, state: 'retrying', pinned: true, archived: false, updatedAt: 7, parentId: 'p' },
    ],
  },
  { name: 'session list', parse: ofMeta(readSessionListMeta), samples: [{ archived: true }] },
  { name: 'prompt', parse: ofMeta(readPromptMeta), samples: [{ queueId: 'q' }] },
  { name: 'write', parse: ofMeta(readWriteMeta), samples: [{ baseVersion: 4 }] },
  { name: 'elicitation', parse: ofMeta(readElicitationMeta), samples: [{ askId: 'a' }] },
  {
    name: 'compaction',
    parse: ofMeta(readCompactionMeta),
    samples: [{ messages: 8, outputs: 2, auto: true }],
  },
  {
    name: 'notice',
    parse: ofMeta(readNoticeMeta),
    samples: [{ retry: { attempt: 1, maxAttempts: 2, at: 0, reason: 'R.', kind: 'other' } }],
  },
];

const CASES: readonly Case[] = [
  ...toCases(HOST_REQUESTS, HOST_SAMPLES),
  ...toCases(CLIENT_REQUESTS, CLIENT_SAMPLES),
  ...Object.entries(CLIENT_NOTIFICATIONS).map(([name, { params }]) => ({
    name,
    parse: params,
    samples: NOTIFICATION_SAMPLES[name as keyof typeof NOTIFICATION_SAMPLES],
  })),
  ...METAS,
];

function toCases<Name extends string>(
  requests: Readonly<Record<Name, { params: Parser<unknown>; result: Parser<unknown> }>>,
  samples: Readonly<Record<Name, { params: readonly unknown[]; results: readonly unknown[] }>>,
): readonly Case[] {
  return Object.entries<{ params: Parser<unknown>; result: Parser<unknown> }>(requests).flatMap(
    ([name, { params, result }]) => {
      const own = samples[name as Name];
      return [
        { name: `${name} params`, parse: params, samples: own.params },
        { name: `${name} result`, parse: result, samples: own.results },
      ];
    },
  );
}

test('only the wire files name a method', () => {
  const others = FILES.filter(
    ({ file, text }) => text.includes('_gatehouse/') && !file.startsWith('acp/gatehouse/'),
  );
  assert.deepEqual(
    others.map(({ file }) => file),
    [],
  );
});

test('only the wire files take our part of _meta apart', () => {
  const broken = FILES.filter(
    ({ file, text }) =>
      /_meta\??\.?\[['"]gatehouse|gatehouse: \{/.test(text) && !file.startsWith('acp/'),
  );
  assert.deepEqual(
    broken.map(({ file }) => file),
    [],
  );
});

test('each method is called by one side and served by the other', () => {
  const callers = (name: string, folder: string) =>
    FILES.filter(
      ({ file, text }) =>
        file.startsWith(folder) &&
        new RegExp(`(?:\\.call|requestClient|notifyClient)\\([^;]*?'${name}'`).test(text),
    );
  for (const name of Object.keys(CLIENT_REQUESTS)) {
    assert.ok(callers(name, 'host/').length > 0, `the host never calls ${name}`);
  }
  for (const name of Object.keys(CLIENT_NOTIFICATIONS)) {
    assert.ok(callers(name, 'host/').length > 0, `the host never sends ${name}`);
  }
  const uncalled = Object.keys(HOST_REQUESTS).filter(
    (name) => callers(name, 'extension/').length === 0,
  );
  assert.deepEqual(uncalled, SERVED_FOR_OTHERS);
});

/** Requests that the host serves but our own editor does not call. */
const SERVED_FOR_OTHERS = ['pending', 'compact', 'queue', 'editQueued'];

test('no two methods share a name', () => {
  const names = [HOST_REQUESTS, CLIENT_REQUESTS, CLIENT_NOTIFICATIONS].flatMap((table) =>
    Object.values(table).map(({ method }) => method),
  );
  assert.equal(new Set(names).size, names.length);
});

for (const { name, parse, samples } of CASES) {
  test(`${name}: what is sent is what is read`, () => {
    for (const sample of samples) assert.deepEqual(parse(sample), sample);
  });

  test(`${name}: any value is read whole or is one typed error, and what was read reads again`, () => {
    const broken = samples.flatMap((sample) => [fc.constant(sample), breakOne(sample)]);
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.jsonValue(), ...broken), (value) => {
        let parsed: unknown;
        try {
          parsed = parse(value);
        } catch (error) {
          assert.ok(error instanceof WireError, String(error));
          assert.ok(error.message.includes(error.problem) && error.problem.endsWith('.'));
          return;
        }
        assert.deepEqual(parse(parsed), parsed);
      }),
      { numRuns: 200 },
    );
  });
}

/** The sample with one value somewhere in it replaced. */
function breakOne(sample: unknown): fc.Arbitrary<unknown> {
  const paths = toPaths(sample);
  return fc
    .tuple(fc.constantFrom(...paths), fc.anything())
    .map(([at, value]) => replaceAt(sample, at, value));
}

function toPaths(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [[]];
  const inside = Object.entries(value).flatMap(([key, each]) =>
    toPaths(each).map((rest) => [key, ...rest]),
  );
  return [[], ...inside];
}

function replaceAt(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  const inner = replaceAt(Reflect.get(Object(value), key), rest, by);
  if (!Array.isArray(value)) return { ...Object(value), [key]: inner };
  return value.map((each, index) => (String(index) === key ? inner : each));
}

/** The error for an invalid message names the field. */
function check(what: string, parse: () => unknown, field: string, problem: string) {
  test(what, () => {
    assert.throws(parse, { name: 'WireError', field, problem });
  });
}

const SNAPSHOT = HOST_SAMPLES.configure.params[0];
check(
  'a relative folder is named by its place',
  () =>
    HOST_REQUESTS.configure.params({
      ...SNAPSHOT,
      workspace: { ...SNAPSHOT.workspace, roots: ['/w', 'src'] },
    }),
  'workspace.roots[1]',
  'Must be an absolute path.',
);
check(
  'a snapshot names its workspace',
  () => HOST_REQUESTS.configure.params({}),
  'workspace',
  'Must be an object.',
);
check(
  'an unknown destination is no destination',
  () => CLIENT_REQUESTS.saveRule.params({ rule: RULE, destination: 'session' }),
  'destination',
  'Must be one of workspace, user.',
);
check(
  'the rule that is kept has an action',
  () => CLIENT_REQUESTS.saveRule.params({ rule: { ...RULE, action: 'yes' }, destination: 'user' }),
  'rule.action',
  'Must be one of allow, ask, deny.',
);
check(
  'a message that is no object has no field to name',
  () => HOST_REQUESTS.accept.params([]),
  '',
  'Must be an object.',
);
check(
  'a field of the prototype is no field',
  () => CLIENT_REQUESTS.secret.params(Object.create({ id: 'model/x' })),
  'id',
  'Must be a string.',
);

test('a snapshot without a trust field is untrusted', () => {
  const { workspace } = HOST_REQUESTS.configure.params({ workspace: {} });
  assert.deepEqual(workspace, { roots: [], adHoc: [], trusted: false });
});

test('a rule whose origin cannot be read counts as the workspace’s', () => {
  const { rules } = HOST_REQUESTS.configure.params({
    workspace: {},
    rules: [{ ...RULE, origin: { layer: 'default', index: 'x' } }, { ...RULE, origin: 7 }, RULE],
  });
  assert.deepEqual(
    rules.map(({ origin }) => origin),
    [0, 1, 2].map((index) => ({ layer: 'workspace', index })),
  );
});

test('capabilities of another version are ignored', () => {
  const own = { explain: true };
  assert.deepEqual(readHostExtensions(toExtensions(own)), own);
  assert.equal(readHostExtensions({ _meta: { gatehouse: { v: 2, explain: true } } }), undefined);
  assert.equal(readClientExtensions(undefined), undefined);
  assert.deepEqual(readClientExtensions({ _meta: { gatehouse: { v: 1, secret: 'yes' } } }), {});
});

test('invalid informative fields of an update are dropped', () => {
  for (const own of [5, 'x', [], true]) {
    const holder = { _meta: { gatehouse: own } };
    assert.deepEqual(
      [readToolCallMeta(holder), readDiffMeta(holder), readNoticeMeta(holder)],
      [{}, {}, {}],
    );
  }
});
