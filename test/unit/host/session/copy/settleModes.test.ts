import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { success } from '../../../../../src/base/outcome.ts';
import type { AskRequest } from '../../../../../src/gate/ask.ts';
import { settleCopy } from '../../../../../src/host/session/copy/settleCopy.ts';
import type { Policy } from '../../../../../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../../../../../src/permissions/rules/policyCompiler.ts';
import { CONTENT_LIMITS } from '../../../../../src/recorder/entries.ts';
import { createReadGit } from '../../../../../src/runtime/commands/readGit.ts';
import { DEFAULT_LIMITS } from '../../../../../src/runtime/limits.ts';
import { createRuntime } from '../../../../../src/runtime/local/createRuntime.ts';
import { readChanges } from '../../../../../src/runtime/sandbox/changes/readChanges.ts';
import { removeFolder } from '../../../../../src/runtime/sandbox/folders.ts';

/** Modes count for users other than root only. */
const OTHER = 65_534;
const TXT = {
  permission: 'fs.write',
  pattern: '**/*.txt',
  action: 'allow',
  source: 'session',
} as const;

type Fill = (at: (name: string) => string) => void;

interface SettleOptions {
  readonly rules?: Policy['rules'];
  readonly failed?: boolean;
  /** What happens in the workspace while the user is asked. */
  readonly during?: Fill;
}

interface Settled {
  readonly settled: Awaited<ReturnType<typeof settleCopy>>;
  readonly asked: readonly string[];
  mode(name: string): string;
  read(name: string): string;
}

/** Settles what differs between the folders that these fill, as an ordinary user. */
async function settle(
  t: TestContext,
  own: Fill,
  upper: Fill,
  { rules = [], failed = false, during }: SettleOptions = {},
): Promise<Settled> {
  const base = mkdtempSync(path.join(realpathSync(tmpdir()), 'gatehouse-modes-'));
  t.after(() => removeFolder(base));
  const [workspace, copy] = [path.join(base, 'workspace'), path.join(base, 'upper')];
  const at = (folder: string) => (name: string) => path.join(folder, name);
  for (const folder of [workspace, copy]) mkdirSync(folder);
  own(at(workspace));
  // The workspace's own entries have to be older than those of the copy.
  give(base);
  upper(at(copy));
  give(copy);
  const parts = createParts(base, workspace, rules);
  const asked: string[] = [];
  const listed = { folder: workspace, upper: copy, since: BigInt(2 ** 62), first: BigInt(2 ** 62) };
  const work = async () => {
    const read = await readChanges(
      { ...listed, had: () => undefined, listMerged: async (all) => listAll(all, workspace) },
      new AbortController().signal,
    );
    const held = {
      start: () => assert.fail('nothing is run'),
      report: () => undefined,
      changes: async () => success({ files: read?.changes ?? [], git: [] }),
      drop: async () => success(undefined),
      reset: async () => undefined,
      release: () => undefined,
    };
    const ask = async ({ entries = [], preview }: AskRequest) => {
      asked.push(...(preview?.changes ?? []).map((each) => path.relative(workspace, each.path)));
      asked.push(...entries.map(({ text }) => text));
      during?.(at(workspace));
      return { outcome: 'allow' } as const;
    };
    const context = { ...parts.context, ask };
    return settleCopy({ ...parts, held, context }, { failed, output: '' });
  };
  const settled = await asOther(work);
  return {
    ...{ settled, asked },
    mode: (name) => (statSync(at(workspace)(name)).mode & 0o7777).toString(8),
    read: (name) => readFileSync(at(workspace)(name), 'utf8'),
  };
}

function createParts(base: string, workspace: string, rules: Policy['rules']) {
  const folders = {
    ...{ workspace: [workspace], adHoc: [], cwd: workspace },
    ...{ state: path.join(base, 'state'), sidecars: path.join(base, 'sidecars') },
  };
  const policy: Policy = {
    ...{ rules, folders, shell: 'bash', platform: process.platform, headless: false },
    readGit: createReadGit([workspace]),
  };
  const local = createRuntime({
    ...{ folders: () => folders, limits: () => DEFAULT_LIMITS, shell: 'bash', env: process.env },
    session: { id: 's1', setTodo: () => undefined, count: () => 1 },
  });
  return {
    ...{ toolCallId: 'c1', title: 'make', signal: new AbortController().signal },
    contentRoom: () => ({ ...CONTENT_LIMITS, unreviewed: CONTENT_LIMITS.session }),
    context: { sessionId: 's1', policy: () => policy, compiler: createPolicyCompiler() },
    runtime: (gate: Parameters<typeof local.diskRuntime>[3], signal: AbortSignal) =>
      local.diskRuntime('c1', signal, () => undefined, gate),
  };
}

