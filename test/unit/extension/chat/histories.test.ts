import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadEarlier, TAIL } from '../../../../src/extension/chat/loading/loadEarlier.ts';
import type { ChatItem } from '../../../../src/webview/messages/chatState.ts';
import { ROOT } from '../../../workbench/paths.ts';
import { openWindow, storeSession } from '../storedSession.ts';

const HOST = [path.join(ROOT, 'src/host/cli/main.ts')];

function open(t: TestContext, messages: number, answer?: (turn: number) => string) {
  const data = mkdtempSync(path.join(tmpdir(), 'gatehouse-histories-'));
  const folder = path.join(data, 'work');
  mkdirSync(folder);
  const id = storeSession(data, folder, messages, answer);
  const window = openWindow(data, folder, HOST);
  t.after(() => {
    window.close();
    rmSync(data, { recursive: true, force: true, maxRetries: 5 });
  });
  return { ...window, id };
}

const texts = (items: readonly ChatItem[]) =>
  items.flatMap((item) => ('text' in item ? item.text.slice(0, 20) : item.kind));

test('a session opens with its end, and older messages follow', async (t) => {
  const { chats, open: show, id } = open(t, 1300);
  const session = show(id);
  const shown: number[] = [];
  chats.onDidChange(() => shown.push(session.state.items.length));
  await chats.load(session);
  // Each turn has a prompt, a call and an answer.
  assert.equal(session.state.items.length, (TAIL / 2) * 3);
  assert.deepEqual(texts(session.state.items).slice(-3), [
    'Question 649',
    'tool',
    'Answer 649, part 0, ',
  ]);
  const tail = session.state.items;
  await chats.whole(session);
  const { items } = session.state;
  assert.equal(items.length, 650 * 3);
  assert.deepEqual(
    texts(items).filter((text) => text.startsWith('Question')),
    [...Array.from({ length: 650 }, (_, turn) => `Question ${turn}`)],
  );
  assert.deepEqual([...new Set(shown)], [0, 150, 900, 1650, 1950]);
  // What was shown is the same, so that the page draws none of it again.
  assert.ok(tail.every((item, at) => items.at(at - tail.length) === item));
});

test('a session in pages is the session that is loaded at once', async (t) => {
  const { chats, open: show, id } = open(t, 260);
  const session = show(id);
  await chats.load(session);
  await chats.whole(session);
  const { items } = session.state;
  session.stale = true;
  await chats.load(session);
  assert.deepEqual(session.state.items, items);
});

test('a prompt that is sent meanwhile stays at the end', async (t) => {
  const { chats, open: show, id } = open(t, 260);
  const session = show(id);
  await chats.load(session);
  const sent = chats.send(session, 'Go on.');
  await chats.whole(session);
  const { items } = session.state;
  assert.equal(texts(items)[0], 'Question 0');
  const at = texts(items).indexOf('Go on.');
  assert.equal(at, 130 * 3);
  await chats.stop(session);
  await sent;
});

test('a transcript of 40 MB opens with its end', async (t) => {
  const words = 'many words '.repeat(10_000);
  const { chats, open: show, id } = open(t, 760, (turn) => `Answer ${turn} ${words}`);
  const session = show(id);
  await chats.load(session);
  assert.match(texts(session.state.items).at(-1) ?? '', /^Answer 379 /);
  await chats.whole(session);
  const size = session.state.items.reduce(
    (sum, item) => sum + ('text' in item ? item.text.length : 0),
    0,
  );
  assert.ok(size > 40_000_000, `${size}`);
});

test('what is loaded for an earlier state of the session is dropped', async () => {
  const taken: unknown[] = [];
  let pages = 0;
  await loadEarlier({
    connection: {
      call: async () => {
        pages += 1;
        return { updates: [], before: 'b' } as never;
      },
    },
    sessionId: 's',
    before: 'a',
    wanted: () => pages < 3,
    take: (updates) => taken.push(updates),
  });
  assert.deepEqual([pages, taken.length], [3, 2]);
});

test('the note that earlier messages could not be loaded goes with a load that is complete', async (t) => {
  const { chats, open: show, id } = open(t, 260);
  const session = show(id);
  await chats.load(session);
  await chats.whole(session);
  session.note('Stopped.');
  session.noteMissing('Earlier messages could not be loaded.');
  session.noteMissing('Earlier messages could not be loaded.');
  const notes = () => texts(session.state.items.filter(({ kind }) => kind === 'note'));
  assert.deepEqual(notes(), ['Stopped.', 'Earlier messages cou']);
  session.stale = true;
  await chats.load(session);
  assert.deepEqual(notes(), ['Stopped.']);
});
