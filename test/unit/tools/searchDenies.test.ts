import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { OpenDocument } from '../../../src/base/openDocument.ts';
import type { AskUser } from '../../../src/gate/ask.ts';
import { DEFAULT_RULES } from '../../../src/permissions/defaults/defaults.ts';
import { ALLOW_ALL, type Bed, openBed } from './bed.ts';
import { dataOf, openSession, type SessionOptions } from './session.ts';

// A search that is allowed in a folder shows nothing of what a call about the file alone is denied.

const FILES = [
  'a.ts',
  'docs/b.md',
  'docs/.env',
  '.env',
  'secrets/key',
  'secrets/open/c',
  'x/y.pem',
];

/** Lines as `permission pattern action`, on top of a blanket allow. */
function check(rules: readonly string[], names: readonly string[], contents = names): void {
  for (const [tool, expected] of [
    ['glob', names],
    ['grep', contents],
  ] as const) {
    test(`${tool} shows ${expected.join(', ')} under ${rules.join(', ')}`, async () => {
      using bed = plant();
      const own = rules.map((line) => {
        const [permission, pattern, action] = line.split(' ');
        return { permission, pattern, action };
      });
      assert.deepEqual(await search(bed, tool, { rules: [...ALLOW_ALL, ...own] }), expected);
    });
  }
}

const ALL = FILES.toSorted();
const without = (...names: readonly string[]) => ALL.filter((name) => !names.includes(name));
const NO_SECRETS = without('secrets/key', 'secrets/open/c');

check(['fs.read nothing deny'], ALL);
for (const pattern of [
  'secrets',
  'secrets/',
  'secrets/**',
  '**/secrets/**',
  '{workspace}/secrets',
]) {
  check([`fs.read ${pattern} deny`], NO_SECRETS);
}
check(['* secrets/** deny'], NO_SECRETS);
check(['fs.* secrets/** deny'], NO_SECRETS);
check(['g* secrets/** deny'], NO_SECRETS);
check(['fs.read **/.env deny'], without('.env', 'docs/.env'));
check(['fs.read **.env deny'], without('.env', 'docs/.env'));
check(['fs.read .env deny'], without('.env'));
check(['fs.read *.pem deny'], ALL);
check(['fs.read **/*.pem deny'], without('x/y.pem'));
check(['fs.read **/[xy]/* deny'], without('x/y.pem'));
check(['fs.read secrets/** deny', 'fs.read secrets/open/** allow'], without('secrets/key'));
// Who may not list a file may search it, and the other way round; `read` is about what it holds.
check(['glob secrets/** deny'], NO_SECRETS, ALL);
check(['grep secrets/** deny'], ALL, NO_SECRETS);
check(['read secrets/** deny'], ALL, NO_SECRETS);
// What asks before it is read is not shown by a search that nobody was asked about.
check(['read secrets/** ask'], ALL, NO_SECRETS);
check(['read secrets/** ask', 'read secrets/open/** allow'], ALL, without('secrets/key'));
check(['* secrets/** ask', 'grep secrets/** allow'], NO_SECRETS, ALL);
check(['read secrets/** ask', 'grep secrets/** allow'], ALL);
check(['read secrets/** ask', 'grep ** allow'], ALL, NO_SECRETS);
check(['fs.write secrets/** deny'], ALL);
// Nobody is there to be asked.
check(['fs.read secrets/** ask'], NO_SECRETS);

test('a user who said yes to a search sees what asks by the same rule, and never what is denied', async () => {
  using bed = plant();
  const rules = [
    { permission: '*', pattern: '*', action: 'ask' },
    { permission: 'fs.read', pattern: '**/.env', action: 'ask' },
    { permission: 'fs.read', pattern: 'secrets/**', action: 'deny' },
  ];
  const asked: string[] = [];
  const ask: AskUser = async ({ decision }) => {
    asked.push(decision.reason);
    return { outcome: 'allow' };
  };
  assert.deepEqual(await search(bed, 'glob', { rules, ask }), NO_SECRETS);
  const shown = NO_SECRETS.filter((name) => !name.endsWith('.env'));
  assert.deepEqual(await search(bed, 'grep', { rules, ask }), shown);
  assert.doesNotMatch(asked.join(), /\.env/, 'no request said that they are there');
});

