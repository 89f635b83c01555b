import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import type { ToExtension } from '../../src/webview/messages/messages.ts';
import { NOTHING_KEPT } from '../../src/webview/state/host.ts';
import { ChatPage, type ChatPageOptions } from '../workbench/chatPage.ts';
import { RESULTS } from '../workbench/paths.ts';
import { until } from '../workbench/processes.ts';
import { chatState } from './chatState.ts';
import { sharedBrowser } from './sharedBrowser.ts';

const READ = { attached: { id: 'c1', kind: 'file', label: 'a.ts' } } as const;
const WAITS = /is sent as soon as a\.ts is read/;

const pages: ChatPage[] = [];
after(async () => {
  for (const page of pages) await page.close();
});

async function openPage(options?: ChatPageOptions): Promise<ChatPage> {
  const page = await ChatPage.open(await sharedBrowser(), options);
  pages.push(page);
  await page.show(chatState([]));
  return page;
}

const field = ({ page }: ChatPage) => page.getByRole('textbox', { name: 'Message' });
const chip = ({ page }: ChatPage, name: string | RegExp) => page.getByRole('button', { name });

/** Drops a file on the message, and returns the request that reads it. */
async function drop(page: ChatPage): Promise<string> {
  await field(page).evaluate((element) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.setData('text/uri-list', 'file:///work/a.ts');
    element.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  });
  await chip(page, 'Remove a.ts, which is being read').waitFor();
  const asked = (await page.posted()).find(({ type }) => type === 'attachUri');
  assert.ok(asked?.type === 'attachUri' && asked.uri === 'file:///work/a.ts');
  return asked.request;
}

const answer = (page: ChatPage, request: string, result: typeof READ | { fault: string }) =>
  page.post({ type: 'attached', session: 'one', request, result });

const hint = ({ page }: ChatPage, text: RegExp) =>
  page.locator('.composer-hint', { hasText: text });

function sends(page: ChatPage): Promise<readonly ToExtension[]> {
  return until('the message', async () => {
    const found = (await page.posted()).filter(({ type }) => type === 'send');
    return found.length > 0 ? found : undefined;
  });
}

async function sentNothing(page: ChatPage): Promise<void> {
  assert.deepEqual(
    (await page.posted()).filter(({ type }) => type === 'send'),
    [],
  );
}

test('a message waits for what is being attached, and is sent with it', async () => {
  const page = await openPage();
  await field(page).fill('Explain');
  const request = await drop(page);
  await field(page).press('Enter');
  await hint(page, WAITS).waitFor();
  await sentNothing(page);
  assert.equal(await field(page).inputValue(), 'Explain');
  await chip(page, /which is being read/).focus();
  await answer(page, request, READ);
  assert.deepEqual(await sends(page), [
    { type: 'send', session: 'one', text: 'Explain', attached: [READ.attached] },
  ]);
  assert.deepEqual((await page.kept())?.attached, []);
  assert.equal(await field(page).inputValue(), '');
  await page.page.locator('.composer-hint').waitFor({ state: 'detached' });
});

test('a chip keeps the focus and its place when it has been read', async () => {
  const page = await openPage();
  const request = await drop(page);
  await chip(page, /which is being read/).focus();
  await answer(page, request, READ);
  await chip(page, /^Remove a\.ts$/).waitFor();
  assert.equal(
    await page.page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
    'Remove a.ts',
  );
  await sentNothing(page);
});

test('a message whose attachment could not be read is kept, and says why', async () => {
  for (const width of [220, 400, 900]) {
    const page = await openPage({ width });
    await field(page).fill('Explain');
    const request = await drop(page);
    await field(page).press('Enter');
    await hint(page, WAITS).waitFor();
    await page.page.screenshot({
      path: path.join(RESULTS, 'screenshots', `composer-waits-${width}.png`),
    });
    await answer(page, request, { fault: 'It is larger than 10 MB.' });
    await hint(
      page,
      /a\.ts could not be attached: It is larger than 10 MB\. The message is kept/,
    ).waitFor();
    await field(page).press('Enter');
    await page.page.screenshot({
      path: path.join(RESULTS, 'screenshots', `composer-failed-${width}.png`),
    });
    await sentNothing(page);
    assert.equal(await field(page).inputValue(), 'Explain');
    await chip(page, /^Remove a\.ts, which was not attached: It is larger/).click();
    await until(
      'no hint',
      async () => (await page.page.locator('.composer-hint').count()) === 0 || undefined,
    );
    if (width !== 400) continue;
    await field(page).press('Enter');
    assert.deepEqual(await sends(page), [{ type: 'send', session: 'one', text: 'Explain' }]);
    assert.deepEqual(await page.faults(), []);
  }
});

