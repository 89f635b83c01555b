import type { Workbench } from '../workbench/workbench.ts';

/** Longer than the time in which a fresh pick ignores Enter and clicks. Milliseconds. */
export const ARMED = 700;

/**
 * Chooses a row as a careful user does: after the pick has been there for a moment, and again when
 * it was another pick by then. Resolves when that pick is gone.
 */
export async function pick(workbench: Workbench, label: string): Promise<void> {
  await workbench.row(label).waitFor();
  for (let attempt = 0; attempt < 4; attempt += 1) {
    await workbench.page.waitForTimeout(ARMED);
    const title = await titleOf(workbench);
    await workbench.row(label).click({ timeout: 5000 });
    for (let look = 0; look < 10; look += 1) {
      if ((await titleOf(workbench)) !== title || !(await workbench.row(label).isVisible())) return;
      await workbench.page.waitForTimeout(50);
    }
  }
  throw new Error(`Choosing "${label}" did not close the pick.`);
}

/** Empty when no pick is open. */
async function titleOf(workbench: Workbench): Promise<string> {
  if (!(await workbench.quickInput.isVisible())) return '';
  return (await workbench.quickInputTitle.textContent({ timeout: 1000 }).catch(() => '')) ?? '';
}
