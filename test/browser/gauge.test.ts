import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import type { ContextUsage } from '../../src/webview/messages/chatState.ts';
import { ChatPage } from '../workbench/chatPage.ts';
import { RESULTS } from '../workbench/paths.ts';
import { findPageFaults } from './axe.ts';
import { chatState } from './chatState.ts';
import { sharedBrowser } from './sharedBrowser.ts';

const pages: ChatPage[] = [];
after(async () => {
  for (const page of pages) await page.close();
});

async function open(width: number, usage?: ContextUsage) {
  const page = await ChatPage.open(await sharedBrowser(), { width, height: 300 });
  pages.push(page);
  await page.show(chatState([], usage && { usage }));
  return { page, gauge: page.page.getByRole('button', { name: /Context: / }) };
}

test('the gauge shows the tokens of the context, and the cost where it is known', async () => {
  for (const width of [220, 400, 900]) {
    const cost = { amount: 0.25, currency: 'USD' };
    const { page, gauge } = await open(width, { used: 170_400, size: 200_000, cost });
    const name = 'Context: 170,400 of 200,000 tokens (85 %). Cost so far: $0.25.';
    assert.equal(await gauge.getAttribute('aria-label'), `170.4K / 200K. ${name}`);
    assert.equal(await gauge.getAttribute('title'), name);
    assert.equal((await gauge.innerText()).trim(), '170.4K / 200K');
    assert.match((await gauge.getAttribute('class')) ?? '', /full/);
    const over = await page.page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    assert.equal(over, false);
    await page.page.screenshot({
      path: path.join(RESULTS, 'screenshots', `gauge-${width}.png`),
    });
    assert.deepEqual(await page.faults(), []);
  }
});

test('a context of unknown size is shown as such, and what came from the cache is named', async () => {
  const usage = { used: 12_300, size: 0, cacheRead: 10_000, cacheWrite: 2_000 };
  const { gauge } = await open(220, usage);
  assert.equal(
    await gauge.getAttribute('title'),
    "Context: 12,300 tokens. The size of the model's context isn't known. Of these, 10,000 were read from the provider's cache and 2,000 written to it.",
  );
  assert.equal((await gauge.innerText()).trim(), '12.3K tokens');
  assert.doesNotMatch((await gauge.getAttribute('class')) ?? '', /full/);
});

test('issue 15: the numbers of the gauge are shown by keyboard, too, and again hidden', async () => {
  const { page, gauge } = await open(220, { used: 12_300, size: 200_000 });
  const details = page.page.locator('.header-details');
  await gauge.focus();
  assert.equal(await gauge.getAttribute('aria-expanded'), 'false');
  await page.page.keyboard.press('Enter');
  await details.getByText('Context: 12,300 of 200,000 tokens (6 %).').waitFor();
  assert.equal(await gauge.getAttribute('aria-controls'), await details.getAttribute('id'));
  assert.deepEqual(await findPageFaults(page.page), []);
  await page.page.keyboard.press('Enter');
  await details.waitFor({ state: 'detached' });
});

test('without a price there is no cost, and without a context no gauge', async () => {
  const { gauge } = await open(400, { used: 1000, size: 200_000 });
  assert.equal(await gauge.getAttribute('title'), 'Context: 1,000 of 200,000 tokens (1 %).');
  for (const usage of [undefined, { used: 0, size: 0 }]) {
    assert.equal(await (await open(400, usage)).gauge.count(), 0);
  }
});
