import type { Locator } from 'playwright-core';
import type { Workbench } from '../workbench/workbench.ts';
import { ARMED, openRequest, pick } from './pick.ts';

export function lens({ page }: Workbench, name: string | RegExp): Locator {
  return page.locator('.editor-instance .codelens-decoration a').filter({ hasText: name });
}

export function titleButton({ page }: Workbench, name: string): Locator {
  return page.locator('.editor-actions').getByRole('button', { name }).first();
}

/** Presses *Allow*. A request ignores what comes within a moment of its becoming the current one. */
export async function allowInTitle(workbench: Workbench): Promise<void> {
  await workbench.page.waitForTimeout(ARMED);
  await titleButton(workbench, 'Allow').click();
}

/** Opens the diff of the current request, with the cursor on its first change. */
export async function openCurrentReview(workbench: Workbench): Promise<void> {
  await openRequest(workbench);
  await pick(workbench, 'Review…');
  await workbench.diff.waitFor();
  await lens(workbench, /Keep \(/)
    .first()
    .waitFor();
}
