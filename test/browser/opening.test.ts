import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ChatItem } from '../../src/webview/messages/chatState.ts';
import { ChatPage, STRINGS } from '../workbench/chatPage.ts';
import { until } from '../workbench/processes.ts';
import { chatState, longChat } from './chatState.ts';
import { sharedBrowser } from './sharedBrowser.ts';

const pages: ChatPage[] = [];
after(async () => {
  for (const page of pages) await page.close();
});

async function openTail(items: readonly ChatItem[]): Promise<ChatPage> {
  const page = await ChatPage.open(await sharedBrowser());
  pages.push(page);
  await page.show(chatState(items));
  return page;
}

const log = (page: ChatPage) => page.page.getByRole('log', { name: 'Conversation' });

async function addEarlier(page: ChatPage, items: readonly ChatItem[]): Promise<void> {
  await page.post({
    ...{ type: 'changes', session: 'one' },
    changes: [{ type: 'prepend', items }],
  });
}

test('older messages arrive above, and the end stays in view', async () => {
  const all = longChat(400);
  const page = await openTail(all.slice(-90));
  const toEnd = () =>
    log(page).evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
  await until('the end', async () => (await toEnd()) < 2 || undefined);
  await addEarlier(page, all.slice(300, -90));
  await addEarlier(page, all.slice(0, 300));
  await page.page.locator('article[aria-setsize="1200"]').first().waitFor();
  await until('the end', async () => (await toEnd()) < 2 || undefined);
  await page.page.getByText('Answer 399, part 0').waitFor();
  await log(page).press('Home');
  await page.page.getByText('Question 0', { exact: true }).waitFor();
  assert.deepEqual(await page.faults(), []);
});

test('what the reader looks at stays where it is in every frame while older messages arrive', async () => {
  const all = longChat(400);
  const page = await openTail(all.slice(-90));
  await log(page).hover();
  await page.page.mouse.wheel(0, -1500);
  await page.page.getByRole('button', { name: /^(New messages|Go to End)$/ }).waitFor();
  const places = await watchPlace(page);
  await addEarlier(page, all.slice(300, -90));
  await page.page.locator('article[aria-setsize="900"]').first().waitFor();
  await addEarlier(page, all.slice(0, 300));
  await page.page.locator('article[aria-setsize="1200"]').first().waitFor();
  const seen = await places();
  assert.ok(seen.length > 2);
  assert.ok(Math.max(...seen) - Math.min(...seen) < 2, seen.join(' '));
});

test('reads that were cut apart become one line with those before them', async () => {
  const read = (id: string): ChatItem => ({
    ...{ kind: 'tool', id, title: `Read ${id}`, toolKind: 'read', status: 'completed' },
    ...{ diffs: [], terminals: [], output: '', outputCut: false, locations: [] },
  });
  const page = await openTail([read('c'), read('d'), ...longChat(20)]);
  await addEarlier(page, [...longChat(2).map(rename), read('a'), read('b')]);
  await log(page).press('Home');
  await page.page.getByText('Read 4 files').waitFor();
});

test('a transcript of 40 MB opens at its end, and its first message is a key away', async () => {
  const page = await openTail([]);
  const length = await page.page.evaluate(
    ({ state, strings }) => {
      const words = 'many words '.repeat(10_000);
      const all = Array.from({ length: 380 }, (_, turn) => [
        { kind: 'user', id: `u${turn}`, text: `Question ${turn}`, done: true },
        { kind: 'agent', id: `a${turn}`, text: `Answer ${turn} ${words}`, done: true },
      ]).flat();
      const tell = (message: object) => window.postMessage({ session: 'long', ...message }, '*');
      tell({ type: 'snapshot', state: { ...state, items: all.slice(-20) }, strings });
      for (let end = all.length - 20; end > 0; end -= 74) {
        const items = all.slice(end - 74, end);
        tell({ type: 'changes', changes: [{ type: 'prepend', items }] });
      }
      return all.reduce((sum, { text }) => sum + text.length, 0);
    },
    { state: chatState([]), strings: STRINGS },
  );
  assert.ok(length > 40_000_000, `${length}`);
  await page.page.locator('article[aria-setsize="760"]').first().waitFor();
  await page.page.getByText(/^Answer 379 /).waitFor();
  const nodes = () => page.page.locator('*').count();
  assert.ok((await nodes()) < 2_000, `${await nodes()} elements at the end`);
  await log(page).press('Home');
  await page.page.getByText('Question 0', { exact: true }).waitFor();
  assert.ok((await nodes()) < 2_000, `${await nodes()} elements at the start`);
  assert.deepEqual(await page.faults(), []);
});

function rename(item: ChatItem): ChatItem {
  return { ...item, id: `old-${item.id}` };
}

/** Notes in each frame where a message in view is, once scrolling has ended. */
async function watchPlace(page: ChatPage): Promise<() => Promise<readonly number[]>> {
  let before = -1;
  await until('rest', async () => {
    const top = await log(page).evaluate(
      (box) =>
        new Promise<number>((done) =>
          requestAnimationFrame(() => requestAnimationFrame(() => done(box.scrollTop))),
        ),
    );
    const rests = top === before;
    before = top;
    return rests || undefined;
  });
  await log(page).evaluate((box) => {
    const { top } = box.getBoundingClientRect();
    const seen = [...box.querySelectorAll('article')].find(
      (each) => each.getBoundingClientRect().top > top + 40,
    );
    const places: number[] = [];
    Reflect.set(window, 'places', places);
    const note = () => {
      places.push(seen?.isConnected ? seen.getBoundingClientRect().top : Number.NaN);
      requestAnimationFrame(note);
    };
    note();
  });
  return () => page.page.evaluate(() => Reflect.get(window, 'places'));
}
