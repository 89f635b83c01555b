import type { Workbench } from '../workbench/workbench.ts';

/** Longer than the time in which a fresh pick ignores Enter. Milliseconds. */
export const ARMED = 700;

/** Chooses a row as a careful user does: after the pick has been there for a moment. */
export async function pick(workbench: Workbench, label: string): Promise<void> {
  await workbench.row(label).waitFor();
  await workbench.page.waitForTimeout(ARMED);
  await workbench.row(label).click();
}
