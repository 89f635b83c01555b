import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { describeLost } from '../../../../../src/host/session/copy/describeLost.ts';
import type { OtherChange } from '../../../../../src/host/session/copy/otherChanges.ts';

const AFTER = { type: 'none' } as const;

test('a review names what Revert could not restore, before the user allows it', (t) => {
  const remove = inFolder(t);
  const [a, b, c] = [remove('a', 4), remove('b', 4), remove('c', 4)];
  const [session, unreviewed] = [100, 100];
  assert.equal(describeLost([a, b, c], { call: 12, session, unreviewed }), undefined);
  assert.equal(
    describeLost([a, b, c], { call: 11, session, unreviewed }),
    "If you allow `c`, Revert can't restore what was there: at most 64 MB of old contents are kept for each command.",
  );
  assert.match(
    String(describeLost([remove('d', 9), a, b], { call: 8, session, unreviewed })),
    /allow `d`,/,
  );
  assert.match(
    String(describeLost([a, b, c], { call: 11, session, unreviewed }, false)),
    /^Since rules allow `c`, Revert can't restore what was there/,
  );
  const many = ['1', '2', '3', '4', '5'].map((name) => remove(name, 9));
  assert.match(
    String(describeLost(many, { call: 8, session, unreviewed })),
    /allow `1`, `2`, `3` and 2 more,/,
  );
});

test('a review says when older commands can no longer be reverted because of it', (t) => {
  const remove = inFolder(t);
  assert.equal(describeLost([remove('a', 4)], { call: 10, session: 4, unreviewed: 9 }), undefined);
  assert.equal(
    describeLost([remove('a', 4)], { call: 10, session: 3, unreviewed: 4 }),
    'If you allow them, older commands of this chat may no longer be reverted: at most 256 MB of old contents are kept for each chat.',
  );
  assert.equal(
    describeLost([remove('a', 4)], { call: 10, session: 0, unreviewed: 3 }),
    'If you allow them, some changes of this chat that await your review can no longer be undone: at most 256 MB of old contents are kept for each chat.',
  );
});

test('modes, links and folders have no contents to lose', (t) => {
  const remove = inFolder(t);
  const { entry, ...mode } = remove('a', 4);
  const folder = path.dirname(entry.path);
  symlinkSync('a', path.join(folder, 'link'));
  mkdirSync(path.join(folder, 'd'));
  const room = { call: 0, session: 0, unreviewed: 0 };
  const others = [
    { ...mode, entry: { ...entry, after: { type: 'mode', mode: 0o755 } as const } },
    ...['link', 'd', 'new'].map((name) => toRemoval(folder, name)),
  ];
  assert.equal(describeLost(others, room), undefined);
});

/** Makes files, and changes that remove them. */
function inFolder(t: TestContext): (name: string, bytes: number) => OtherChange {
  const folder = mkdtempSync(path.join(realpathSync(tmpdir()), 'gatehouse-lost-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return (name, bytes) => {
    writeFileSync(path.join(folder, name), Buffer.alloc(bytes));
    return toRemoval(folder, name);
  };
}

function toRemoval(folder: string, name: string): OtherChange {
  return {
    entry: { path: path.join(folder, name), before: undefined, after: AFTER },
    name,
    shown: name,
  };
}
