import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import { ChatPage } from '../workbench/chatPage.ts';
import { RESULTS } from '../workbench/paths.ts';
import { until } from '../workbench/processes.ts';
import { chatState, longChat } from './chatState.ts';
import { sharedBrowser } from './sharedBrowser.ts';

const pages: ChatPage[] = [];
after(async () => {
  for (const page of pages) await page.close();
});

/** Seven steps, of which these many are done and the next one runs. */
function toPlan(done: number) {
  return Array.from({ length: 7 }, (_, at) => {
    const status = at < done ? 'completed' : at === done ? 'in_progress' : 'pending';
    return { content: `Step ${at} of a plan that is too long for one line`, status } as const;
  });
}

for (const width of [220, 400, 900]) {
  test(`issue 15: a plan is one line, 3/7 with the step that runs, until it is opened, at ${width} px`, async () => {
    const page = await ChatPage.open(await sharedBrowser(), { width, height: 640 });
    pages.push(page);
    const show = (done: number) => page.show(chatState(longChat(4), { plan: toPlan(done) }));
    await show(3);
    const plan = page.page.getByRole('region', { name: 'Plan' });
    const line = plan.locator('summary');
    await line.getByText('3/7').waitFor();
    assert.match(await line.innerText(), /^\s*Plan\s+3\/7\s+· Step 3 of a plan/);
    assert.equal(await plan.getByRole('listitem').filter({ visible: true }).count(), 0);
    const isOneLine = () =>
      plan.evaluate((element) => {
        const { fontSize } = getComputedStyle(element);
        return element.getBoundingClientRect().height < 2.5 * Number.parseFloat(fontSize);
      });
    assert.ok(await isOneLine());
    await page.page.screenshot({
      path: path.join(RESULTS, 'screenshots', `plan-${width}.png`),
    });

    // What the agent goes on with does not open it.
    await show(4);
    await line.getByText('4/7').waitFor();
    assert.ok(await isOneLine());

    await line.click();
    await plan.getByRole('listitem').nth(6).waitFor();
    assert.equal(await plan.getByRole('listitem').count(), 7);
    assert.equal(await line.getByText('· Step').count(), 0);
    await show(7);
    await line.getByText('7/7').waitFor();
    await plan.getByRole('listitem').nth(6).waitFor();
    await line.click();
    await until('one line', () => isOneLine());
    assert.deepEqual(await page.faults(), []);
  });
}
