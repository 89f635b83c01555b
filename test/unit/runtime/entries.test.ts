import assert from 'node:assert/strict';
import { lstatSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { success } from '../../../src/base/outcome.ts';
import type { EntryChange, EntryRecord } from '../../../src/runtime/entries.ts';
import { createJournal } from '../../../src/runtime/files/journal.ts';
import { createEntries, toEntryState } from '../../../src/runtime/local/entries.ts';
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
