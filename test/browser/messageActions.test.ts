import assert from 'node:assert/strict';
import path from 'node:path';
import { afterEach, test } from 'node:test';
import { ChatPage } from '../workbench/chatPage.ts';
import { RESULTS } from '../workbench/paths.ts';
import { until } from '../workbench/processes.ts';
import { themed } from '../workbench/themes.ts';
import { chatState, longChat } from './chatState.ts';
import { sharedBrowser } from './sharedBrowser.ts';

// What can be done with messages, in the page alone.

let opened: ChatPage | undefined;
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

async function openPage(...[state, width = 400]: [ReturnType<typeof chatState>, number?]) {
  opened = await ChatPage.open(await sharedBrowser(), { width });
  await opened.show(state);
  return opened;
}

test('a message of the user is edited or forked by keyboard, and one of the agent has no such buttons', async () => {
  const page = await openPage(
    chatState([
      { kind: 'user', id: 'u1', text: 'First', done: true },
      { kind: 'agent', id: 'a1', text: 'Answer', done: true },
    ]),
  );
  const log = page.page.getByRole('log');
  assert.equal(await log.getByRole('button').count(), 2);
  await log.locator('article[data-kind="user"]').focus();
  await page.page.keyboard.press('Enter');
  await page.page.keyboard.press('Enter');
  await page.page.keyboard.press('Tab');
  await page.page.keyboard.press('Enter');
  await page.page.keyboard.press('Escape');
  const posted = (await page.posted()).filter(({ type }) => /Message$/.test(type));
  assert.deepEqual(posted, [
    { type: 'editMessage', session: 'one', itemId: 'u1' },
    { type: 'forkMessage', session: 'one', itemId: 'u1' },
  ]);
  const focused = await page.page.evaluate(() => document.activeElement?.tagName);
  assert.equal(focused, 'ARTICLE');
});

/** Whether any of the buttons that the pointer brings lies on a line of the text beside it. */
const COVERS = `(() => {
  const meets = (a, b) =>
    a.left < b.right && b.left < a.right && a.top + 1 < b.bottom && b.top + 1 < a.bottom;
  const covers = (text, buttons) => {
    const range = document.createRange();
    range.selectNodeContents(text);
    const lines = [...range.getClientRects()];
    return lines.some((line) => meets(line, buttons.getBoundingClientRect()));
  };
  const messages = [...document.querySelectorAll('.item.user')].filter((each) =>
    covers(each.querySelector('.plain'), each.querySelector('.message-actions')));
  const queued = [...document.querySelectorAll('.queue li')].filter((each) => {
    const text = each.querySelector('.queue-text').getBoundingClientRect();
    return meets(text, each.querySelector('.queue-actions').getBoundingClientRect());
  });
  return [...messages, ...queued].map((each) => each.textContent);
})()`;

test('the buttons of sent and queued messages cover no text at any width', async () => {
  const texts = [
    'A message that takes more than one line when there is little room',
    'x'.repeat(99),
  ];
  const queue = texts.map((text, at) => ({
    id: `q${at}`,
    text,
    ...(at > 0 && { attachments: at }),
  }));
  const items = texts.map(
    (text, at) => ({ kind: 'user', id: `u${at}`, text, done: true }) as const,
  );
  for (const width of [220, 400, 900]) {
    const page = await openPage(chatState(items, { activity: 'running', queue }), width);
    await themed(page.page, 'dark');
    await page.page.locator('.item.user').first().hover();
    await page.page.locator('.queue li').nth(1).waitFor();
    const file = path.join(RESULTS, 'screenshots', `message-buttons-${width}.png`);
    await page.page.screenshot({ path: file });
    assert.deepEqual(await page.page.evaluate(COVERS), [], `at ${width} pixels`);
    await page.close();
  }
});

test('a note that offers an undo has a button for it', async () => {
  const text = 'You went back to an earlier message. What followed is hidden.';
  for (const width of [220, 400]) {
    const page = await openPage(
      chatState([
        { kind: 'user', id: 'u', text: 'A message that takes more than one line', done: true },
        { kind: 'note', id: 'n', text, command: 'undoRewind' },
      ]),
      width,
    );
    await page.page.locator('article[data-kind="user"]').focus();
    const file = path.join(RESULTS, 'screenshots', `message-actions-${width}.png`);
    await page.page.screenshot({ path: file });
    await page.page.getByRole('button', { name: 'Undo Rewind' }).click();
    const posted = (await page.posted()).filter(({ type }) => type === 'run');
    assert.deepEqual(posted, [{ type: 'run', session: 'one', command: 'undoRewind' }]);
    await page.close();
    opened = undefined;
  }
});

test('a message that the extension names is scrolled to and focused, however far it is', async () => {
  const page = await openPage(chatState(longChat(60)));
  await page.page.getByText('Answer 59, part 0').waitFor();
  await page.post({ type: 'revealItem', session: 'one', id: 'user-3' });
  await until('the focused message', async () => {
    const text = await page.page.evaluate(() => document.activeElement?.textContent);
    return text?.includes('Question 3') || undefined;
  });
  const row = page.page.locator('article[data-kind="user"]', { hasText: /Question 3$/ }).last();
  await until('the message in view', async () => {
    const box = await row.boundingBox();
    return (box !== null && box.y >= 0 && box.y < 700) || undefined;
  });
  await page.post({ type: 'revealItem', session: 'one', id: 'none' });
  assert.deepEqual(await page.faults(), []);
});

test('a chat in an editor keeps the id of its session beside its draft', async () => {
  const page = await openPage(chatState([]));
  await page.page.getByRole('textbox', { name: 'Message' }).fill('half');
  await page.post({ type: 'shows', session: 'one', sessionId: 'ses_1' });
  await until('the id', async () => (await page.kept())?.sessionId === 'ses_1' || undefined);
  assert.equal((await page.kept())?.draft, 'half');
  await page.post({ type: 'shows', session: 'one' });
  await until('no id', async () => (await page.kept())?.sessionId === undefined || undefined);
});
