import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClearQuery, ClearResult } from '../../../../src/acp/gatehouse/sessionList.ts';
import { clearAllSessions } from '../../../../src/extension/sessions/clearSessions.ts';
import { english } from '../english.ts';

const MB = 1024 * 1024;
const NOTHING: ClearResult = { sessions: 0, open: [], pinned: 0, waiting: 0, bytes: 0 };

/** Runs the command; `choose` is called with the buttons of the dialog. */
async function run(
  results: { readonly here: Partial<ClearResult>; readonly all: Partial<ClearResult> },
  choose: (buttons: readonly string[]) => string | undefined,
) {
  const asked: { message: string; detail: string; buttons: readonly string[] }[] = [];
  const [cleared, told, deleted]: [ClearQuery[], string[], string[]] = [[], [], []];
  let changes = 0;
  await clearAllSessions({
    t: english,
    folders: () => ['/w'],
    clear: async (query) => {
      if (query.preview !== true) cleared.push(query);
      return { ...NOTHING, ...(query.cwds === undefined ? results.all : results.here) };
    },
    ask: async (message, { modal, detail }, ...buttons) => {
      assert.ok(modal);
      asked.push({ message, detail, buttons });
      return choose(buttons);
    },
    tell: (message) => told.push(message),
    progress: (_title, work) => work(),
    deleted: (id) => deleted.push(id),
    changed: () => {
      changes += 1;
    },
  });
  return { asked, cleared, told, deleted, changes };
}

const BOTH = {
  here: { sessions: 2, open: ['ses_1'], pinned: 1 },
  all: { sessions: 5, pinned: 3, waiting: 1, bytes: 12 * MB },
};

test('the dialog says what goes and what stays, and offers the workspace or all folders', async () => {
  const { asked, cleared, told, changes } = await run(BOTH, () => undefined);
  const [{ message, detail, buttons } = { message: '', detail: '', buttons: [] }] = asked;
  assert.equal(message, 'Delete all sessions?');
  assert.deepEqual(buttons, ['Delete 2 of This Workspace', 'Delete 5 of All Folders']);
  for (const text of [
    /subagents, outputs, logs of decisions and what Revert could restore are deleted for good/,
    /Pinned sessions stay: 3\. .*something waits for you stay: 1\./,
    /Files, rules, settings and the costs of the day stay/,
    /takes 12 MB on disk/,
  ])
    assert.match(detail, text);
  assert.deepEqual([cleared, told, changes], [[], [], 0], 'closing the dialog deletes nothing');
});

test('the sessions of the workspace are deleted, and chats that showed one are left', async () => {
  const { cleared, told, deleted, changes } = await run(BOTH, ([first]) => first);
  assert.deepEqual(cleared, [{ cwds: ['/w'] }]);
  assert.deepEqual(deleted, ['ses_1']);
  assert.deepEqual(told, ['Deleted sessions: 2. Pinned sessions stay: 1.']);
  assert.equal(changes, 1);
});

test('the sessions of all folders are deleted', async () => {
  const { cleared } = await run(BOTH, ([, second]) => second);
  assert.deepEqual(cleared, [{}]);
});

test('one button is enough where there are only sessions of the workspace', async () => {
  const { asked } = await run({ here: { sessions: 2 }, all: { sessions: 2 } }, () => undefined);
  assert.deepEqual(asked[0]?.buttons, ['Delete 2 of This Workspace']);
});

test('without a session that may go, nothing is asked', async () => {
  const { asked, told } = await run({ here: {}, all: { pinned: 2 } }, () => undefined);
  assert.deepEqual(asked, []);
  assert.deepEqual(told, ['There is no session to delete. Pinned sessions stay: 2.']);
});
