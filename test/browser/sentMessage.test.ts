import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ChatPage } from '../workbench/chatPage.ts';
import { until } from '../workbench/processes.ts';
import { findPageFaults } from './axe.ts';
import { chatState, longChat, toolItem } from './chatState.ts';
import { sharedBrowser } from './sharedBrowser.ts';

const pages: ChatPage[] = [];
after(async () => {
  for (const page of pages) await page.close();
});

async function open(...given: Parameters<typeof chatState>): Promise<ChatPage> {
  const page = await ChatPage.open(await sharedBrowser(), { width: 300 });
  pages.push(page);
  await page.show(chatState(...given));
  return page;
}

const TEXT =
  'Compare these.\n[my app.ts](file:///w/src/my%20app.ts)\n(resource: app.ts:10–42)\n(image: shot.png)\n';

test('issue 15: what was attached to a message is shown as chips, and a file opens by keyboard', async () => {
  const page = await open([{ kind: 'user', id: 'u', text: TEXT, done: true }]);
  const row = page.page.locator('article[data-kind="user"]');
  assert.equal((await row.locator('.plain').innerText()).trim(), 'Compare these.');
  assert.deepEqual(await row.locator('.chip').allInnerTexts(), [
    'my app.ts',
    'app.ts:10–42',
    'shot.png',
  ]);
  assert.deepEqual(await findPageFaults(page.page), []);
  await page.posted();
  await row.focus();
  await page.page.keyboard.press('Enter');
  await row.getByRole('link', { name: 'my app.ts' }).and(page.page.locator(':focus')).waitFor();
  await page.page.keyboard.press('Enter');
  const opened = await until('it opens', async () =>
    (await page.posted()).find(({ type }) => type === 'openLink'),
  );
  assert.deepEqual(opened, { type: 'openLink', session: 'one', href: '/w/src/my%20app.ts' });
});

test('issue 15: a screen reader hears how an answer begins, without its Markdown', async () => {
  const text = '**Done**: `sum.js` adds up now.\n\nMore.';
  const page = await open([{ kind: 'agent', id: 'a', text, done: true }]);
  await page.page.getByRole('article', { name: 'Gatehouse: Done: sum.js adds up now.' }).waitFor();
});

test('issue 15: the button to the end says only that messages came if some did', async () => {
  const items = longChat(40);
  const page = await open(items);
  const box = page.page.locator('.transcript');
  await box.hover();
  await page.page.mouse.wheel(0, -2000);
  await page.page.getByRole('button', { name: 'Go to End', exact: true }).waitFor();
  await page.post({
    ...{ type: 'changes', session: 'one' },
    changes: [{ type: 'item', item: { kind: 'agent', id: 'new', text: 'New.', done: true } }],
  });
  await page.page.getByRole('button', { name: 'New messages', exact: true }).waitFor();
});

test('issue 15: in a narrow side bar the command of a running card can be read', async () => {
  const running = toolItem('c', {
    ...{ title: 'npm run build:everything', status: 'in_progress', allowedByUser: true },
    ...{ terminals: ['t'], startedAt: Date.now(), output: '' },
  });
  const page = await open([running], { activity: 'running' });
  const name = page.page.locator('.tool-name');
  await name.waitFor();
  const { width = 0 } = (await name.boundingBox()) ?? {};
  assert.ok(width >= 70, `${width} px`);
  assert.equal(await page.page.locator('.tool-status').innerText(), 'running');
});
