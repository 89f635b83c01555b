import type { Locator } from 'playwright-core';
import type { Chat } from '../workbench/chat.ts';
import { again, LOST, until } from '../workbench/processes.ts';
import type { Workbench } from '../workbench/workbench.ts';

/** The parts of a scene in which a request is answered. */
interface PickScene {
  readonly workbench: Workbench;
  readonly chat: Chat;
}

/** Longer than the time in which a fresh pick ignores Enter and clicks. Milliseconds. */
export const ARMED = 700;
/** Stands in a pick that opened by itself, which takes no keys. */
const BY_ITSELF = 'to answer with the keyboard';

/**
 * Opens the current request as one who asks for it, so that the pick takes keys. Whether a pick opens
 * by itself depends on the focus and on how fast the chat's page answers; one that did is replaced.
 */
export async function openRequest(workbench: Workbench): Promise<void> {
  await again(
    'the pick of the request',
    () => workbench.page.keyboard.press('Control+Alt+P'),
    () => isOpenedByUser(workbench),
  );
}

async function isOpenedByUser(workbench: Workbench): Promise<boolean> {
  const drawn = (await titleOf(workbench)) !== '' && (await workbench.rows()).length > 0;
  // A row that is drawn again keeps the text, hidden.
  const hint = workbench.quickInput.locator('.quick-input-list-separator:visible');
  return drawn && (await hint.filter({ hasText: BY_ITSELF }).count()) === 0;
}

/** Answers the current request in its quick pick. */
export async function answerInPick({ workbench, chat }: PickScene, label: string): Promise<void> {
  await chat.permission().or(chat.question()).first().waitFor();
  await openRequest(workbench);
  await pick(workbench, label);
}

/**
 * Chooses a row with the mouse as a careful user does: after the pick has been there for a moment, and
 * again when it took no notice. Resolves when that pick is gone.
 */
export async function pick(workbench: Workbench, label: string): Promise<void> {
  await choose(workbench, label, () => workbench.row(label).click({ timeout: LOST }));
}

/** Moves to a row with the arrow keys and accepts it with Enter. Resolves when that pick is gone. */
export async function pickByKeys(workbench: Workbench, label: string): Promise<void> {
  await choose(workbench, label, async () => {
    await moveTo(workbench, label);
    await workbench.page.waitForTimeout(ARMED);
    await moveTo(workbench, label);
    await workbench.page.keyboard.press('Enter');
  });
}

async function choose(workbench: Workbench, label: string, accept: () => Promise<unknown>) {
  const row = workbench.row(label);
  await until(`the choice of ${label}`, async () => {
    await row.waitFor();
    await workbench.page.waitForTimeout(ARMED);
    const title = await titleOf(workbench);
    const accepted = await accept().then(
      () => true,
      () => false,
    );
    return accepted && until('it', () => isGone(workbench, row, title), LOST).catch(() => false);
  });
}

/** Presses an arrow key until the row is the one that keys are about. */
export async function moveTo(workbench: Workbench, label: string): Promise<void> {
  await workbench.quickInput.locator(':focus').waitFor();
  const focused = workbench.row(label).and(workbench.page.locator('.focused'));
  await until(`the row ${label}`, async () => {
    if ((await focused.count()) > 0) return true;
    await workbench.page.keyboard.press('ArrowDown');
    return undefined;
  });
}

/** Gives the reason that is asked for when a request was denied. */
export async function giveReason(workbench: Workbench, reason: string): Promise<void> {
  await workbench.quickInputTitle.filter({ hasText: /^Deny: / }).waitFor();
  await workbench.quickInputBox.fill(reason);
  await workbench.page.keyboard.press('Enter');
  await workbench.quickInput.waitFor({ state: 'detached' });
}

/** Whether the pick went; a second click on the next one would choose what nobody chose. */
async function isGone(workbench: Workbench, row: Locator, title: string): Promise<boolean> {
  return (await titleOf(workbench)) !== title || !(await row.isVisible());
}

/** Empty when no pick is open. */
async function titleOf(workbench: Workbench): Promise<string> {
  return (await workbench.quickInputTitle.allTextContents()).join('');
}
