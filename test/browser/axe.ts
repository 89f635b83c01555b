import axe, { type AxeResults } from 'axe-core';
import type { Frame, Page } from 'playwright-core';
import type { Chat } from '../workbench/chat.ts';

/** One line for each rule that is broken, with the first element that breaks it. */
export async function findAxeFaults(chat: Chat): Promise<readonly string[]> {
  return findPageFaults(await chat.document());
}

/** The same of a page without the editor. */
export async function findPageFaults(page: Frame | Page): Promise<readonly string[]> {
  // By the debugger, so that the page's own policy stays as it ships.
  await page.evaluate(axe.source);
  const results = await page.evaluate<AxeResults>('axe.run({ resultTypes: ["violations"] })');
  return results.violations.flatMap(({ id, help, nodes }) => {
    const [first] = nodes.filter(({ html }) => id !== SCROLLED || !INSIDE_ROW.test(html));
    return first === undefined ? [] : [`${id}: ${help}: ${first.html}`];
  });
}

/**
 * The transcript is one stop of Tab. Enter on a row makes what it holds, scrolled boxes too, stops of Tab
 * (`transcript/roving.ts`), which axe can't know.
 */
const SCROLLED = 'scrollable-region-focusable';
const INSIDE_ROW = /^<(?:pre|div class="table") tabindex="-1"/;
