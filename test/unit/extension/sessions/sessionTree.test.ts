import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type SessionRow,
  toGroups,
  toTitle,
} from '../../../../src/extension/sessions/sessionTree.ts';
import { english } from '../english.ts';

/** Noon, in whatever zone the test runs. */
const NOW = new Date(2026, 2, 15, 12).getTime();
const HOUR = 3_600_000;

function row(id: string, change: Partial<SessionRow> = {}): SessionRow {
  return {
    ...{ id, title: `Title ${id}`, cwd: '/work', updatedAt: NOW - 1, state: 'idle' },
    ...{ pinned: false, archived: false },
    ...change,
  };
}

function group(rows: readonly SessionRow[], folders: readonly string[] = ['/work']) {
  const label = (path: string) => path.slice(1);
  return toGroups(rows, { now: NOW, t: english, folders, label });
}

function check(updatedAt: Date | number, expected: string) {
  test(`a session of ${new Date(updatedAt).toISOString()} is in ${expected}`, () => {
    const found = group([row('a', { updatedAt: Number(updatedAt) })]);
    assert.deepEqual(
      found.map(({ label, items }) => [label, items.length]),
      [[expected, 1]],
    );
  });
}

check(NOW, 'Today');
check(new Date(2026, 2, 15), 'Today');
check(new Date(2026, 2, 14, 23, 59, 59, 999), 'Yesterday');
check(new Date(2026, 2, 14), 'Yesterday');
check(new Date(2026, 2, 13, 23, 59), 'Last 7 Days');
check(new Date(2026, 2, 8), 'Last 7 Days');
check(new Date(2026, 2, 7, 23, 59), 'Older');
check(0, 'Older');
check(NOW + 5 * HOUR, 'Today');

test('groups come in order, each newest first, and a session is in one of them', () => {
  const groups = group([
    row('old', { updatedAt: NOW - 100 * 24 * HOUR }),
    row('archived and pinned', { archived: true, pinned: true }),
    row('pinned long ago', { pinned: true, updatedAt: 5 }),
    row('earlier', { updatedAt: NOW - HOUR }),
    row('now'),
    row('pinned', { pinned: true }),
  ]);
  assert.deepEqual(
    groups.map(({ label, items }) => [label, items.map(({ id }) => id)]),
    [
      ['Pinned', ['pinned', 'pinned long ago']],
      ['Today', ['now', 'earlier']],
      ['Older', ['old']],
      ['Archived', ['archived and pinned']],
    ],
  );
});

test('sessions of the same time keep their order, whatever the order of the list', () => {
  const rows = ['a', 'b', 'c'].map((id) => row(id));
  const ids = (list: readonly SessionRow[]) => group(list)[0]?.items.map(({ id }) => id);
  assert.deepEqual(ids(rows), ids(rows.toReversed()));
});

test('a row says what its session does before its age, and a screen reader hears its title first', () => {
  const [item] =
    group([row('a', { state: 'waiting_question', updatedAt: NOW - 2 * HOUR })])[0]?.items ?? [];
  assert.equal(item?.description, 'waits for an answer · 2 h ago');
  assert.equal(item?.spoken, 'Title a, waits for an answer, 2 h ago');
  assert.equal(item?.icon.name, 'question');
});

test('a fork has the title of its original, so its row says that it is one', () => {
  const [item] = group([row('a', { forked: true, state: 'busy' })])[0]?.items ?? [];
  assert.equal(item?.description, 'running · fork · just now');
  assert.equal(item?.spoken, 'Title a, running, fork, just now');
});

test('each state has an icon of its own', () => {
  const states = [
    'idle',
    'unread',
    'busy',
    'waiting_permission',
    'waiting_question',
    'retrying',
  ] as const;
  const icons = states.map((state) => group([row('a', { state })])[0]?.items[0]?.icon.name);
  assert.equal(new Set(icons).size, states.length);
});

test('the folder stands in the row only if several are open, and the tooltip has folder and model', () => {
  const only = group([row('a', { model: 'sonnet' })])[0]?.items[0];
  assert.equal(only?.description, 'just now');
  assert.equal(only?.tooltip, 'Title a\njust now\nFolder: /work\nModel: sonnet');
  const several = group([row('a')], ['/work', '/other'])[0]?.items[0];
  assert.equal(several?.description, 'just now · work');
});

test('the words of a row tell its menu what can be done', () => {
  const context = (change: Partial<SessionRow>) => group([row('a', change)])[0]?.items[0]?.context;
  assert.equal(context({}), 'session unpinned listed still');
  assert.equal(context({ pinned: true, state: 'busy' }), 'session pinned listed working');
  assert.equal(context({ archived: true, state: 'unread' }), 'session unpinned archived still');
});

test('a title is one line without hidden characters, and a session without one has a name', () => {
  assert.equal(toTitle({ title: 'a\n  b\u202e' }, english), 'a b␣U+202E');
  assert.equal(toTitle({ title: 'Fix `sum` in **src**' }, english), 'Fix sum in src');
  assert.equal(toTitle({ title: ' \n' }, english), 'Untitled session');
});
