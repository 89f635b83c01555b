import type { Locator } from 'playwright-core';
import type { Chat } from '../workbench/chat.ts';
import { again, LOST, PATIENCE, pause, until } from '../workbench/processes.ts';
import type { Workbench } from '../workbench/workbench.ts';

/** The parts of a scene in which a request is answered. */
interface PickScene {
  readonly workbench: Workbench;
  readonly chat: Chat;
}

/** Longer than the time in which a fresh pick ignores Enter and clicks. Milliseconds. */
export const ARMED = 700;
/** Longer than the time in which VS Code's menus ignore clicks after they opened. Milliseconds. */
export const MENU_MS = 300;
/** Stands in a pick that opened by itself, which takes no keys. */
const BY_ITSELF = 'to answer with the keyboard';

/** Opens the current request; in a pick that the user opened, it goes to the next one. */
const NEXT = 'Control+Alt+P';

/**
 * Opens the current request as one who asks for it, so that the pick takes keys. Whether a pick opens
 * by itself depends on the focus and on how fast the chat's page answers; one that did is replaced.
 * On a busy machine a second press may come when the pick is on its way, and go to the next request.
 */
export async function openRequest(workbench: Workbench): Promise<void> {
  await again(
    'the pick of the request',
    () => workbench.page.keyboard.press(NEXT),
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
  const number = await readNumber(chat);
  await openRequest(workbench);
  await again(
    'the request that was current',
    async () => {
      if (!isSame(number, await readNumber(chat))) await workbench.page.keyboard.press(NEXT);
    },
    async () => isSame(number, await readNumber(chat)) && isOpenedByUser(workbench),
  );
  await pick(workbench, label);
}

/** The current request's number among several, as its card shows it; empty for a single one. */
async function readNumber({ frame }: Chat): Promise<string> {
  const [text = ''] = await frame.getByText(/^\d+ of \d+$/).allInnerTexts();
  return text.split(' ', 1)[0] ?? '';
}

/** Others may have been answered by a rule, or have arrived. */
function isSame(before: string, now: string): boolean {
  return before === '' || now === '' || before === now;
}

/**
 * Chooses a row, by the start of its label or itself, with the mouse as a careful user does: after the pick has been there for a moment, and
 * again when it took no notice. Resolves when that pick is gone.
 */
export async function pick(workbench: Workbench, label: string | Locator): Promise<void> {
  const row = typeof label === 'string' ? workbench.row(label) : label.first();
  await choose(workbench, row, () => row.click({ timeout: LOST }));
}

/** Moves to a row with the arrow keys and accepts it with Enter. Resolves when that pick is gone. */
export async function pickByKeys(workbench: Workbench, label: string): Promise<void> {
  await choose(workbench, workbench.row(label), async () => {
    await moveTo(workbench, label);
    await pause(ARMED);
    await moveTo(workbench, label);
    await workbench.page.keyboard.press('Enter');
  });
}

async function choose(workbench: Workbench, row: Locator, accept: () => Promise<unknown>) {
  let tried = false;
  await until(`the choice of ${row}`, async () => {
    const shown = await row.waitFor({ timeout: tried ? LOST : PATIENCE }).then(
      () => true,
      () => false,
    );
    // The last try has had its effect after all.
    if (!shown) return tried;
    tried = true;
    await pause(ARMED);
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

/** In which a key that moves the focus has moved it, unless it was lost. Milliseconds. */
const MOVED = 2000;

/**
 * Presses a key that moves the focus until `check` sees it there. It is pressed again when `place`, which
 * says where the focus is, has changed: not before, or the focus would go past what is looked for.
 */
export async function moveUntil(
  what: string,
  press: () => Promise<unknown>,
  place: () => Promise<string | null>,
  check: () => Promise<boolean>,
): Promise<void> {
  await until(what, async () => {
    if (await check()) return true;
    const before = await place();
    await press();
    const hasMoved = async () => (await place()) !== before;
    await until('another place', hasMoved, MOVED).catch(() => undefined);
    return undefined;
  });
}

/** Gives the reason that is asked for when a request was denied. */
export async function giveReason(workbench: Workbench, reason: string): Promise<void> {
  await answerBox(workbench, /Deny: /, reason);
}

/** Types into the input box that shows this, and goes on with Enter until it is gone. */
export async function answerBox(
  { quickInput, quickInputBox, page }: Workbench,
  shows: string | RegExp,
  text: string,
): Promise<void> {
  const box = quickInput.filter({ hasText: shows });
  await box.waitFor();
  // A dialog for files writes its proposal a moment after it opened, over what was typed.
  await again(
    `the text ${text}`,
    () => quickInputBox.fill(text),
    async () => {
      await page.waitForTimeout(SETTLED_MS);
      return (await quickInputBox.inputValue()) === text;
    },
  );
  await again(
    `the answer ${text}`,
    () => quickInputBox.press('Enter', { timeout: LOST }),
    async () => (await box.count()) === 0,
  );
}

/** After which the box of a dialog holds what is in it, in milliseconds. */
const SETTLED_MS = 500;

/**
 * Inserts a text into the box of a pick at once, as an input method does, again from the start if it was
 * lost: VS Code filters its thousand commands after each key. Throws when the box goes, which it does when
 * something opens that was asked for before.
 */
export async function typeInBox({ quickInputBox, page }: Workbench, text: string): Promise<void> {
  await quickInputBox.and(page.locator(':focus')).waitFor({ timeout: LOST });
  const typed = () => quickInputBox.inputValue({ timeout: LOST });
  const before = await typed();
  await again(
    `the text ${text}`,
    async () => {
      if ((await typed()) !== before) {
        await page.keyboard.press('Control+A');
        await page.keyboard.insertText(before);
      }
      await page.keyboard.insertText(text);
    },
    async () => (await typed()) === `${before}${text}`,
  );
}

/** Whether the pick went; a second click on the next one would choose what nobody chose. */
async function isGone(workbench: Workbench, row: Locator, title: string): Promise<boolean> {
  return (await titleOf(workbench)) !== title || !(await row.isVisible());
}

/** Empty when no pick is open. */
async function titleOf(workbench: Workbench): Promise<string> {
  return (await workbench.quickInputTitle.allTextContents()).join('');
}

/**
 * Runs a command of the palette by keys alone. False if the palette doesn't have it, or if something
 * else took the palette's place; the caller looks whether that was what it wanted.
 */
export async function runByKeys(workbench: Workbench, title: string): Promise<boolean> {
  const { keyboard } = workbench.page;
  await again(
    'the palette',
    () => keyboard.press('F1'),
    () => workbench.isPaletteOpen(),
  );
  const found = await findByKeys(workbench, title).catch(() => false);
  const isClosed = async () => !(await workbench.isPaletteOpen());
  if (found) await again('the command', () => keyboard.press('Enter'), isClosed);
  else if (await workbench.isPaletteOpen()) await workbench.hideQuickInput();
  await until('the end of the palette', isClosed);
  return found;
}

async function findByKeys(workbench: Workbench, title: string): Promise<boolean> {
  await typeInBox(workbench, title);
  const row = workbench.quickInput.locator(`.monaco-list-row.focused[aria-label^="${title}"]`);
  await row.waitFor({ timeout: LOST });
  return true;
}
