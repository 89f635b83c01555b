import assert from 'node:assert/strict';
import {
  chownSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { success } from '../../../src/base/outcome.ts';
import type { EntryChange, EntryRecord } from '../../../src/runtime/entries.ts';
import { createJournal } from '../../../src/runtime/files/journal.ts';
import { createEntries, toEntryState } from '../../../src/runtime/local/entries.ts';
import { toHash } from '../../../src/runtime/local/entryVersions.ts';
import type { Gate } from '../../../src/runtime/runtime.ts';

const GATE: Gate = {
  realPath: () => undefined,
  authorize: async () => success(undefined),
  authorizeAddress: async () => success(undefined),
  filterBelow: () => undefined,
};

function start(context: TestContext, note: (change: EntryRecord) => () => void) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'gatehouse-entries-')));
  context.after(() => rmSync(folder, { recursive: true }));
  const { signal } = new AbortController();
  const journal = createJournal(path.join(folder, 'state'));
  const at = (name: string) => path.join(folder, name);
  return { at, entries: createEntries({ gate: GATE, journal, signal, note }) };
}

const AFTER = {
  'the removal of a file': { type: 'none' },
  'a link': { type: 'link', target: 'x' },
  'new content': { type: 'file', content: Buffer.from('new\0') },
} satisfies Record<string, EntryChange['after']>;

for (const [what, after] of Object.entries(AFTER)) {
  test(`what another process writes while ${what} is noted is not replaced`, async (context) => {
    let dropped = 0;
    const { at, entries } = start(context, ({ path: file }) => {
      writeFileSync(file, 'from another process');
      return () => {
        dropped += 1;
      };
    });
    const file = at('a.bin');
    writeFileSync(file, 'old\0');
    const bytes = readFileSync(file);
    const before = toEntryState(lstatSync(file));
    const changed = await entries.change({ path: file, before, bytes, after });
    assert.match(changed.ok ? 'changed' : changed.error, /a\.bin changed while you waited/);
    assert.equal(readFileSync(file, 'utf8'), 'from another process');
    assert.equal(dropped, 1);
  });
}

test('what another process creates while a change is noted is not replaced', async (context) => {
  const { at, entries } = start(context, ({ path: file }) => {
    writeFileSync(file, 'from another process');
    return () => undefined;
  });
  for (const after of [
    { type: 'link', target: 'x' },
    { type: 'folder', mode: 0o755 },
  ] as const) {
    const file = at(after.type);
    const changed = await entries.change({ path: file, before: undefined, after });
    assert.match(changed.ok ? 'changed' : changed.error, /changed while you waited/);
    assert.equal(readFileSync(file, 'utf8'), 'from another process');
  }
});

/** A user other than root, who can write a read-only file. */
const OTHER = 65_534;

/** Runs the work as a user who may not write read-only files; false where this process can't become one. */
async function asOther(folder: string, work: () => Promise<void>): Promise<boolean> {
  if (process.geteuid?.() !== 0) return work().then(() => true);
  for (const each of [folder, ...readdirSync(folder).map((name) => path.join(folder, name))]) {
    chownSync(each, OTHER, OTHER);
  }
  try {
    process.seteuid?.(OTHER);
  } catch {
    return false;
  }
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
  return true;
}

test('a file that the change made read-only gets its content and mode back, or stays read-only', async (context) => {
  const { at, entries } = start(context, () => () => undefined);
  writeFileSync(at('a.bin'), 'new\0', { mode: 0o444 });
  writeFileSync(at('b.bin'), 'new\0', { mode: 0o444 });
  const mode = (file: string) => lstatSync(file).mode & 0o7777;
  const undo = (file: string) => {
    const before = { type: 'file', mode: 0o644, hash: 'x', content: Buffer.from('old\0') } as const;
    const after = { type: 'file', mode: 0o444, hash: toHash(readFileSync(file)) } as const;
    const undoing = entries.toUndoing({ path: file, before, after });
    assert.ok(typeof undoing === 'object');
    return undoing;
  };
  const ran = await asOther(at(''), async () => {
    assert.ok((await entries.change(undo(at('a.bin')))).ok);
    assert.deepEqual([readFileSync(at('a.bin'), 'utf8'), mode(at('a.bin'))], ['old\0', 0o644]);
    // The journal can't be written, so nothing is.
    rmSync(at('state'), { recursive: true, force: true, maxRetries: 5 });
    writeFileSync(at('state'), '');
    assert.equal((await entries.change(undo(at('b.bin')))).ok, false);
    assert.deepEqual([readFileSync(at('b.bin'), 'utf8'), mode(at('b.bin'))], ['new\0', 0o444]);
  });
  if (!ran) context.diagnostic('applies only where this process may become another user');
});

test('a name as long as the system takes is written, in any script', async (context) => {
  const { at, entries } = start(context, () => () => undefined);
  // 255 bytes.
  const [name, link] = ['中'.repeat(85), '文'.repeat(85)];
  const after = { type: 'file', content: Buffer.from('new\0') } as const;
  assert.ok((await entries.change({ path: at(name), before: undefined, after })).ok);
  const linked = { type: 'link', target: name } as const;
  assert.ok((await entries.change({ path: at(link), before: undefined, after: linked })).ok);
  assert.equal(readFileSync(at(link), 'utf8'), 'new\0');
});
