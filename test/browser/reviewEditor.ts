import type { Locator } from 'playwright-core';
import { again, clickUntil, LOST, until } from '../workbench/processes.ts';
import type { Workbench } from '../workbench/workbench.ts';
import { ARMED, openRequest, pick } from './pick.ts';
import type { Scene } from './scene.ts';

export function lens({ page }: Workbench, name: string | RegExp): Locator {
  return page.locator('.editor-instance .codelens-decoration a').filter({ hasText: name });
}

export function titleButton({ page }: Workbench, name: string): Locator {
  return page.locator('.editor-actions').getByRole('button', { name }).first();
}

/** Presses *Allow* until it is taken: a request ignores what comes just after it became the current one. */
export async function allowInTitle(workbench: Workbench): Promise<void> {
  await pressInTitle(workbench, 'Allow');
}

/** Presses the key of *Allow* in a review until it is taken. */
export async function allowByKeys({ workbench, chat }: Scene): Promise<void> {
  await workbench.page.waitForTimeout(ARMED);
  await again(
    'the answer',
    () => workbench.page.keyboard.press('Control+Alt+Enter'),
    async () => (await chat.permission().count()) === 0,
  );
}

/** Presses a button of a proposal's title that answers its request or asks for more. */
export async function pressInTitle(workbench: Workbench, name: string): Promise<void> {
  const button = titleButton(workbench, name);
  await button.waitFor();
  const tab = await activeTab(workbench);
  const isTaken = async () =>
    (await activeTab(workbench)) !== tab ||
    !(await button.isVisible()) ||
    (await workbench.quickInput.isVisible());
  await until(`what ${name} does`, async () => {
    await workbench.page.waitForTimeout(ARMED);
    const clicked = await button.click({ timeout: LOST }).then(
      () => true,
      () => isTaken(),
    );
    return clicked && until('it', isTaken, LOST).catch(() => false);
  });
}

/** The name of the tab in front. */
async function activeTab({ page }: Workbench): Promise<string> {
  const names = await page.locator('.editor-group-container.active .tab.active').allInnerTexts();
  return names.join();
}

/** Clicks into the text editor until keys go to it. */
export async function focusEditor({ page }: Workbench): Promise<void> {
  const editor = page.locator('.editor-instance .monaco-editor');
  await clickUntil('the focus in the editor', editor.first(), () =>
    page.locator('.editor-instance .monaco-editor.focused').isVisible(),
  );
}

/**
 * Waits until a line that was typed into a proposal is stored, and the tab clean. The tab of a busy
 * window may not be marked as dirty yet; when the card follows, the extension knows the text.
 */
export async function isStored({ chat, workbench }: Scene, line: string): Promise<void> {
  await chat.permission().locator('.row', { hasText: line }).first().waitFor();
  await workbench.page.locator('.tab.active.dirty').waitFor({ state: 'detached' });
}

/** Opens the diff of the current request, with the cursor on its first change. */
export async function openCurrentReview(workbench: Workbench): Promise<void> {
  await openRequest(workbench);
  await pick(workbench, 'Review…');
  await workbench.diff.waitFor();
  await lens(workbench, /Keep \(/)
    .first()
    .waitFor();
  await reviewFocus(workbench);
  // The extension has seen where the cursor is.
  await atChange(workbench, 1);
}

/** Waits until the cursor is on the change with this number. */
export async function atChange({ page }: Workbench, change: number): Promise<void> {
  const name = new RegExp(`^Gatehouse review: ${change} of \\d+,`);
  await page.getByRole('button', { name }).waitFor();
}

/** Clicks a lens until it has done what `check` sees. */
export function useLens(
  workbench: Workbench,
  name: string | RegExp,
  check: () => Promise<boolean>,
): Promise<boolean> {
  return clickUntil(`what ${name} does`, lens(workbench, name).first(), check);
}

/** Presses a key until it has done what `check` sees. */
export function pressKey(
  { page }: Workbench,
  key: string,
  check: () => Promise<boolean>,
): Promise<boolean> {
  return again(`what ${key} does`, () => page.keyboard.press(key), check);
}

/** Types at the end of the line that the cursor is on, which is this one. */
export async function typeAtEnd(workbench: Workbench, line: string, text: string): Promise<void> {
  await workbench.page.keyboard.press('End');
  await workbench.page.keyboard.type(text);
  await until('the typed text', async () =>
    (await workbench.diffText('modified')).includes(`${line}${text}`),
  );
}

/** Waits until keys go to the proposal. */
export async function reviewFocus(workbench: Workbench): Promise<void> {
  await until('the focus in the proposal', () => isReviewFocused(workbench));
}

/** Whether keys go to the proposal. */
export function isReviewFocused({ diff, page }: Workbench): Promise<boolean> {
  const right = diff.locator('.editor.modified');
  return right
    .filter({ has: page.locator(':focus') })
    .first()
    .isVisible();
}
