import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { pause } from '../workbench/processes.ts';

/** Milliseconds between the two clicks of a double click, of quick hands and slow ones. */
export const GAPS = [50, 180, 400] as const;

/** Two clicks of the mouse in the same position, whatever is there by then. */
export async function clickTwice(page: Page, target: Locator, gap: number): Promise<void> {
  const box = await target.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  // Not one after the other's end: a busy page would lengthen the gap.
  const clicks: Promise<void>[] = [];
  for (const wait of [0, gap]) {
    await pause(wait);
    clicks.push(page.mouse.down(), page.mouse.up());
  }
  await Promise.all(clicks);
}
