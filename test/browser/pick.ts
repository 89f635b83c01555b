import type { Chat } from '../workbench/chat.ts';
import { PATIENCE } from '../workbench/processes.ts';
import type { Workbench } from '../workbench/workbench.ts';

/** The parts of a scene in which a request is answered. */
interface PickScene {
  readonly workbench: Workbench;
  readonly chat: Chat;
}

/** Longer than the time in which a fresh pick ignores Enter and clicks. Milliseconds. */
export const ARMED = 700;
/** So long after a click the pick is taken for one that ignored it. Milliseconds. */
const IGNORED = 15_000;

/**
 * Chooses a row as a careful user does: after the pick has been there for a moment, and again when
 * it was another pick by then. Resolves when that pick is gone.
 */
export async function pick(workbench: Workbench, label: string): Promise<void> {
  const end = Date.now() + PATIENCE;
  const row = workbench.row(label);
  while (Date.now() < end) {
    await row.waitFor();
    await workbench.page.waitForTimeout(ARMED);
    const title = await titleOf(workbench);
    // It may be gone by now, for another one that is on its way.
    const clicked = await row.click({ timeout: IGNORED }).then(
      () => true,
      () => false,
    );
    if (clicked && (await isGone(workbench, label, title))) return;
  }
  throw new Error(`Choosing "${label}" did not close the pick.`);
}

/** Whether the pick goes; a second click on the next one would choose what nobody chose. */
async function isGone(workbench: Workbench, label: string, title: string): Promise<boolean> {
  const end = Date.now() + IGNORED;
  while (Date.now() < end) {
    if ((await titleOf(workbench)) !== title || !(await workbench.row(label).isVisible()))
      return true;
    await workbench.page.waitForTimeout(50);
  }
  return false;
}

/** Empty when no pick is open. */
async function titleOf(workbench: Workbench): Promise<string> {
  return (await workbench.quickInputTitle.allTextContents()).join('');
}

/** Opens the current request as one who asks for it, so that the pick takes keys. */
export async function openRequest(workbench: Workbench): Promise<void> {
  await workbench.page.keyboard.press('Control+Alt+P');
  await workbench.quickInput.waitFor();
}

/**
 * Answers the current request in its quick pick, as one who asks for it: whether a pick opens by
 * itself depends on the focus and on how fast the chat's page answers.
 */
export async function answerInPick({ workbench, chat }: PickScene, label: string): Promise<void> {
  await chat.permission().first().waitFor();
  await openRequest(workbench);
  await pick(workbench, label);
}
