import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { PermissionAsk } from '../../src/webview/messages/asks.ts';
import { ChatPage } from '../workbench/chatPage.ts';
import { until } from '../workbench/processes.ts';
import { chatState, toolItem } from './chatState.ts';
import { sharedBrowser } from './sharedBrowser.ts';

const ASK: PermissionAsk = {
  ...{ kind: 'permission', id: 'p', toolCallId: 'c', title: 'npm publish', toolKind: 'execute' },
  ...{ subject: 'npm publish', length: 11, suspicious: false, why: 'No rule.', parts: [] },
  ...{ diff: false, diffs: [], since: 0, offers: { allow: [], deny: [] } },
  options: [
    { optionId: 'once', name: 'Once', kind: 'allow_once' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ],
};

/** A chat, and what takes its focus and gives it back, as a script outside of the page does. */
async function open(t: TestContext, state = chatState([toolItem('one'), toolItem('two')])) {
  const chat = await ChatPage.open(await sharedBrowser());
  t.after(() => chat.close());
  await chat.show(state);
  const { page } = chat;
  const focused = () => page.evaluate(() => document.activeElement?.outerHTML.slice(0, 80) ?? '');
  const loseAndGet = () =>
    page.evaluate(() => {
      const { activeElement } = document;
      if (activeElement instanceof HTMLElement) activeElement.blur();
      window.dispatchEvent(new Event('blur'));
      window.dispatchEvent(new Event('focus'));
    });
  return { chat, page, focused, loseAndGet };
}

test('the button that opened a pick has the focus again when the page gets it back', async (t) => {
  const { page, focused, loseAndGet } = await open(t);
  await page
    .getByRole('button', { name: /^Session Settings|^Send/ })
    .first()
    .focus();
  const before = await focused();
  await loseAndGet();
  await until('the same focus', async () => (await focused()) === before);
});

test('a page that has the focus before it has drawn its message gives it to the message', async (t) => {
  const { page } = await open(t);
  await page.getByRole('textbox', { name: 'Message' }).and(page.locator(':focus')).waitFor();
});

test('a page without the focus takes none for its message when it is drawn', async (t) => {
  const { chat, page, focused } = await open(t);
  await page.addInitScript(() => {
    document.hasFocus = () => false;
  });
  await page.reload();
  await chat.show(chatState([toolItem('one')]));
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  assert.match(await focused(), /^<body/);
});

test('a row of the conversation has the focus again', async (t) => {
  const { page, focused, loseAndGet } = await open(t);
  await page.getByRole('textbox', { name: 'Message' }).focus();
  await page.keyboard.press('Shift+Tab');
  const before = await focused();
  assert.match(before, /<article/);
  await loseAndGet();
  await until('the same focus', async () => (await focused()) === before);
});

test('the message gets the focus when nothing had it, or what had it is gone', async (t) => {
  const { chat, page, loseAndGet } = await open(t);
  const message = page.getByRole('textbox', { name: 'Message' }).and(page.locator(':focus'));
  await loseAndGet();
  await message.waitFor();
  await page.keyboard.press('Shift+Tab');
  await chat.show(chatState([]), 'another');
  await loseAndGet();
  await message.waitFor();
});

test('a click beside all controls focuses nothing else', async (t) => {
  const { page, focused } = await open(t);
  await page.getByRole('textbox', { name: 'Message' }).focus();
  await page.evaluate(() => {
    const { activeElement } = document;
    window.dispatchEvent(new PointerEvent('pointerdown'));
    // By the click itself.
    if (activeElement instanceof HTMLElement) activeElement.blur();
    window.dispatchEvent(new Event('focus'));
  });
  assert.match(await focused(), /^<body/);
});

test('the card of a request has the focus again in place of its button, its text field itself', async (t) => {
  const request = { askId: 'p', position: 1, total: 1, agent: '', session: '' };
  const state = chatState([], { activity: 'running', asks: [ASK], request });
  const { page, loseAndGet } = await open(t, state);
  const card = page.locator('[data-ask]');
  await card.getByRole('button', { name: 'Allow' }).focus();
  await loseAndGet();
  await card.and(page.locator(':focus')).waitFor();
  const reason = card.locator('.reason input');
  await until('the reason', async () => {
    if ((await reason.count()) === 0) await card.getByRole('button', { name: 'Deny…' }).click();
    return (await reason.count()) > 0 || undefined;
  });
  await reason.focus();
  await loseAndGet();
  await reason.and(page.locator(':focus')).waitFor();
});

test('a tall card that gets the focus leaves in view who asks', async (t) => {
  const request = { askId: 'p', position: 1, total: 1, agent: 'gatehouse', session: 'fix it' };
  const subject = Array.from({ length: 40 }, (_, at) => `echo ${at}`).join('\n');
  const asks = [{ ...ASK, subject, length: subject.length }];
  const { page } = await open(t, chatState([], { activity: 'running', asks, request }));
  await page.locator('[data-ask]').focus();
  const top = async (selector: string) => (await page.locator(selector).boundingBox())?.y ?? 0;
  assert.ok((await top('.request')) >= (await top('.asks')));
});

for (const [button, before, after] of [
  ['Stop', 'running', 'idle'],
  ['Send', 'idle', 'running'],
] as const) {
  test(`issue 15: the message gets the focus of ${button}, which goes`, async (t) => {
    const { chat, page } = await open(t, chatState([], { activity: before }));
    const message = page.getByRole('textbox', { name: 'Message' });
    await page.getByRole('button', { name: button, exact: true }).focus();
    await chat.show(chatState([], { activity: after }));
    await message.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('on');
    await until('the typed text', async () => (await message.inputValue()) === 'on');
  });
}