/** What a copy would show: nothing of it is deleted. */
function listAll(folders: readonly Buffer[], workspace: string): Buffer {
  const all = readdirSync(workspace, { recursive: true, encoding: 'utf8' });
  return Buffer.from([...folders, ...all.map((name) => path.join(workspace, name))].join('\0'));
}

function give(base: string): void {
  if (process.geteuid?.() !== 0) return;
  const names = readdirSync(base, { recursive: true, encoding: 'utf8' });
  for (const name of ['', ...names]) chownSync(path.join(base, name), OTHER, OTHER);
}

async function asOther<Value>(work: () => Promise<Value>): Promise<Value> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(OTHER);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

function write(file: string, text: string, mode = 0o644): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
}

for (const failed of [false, true]) {
  const how = failed ? 'failed' : 'ended well';
  test(`the mode of a new folder is asked about together with its files and set, after a command that ${how}`, async (t) => {
    const run = await settle(
      t,
      () => undefined,
      (at) => {
        write(at('private/key.txt'), 'key\n');
        write(at('other.txt'), 'x\n');
        chmodSync(at('private'), 0o700);
      },
      { rules: [TXT], failed },
    );
    assert.deepEqual(run.asked, ['private/key.txt', '`private`: new folder, mode 700']);
    assert.deepEqual(run.settled, { type: 'kept', files: 3, notes: [], reviews: [] });
    assert.deepEqual([run.mode('private'), run.read('private/key.txt')], ['700', 'key\n']);
    assert.equal(run.read('other.txt'), 'x\n');
  });
}

test('a folder that passes its group on runs nothing, so that a rule may allow it', async (t) => {
  const run = await settle(
    t,
    () => undefined,
    (at) => {
      write(at('shared/a.txt'), 'a\n');
      chmodSync(at('shared'), 0o2755);
    },
    { rules: [{ ...TXT, pattern: '**' }] },
  );
  assert.deepEqual(run.asked, []);
  assert.equal(run.mode('shared'), '2755');
});

test('what a command made writable is written once the user has allowed both', async (t) => {
  const run = await settle(
    t,
    (at) => {
      write(at('file'), 'old\n', 0o444);
      write(at('closed/in'), 'old\n');
      chmodSync(at('closed'), 0o555);
    },
    (at) => {
      write(at('file'), 'new\n');
      write(at('closed/new'), 'new\n');
      write(at('a'), 'a\n');
    },
  );
  assert.deepEqual(run.settled, { type: 'kept', files: 4, notes: [], reviews: [] });
  assert.deepEqual(['file', 'closed/new', 'a'].map(run.read), ['new\n', 'new\n', 'a\n']);
  assert.deepEqual(['file', 'closed'].map(run.mode), ['644', '755']);
  assert.ok(run.asked.includes('`closed`: mode 555 → 755'));
});

test('what was made writable is read-only again where the texts can not be written', async (t) => {
  const run = await settle(
    t,
    (at) => {
      write(at('file'), 'old\n', 0o444);
      write(at('saved'), 'old\n');
    },
    (at) => {
      write(at('file'), 'new\n');
      write(at('saved'), 'new\n');
    },
    { during: (at) => writeFileSync(at('saved'), 'by the user\n') },
  );
  assert.ok(run.settled.type === 'kept');
  assert.equal(run.settled.files, 0);
  assert.match(run.settled.notes.join(), /saved changed while you waited.*Nothing was written/);
  assert.deepEqual(['file', 'saved'].map(run.read), ['old\n', 'by the user\n']);
  assert.equal(run.mode('file'), '444');
});

for (const [what, why, upper] of [
  [
    'changes a file that is read-only before and after',
    'It changes the read-only file `file`.',
    (at) => write(at('file'), 'new\n', 0o444),
  ],
  [
    'creates a file in a folder that is read-only before and after',
    'It creates `closed/new` in a read-only folder.',
    (at) => {
      write(at('closed/new'), 'new\n');
      chmodSync(at('closed'), 0o555);
    },
  ],
] as const satisfies readonly (readonly [string, string, Fill])[]) {
  test(`a command that ${what} asks to run for real, and nothing of it is written`, async (t) => {
    const run = await settle(
      t,
      (at) => {
        write(at('file'), 'old\n', 0o444);
        mkdirSync(at('closed'));
        chmodSync(at('closed'), 0o555);
      },
      (at) => {
        write(at('a'), 'a\n');
        upper(at);
      },
    );
    assert.deepEqual(run.settled, { type: 'forReal', why });
    assert.deepEqual(run.asked, []);
    assert.equal(run.read('file'), 'old\n');
  });
}