test('a user who said yes to a search does not see what the shipped rules ask about', async () => {
  using bed = plant();
  const ask = async () => ({ outcome: 'allow' }) as const;
  const rules = [...DEFAULT_RULES, { permission: 'grep', pattern: '**', action: 'ask' }];
  const shown = ALL.filter((name) => !/\.(env|pem)$/.test(name));
  assert.deepEqual(await search(bed, 'grep', { rules, ask }), shown);
});

for (const action of ['ask', 'deny'] as const) {
  test(`a search of a single file is decided by a rule for read with ${action}`, async () => {
    using bed = plant();
    const asked: string[] = [];
    const ask: AskUser = async ({ decision }) => {
      asked.push(decision.reason);
      return { outcome: 'allow' };
    };
    const rules = [...DEFAULT_RULES, { permission: 'read', pattern: 'secrets/**', action }];
    await using session = openSession(bed, { rules, ask });
    const envelope = await session.call('grep', { pattern: 'needle', path: 'secrets/key' });
    assert.equal(envelope.type, action === 'ask' ? 'output' : 'error');
    assert.deepEqual(
      asked,
      action === 'ask' ? ['The rule `read secrets/**` asks about `secrets/key`.'] : [],
    );
  });
}

test('a search with the shipped rules leaves out what a rule for read asks about', async () => {
  using bed = plant();
  const ask = async () => ({ outcome: 'reject' }) as const;
  const rules = [...DEFAULT_RULES, { permission: 'read', pattern: 'secrets/**', action: 'ask' }];
  const shown = NO_SECRETS.filter((name) => !/\.(env|pem)$/.test(name));
  assert.deepEqual(await search(bed, 'grep', { rules, ask }), shown);
});

test('a user who said yes to a file sees what is in it', async () => {
  using bed = plant();
  const ask = async () => ({ outcome: 'allow' }) as const;
  await using session = openSession(bed, { rules: [], ask });
  const found = dataOf(await session.call('grep', { pattern: 'needle', path: 'docs/.env' }));
  assert.deepEqual(found, { matches: [{ path: 'docs/.env', line: 1, text: 'needle' }] });
});

test('names are listed that a user would be asked about, what they hold is not shown', async () => {
  using bed = plant();
  const rules = [...ALLOW_ALL, { permission: 'fs.read', pattern: 'secrets/**', action: 'ask' }];
  const ask = async () => ({ outcome: 'reject' }) as const;
  assert.deepEqual(await search(bed, 'glob', { rules, ask }), ALL);
  assert.deepEqual(await search(bed, 'grep', { rules, ask }), NO_SECRETS);
});

test('a search stays inside the capability set below its folder', async () => {
  using bed = plant();
  const read = ['{workspace}', '{workspace}/docs/**', '{workspace}/*.ts'];
  const options = { rules: ALLOW_ALL, capabilities: { fs: { read } } };
  const expected = ['a.ts', 'docs/.env', 'docs/b.md'];
  assert.deepEqual(await search(bed, 'glob', options), expected);
  assert.deepEqual(await search(bed, 'grep', options), expected);
});

test('the state of the host is not listed from the folder around it', async () => {
  using bed = plant();
  mkdirSync(path.join(bed.data, 'state/sessions/other/out'), { recursive: true });
  for (const name of ['gatehouse.db', 'sessions/other/out/bash']) {
    writeFileSync(path.join(bed.data, 'state', name), 'needle\n');
  }
  writeFileSync(path.join(bed.data, 'open'), 'needle\n');
  const options = { rules: ALLOW_ALL, workspace: [bed.data] };
  assert.deepEqual(await search(bed, 'glob', options), ['open']);
  assert.deepEqual(await search(bed, 'grep', options), ['open']);
});