test('Escape and typing keep a message that waits', async () => {
  const page = await openPage();
  await field(page).fill('Explain');
  const request = await drop(page);
  await field(page).press('Enter');
  await hint(page, WAITS).waitFor();
  await field(page).press('Escape');
  await hint(page, WAITS).waitFor({ state: 'detached' });
  await field(page).press('Enter');
  await hint(page, WAITS).waitFor();
  await field(page).pressSequentially(' it');
  await hint(page, WAITS).waitFor({ state: 'detached' });
  await answer(page, request, READ);
  await chip(page, /^Remove a\.ts$/).waitFor();
  await sentNothing(page);
  assert.equal(await field(page).inputValue(), 'Explain it');
});

test('a message that waits is not sent to another session', async () => {
  const page = await openPage();
  await field(page).fill('Explain');
  const request = await drop(page);
  await field(page).press('Enter');
  await hint(page, WAITS).waitFor();
  await page.show(chatState([]), 'two');
  await hint(page, WAITS).waitFor({ state: 'detached' });
  await answer(page, request, READ);
  await chip(page, /^Remove a\.ts$/).waitFor();
  await sentNothing(page);
});

test('a chip that is removed while it is read lets the message go, and does not come back', async () => {
  const page = await openPage();
  await field(page).fill('Explain');
  const request = await drop(page);
  await field(page).press('Enter');
  await hint(page, WAITS).waitFor();
  await chip(page, /which is being read/).click();
  assert.deepEqual(await sends(page), [{ type: 'send', session: 'one', text: 'Explain' }]);
  await answer(page, request, READ);
  await field(page).fill('Next');
  assert.equal(await page.page.getByRole('list', { name: 'Attached' }).count(), 0);
});

test('a chip that was being read is asked about after a reload', async () => {
  const reading = { id: 'r0', kind: 'image', label: 'a.png', reading: true } as const;
  const kept = { ...NOTHING_KEPT, draft: 'Explain', attached: [reading] };
  const page = await openPage({ kept });
  await chip(page, 'Remove a.png, which is being read').waitFor();
  const asked = (await page.posted()).filter(({ type }) => type === 'stillReading');
  assert.deepEqual(asked, [{ type: 'stillReading', session: 'one', requests: ['r0'] }]);
  await answer(page, 'r0', { fault: 'Attach it again.' });
  await chip(page, /^Remove a\.png, which was not attached: Attach it again\./).waitFor();
  const settled = (await page.kept())?.attached;
  assert.deepEqual(settled, [
    { id: 'r0', kind: 'image', label: 'a.png', fault: 'Attach it again.' },
  ]);
});

test('a picture is a chip before its bytes are read', async () => {
  const page = await openPage();
  await field(page).evaluate((element) => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([new Uint8Array(8)], 'shot.png', { type: 'image/png' }));
    element.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    );
  });
  await chip(page, 'Remove shot.png, which is being read').waitFor();
  await field(page).press('Enter');
  const image = await until('the picture', async () =>
    (await page.posted()).find(({ type }) => type === 'attachImage'),
  );
  assert.ok(image.type === 'attachImage' && image.base64 === 'AAAAAAAAAAA=');
  const attached = { id: 'c2', kind: 'image', label: 'shot.png' } as const;
  await page.post({
    ...{ type: 'attached', session: 'one' },
    ...{ request: image.request, result: { attached } },
  });
  assert.deepEqual(await sends(page), [
    { type: 'send', session: 'one', text: '', attached: [attached] },
  ]);
});

test('of many chips, the one that was added last is in view', async () => {
  for (const width of [220, 400]) {
    const page = await openPage({ width });
    for (let at = 0; at < 12; at += 1) {
      const attached = { id: `c${at}`, kind: 'file', label: `file-${at}.ts` } as const;
      await page.post({ type: 'focusComposer', session: 'one', text: '', attached: [attached] });
      await chip(page, `Remove file-${at}.ts`).waitFor();
    }
    await until('the last chip in view', () =>
      page.page.getByRole('list', { name: 'Attached' }).evaluate((list) => {
        const box = list.getBoundingClientRect();
        const last = list.lastElementChild?.getBoundingClientRect();
        return last !== undefined && last.bottom <= box.bottom + 1 && last.top >= box.top - 1;
      }),
    );
    await page.page.screenshot({
      path: path.join(RESULTS, 'screenshots', `composer-many-chips-${width}.png`),
    });
    await chip(page, 'Remove file-0.ts').focus();
    assert.equal(await chip(page, 'Remove file-0.ts').isVisible(), true);
    assert.deepEqual(await page.faults(), []);
  }
});
