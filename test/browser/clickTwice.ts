import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { LOST, pause, until } from '../workbench/processes.ts';

/** A second click this long after the first is one of its own: what it hits may have been read. */
const APART = 500;
/** So many times the gap is halved on a machine that lengthens it. */
const TRIES = 6;

class ClickedTooSlowly extends Error {}

/**
 * Plays a test in which `clickTwice` clicks with the gap that it gets. It is played again from its
 * start, with a smaller gap, when the machine was so busy that the clicks came too far apart.
 */
export async function withTwoClicks(
  gap: number,
  play: (gap: number) => Promise<void>,
): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await play(gap / 2 ** tries);
    } catch (error) {
      if (!(error instanceof ClickedTooSlowly) || tries === TRIES) throw error;
    }
  }
}

/** Clicks twice, and again if both clicks were lost, until `check` sees what one of them does. */
export async function clickTwiceUntil(
  what: string,
  click: () => Promise<void>,
  check: () => Promise<boolean>,
): Promise<void> {
  await until(what, async () => {
    await click().catch((error: unknown) => {
      if (error instanceof ClickedTooSlowly) throw error;
    });
    return until('it', check, LOST).catch(() => undefined);
  });
}

/** Two clicks of the mouse in the same position, whatever is there by then. */
export async function clickTwice(page: Page, target: Locator, gap: number): Promise<void> {
  const box = await target.boundingBox({ timeout: LOST });
  assert.ok(box);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  // Not one after the other's end: a busy page would lengthen the gap.
  const clicks: Promise<number>[] = [];
  for (const wait of [0, gap]) {
    await pause(wait);
    const click = Promise.all([page.mouse.down(), page.mouse.up()]);
    clicks.push(click.then(() => performance.now()));
  }
  const [first = 0, second = 0] = await Promise.all(clicks);
  if (second - first > APART)
    throw new ClickedTooSlowly(`${second - first} ms between the clicks.`);
}