test('a folder behind a link is listed by the rules about both of its names', async () => {
  using bed = plant();
  symlinkSync('secrets', path.join(bed.workspace, 'link'));
  const rules = [...ALLOW_ALL, { permission: 'fs.read', pattern: 'link/key', action: 'deny' }];
  await using session = openSession(bed, { rules });
  for (const folder of ['link', 'secrets']) {
    const found = dataOf(await session.call('glob', { pattern: '**', path: folder }));
    assert.deepEqual(found['entries'], [`${folder}/open/c`]);
  }
});

test('the answer to a search is the same whatever a file that may not be read holds', async () => {
  const answers: unknown[] = [];
  for (const text of ['needle\n'.repeat(500), 'nothing\n']) {
    using bed = plant();
    writeFileSync(path.join(bed.workspace, 'secrets/key'), text);
    const rules = [...ALLOW_ALL, { permission: 'fs.read', pattern: 'secrets/**', action: 'deny' }];
    await using session = openSession(bed, { rules });
    for (const output of ['content', 'files', 'count']) {
      const input = { pattern: 'needle', include: '{key,*.ts}', output };
      const { data, type } = { data: undefined, ...(await session.call('grep', input)) };
      answers.push({ output, type, data });
    }
  }
  assert.deepEqual(answers.slice(0, 3), answers.slice(3));
});

test('a document in the editor is listed and searched by the same rules', async () => {
  using bed = plant();
  const at = (name: string): OpenDocument => {
    const file = path.join(bed.workspace, name);
    const facts = { dirty: true, version: 1, encoding: 'utf8', eol: '\n' } as const;
    return { path: null, uri: `untitled:${file}`, ...facts };
  };
  const documents = [at('secrets/new'), at('docs/new')];
  const client = {
    documents: async () => documents,
    readText: async () => 'needle\n',
    writeText: async () => {
      throw new Error('nothing is written here');
    },
  };
  const rules = [...ALLOW_ALL, { permission: 'fs.read', pattern: 'secrets/**', action: 'deny' }];
  const expected = [...NO_SECRETS, 'docs/new'].sort();
  assert.deepEqual(await search(bed, 'glob', { rules, runtime: { client } }), expected);
  assert.deepEqual(await search(bed, 'grep', { rules, runtime: { client } }), expected);
});

test('a search that only the watchdog asks about shows no file that rules ask about', async () => {
  using bed = plant();
  const rules = [...ALLOW_ALL, { permission: 'fs.read', pattern: '**/.env', action: 'ask' }];
  const asked: string[] = [];
  const options: SessionOptions = {
    rules,
    async ask({ decision }) {
      asked.push(decision.reason);
      return { outcome: 'allow' };
    },
    watchdog: async () => ({ action: 'ask', reason: 'The call was made three times.' }),
  };
  assert.deepEqual(await search(bed, 'grep', options), without('.env', 'docs/.env'));
  assert.deepEqual(asked, ['The call was made three times.']);
});

function plant(): Bed {
  const bed = openBed();
  for (const name of FILES) {
    mkdirSync(path.dirname(path.join(bed.workspace, name)), { recursive: true });
    writeFileSync(path.join(bed.workspace, name), 'needle\n');
  }
  return bed;
}

async function search(
  bed: Bed,
  tool: 'glob' | 'grep',
  options: SessionOptions,
): Promise<readonly string[]> {
  await using session = openSession(bed, options);
  const input = tool === 'glob' ? { pattern: '**' } : { pattern: 'needle', output: 'files' };
  const data = dataOf(await session.call(tool, { ...input, hidden: true }));
  const found: unknown = data[tool === 'glob' ? 'entries' : 'matches'];
  assert.ok(Array.isArray(found));
  return found.map(String).sort();
}
