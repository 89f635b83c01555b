import axe, { type AxeResults } from 'axe-core';
import type { Chat } from '../workbench/chat.ts';

/** One line for each rule that is broken, with the first element that breaks it. */
export async function findAxeFaults(chat: Chat): Promise<readonly string[]> {
  const page = await chat.document();
  // By the debugger, so that the page's own policy stays as it ships.
  await page.evaluate(axe.source);
  const results = await page.evaluate<AxeResults>('axe.run({ resultTypes: ["violations"] })');
  return results.violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html}`);
}
