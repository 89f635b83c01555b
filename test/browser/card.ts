import type { Locator } from 'playwright-core';
import { again, LOST, until } from '../workbench/processes.ts';
import { ARMED } from './pick.ts';
import type { Scene } from './scene.ts';

/** The parts of a scene in which a card is answered. */
export type CardScene = Pick<Scene, 'workbench' | 'chat'>;

/**
 * Waits for the card of a request. With the focus in it, no quick pick opens by itself; one may be
 * about to open just before.
 */
export async function armed(scene: CardScene): Promise<void> {
  const { chat, workbench } = scene;
  const card = chat.permission().first();
  await card.waitFor();
  await until('a card that takes answers', async () => {
    if (await workbench.quickInput.isVisible()) await workbench.hideQuickInput();
    const inside = await card.evaluate((each) => each.contains(document.activeElement));
    if (!inside) await card.focus();
    return ready(scene)
      .waitFor({ timeout: 3000 })
      .then(
        () => true,
        () => false,
      );
  });
}

/**
 * Waits for so many requests of one message and goes to the first. On a busy machine another call may
 * have asked so long before it that it stays the current one.
 */
export async function goToFirst({ workbench, chat }: CardScene, total: number): Promise<void> {
  await chat.frame.getByText(new RegExp(`^\\d of ${total}$`)).waitFor();
  const first = chat.frame.getByText(`1 of ${total}`, { exact: true });
  if (await first.isVisible()) return;
  // A pick that opens by itself takes the list's place.
  await again(
    'the first request',
    async () => {
      await workbench.run('Gatehouse: Show Pending Requests');
      await workbench.quickInputTitle
        .filter({ hasText: 'Pending Requests' })
        .waitFor({ timeout: LOST });
      await workbench.quickInput
        .locator('.monaco-list-row[data-index="0"]')
        .click({ timeout: LOST });
    },
    () => first.isVisible(),
  );
}

/** Waits until the card takes answers again after something in it moved. */
export async function settled(scene: CardScene): Promise<void> {
  await scene.workbench.page.waitForTimeout(ARMED);
  await armed(scene);
}

/**
 * Clicks a button that changes the card. A click does nothing if something moved just before, and is
 * then tried again.
 */
export async function press(scene: CardScene, name: string | RegExp): Promise<void> {
  await use(scene, name, (button) => button.click({ timeout: LOST }));
}

/** The same by keyboard alone: moves to the button with Tab and presses Enter. */
export async function enter(scene: CardScene, name: string | RegExp): Promise<void> {
  await use(scene, name, async () => {
    await tabTo(scene, name);
    // Tab may have scrolled the card.
    await ready(scene).waitFor({ timeout: LOST });
    await scene.workbench.page.keyboard.press('Enter');
  });
}

/**
 * Uses a button of a request until the card changes. The next request is never answered: its card is
 * another element, and with the first one gone its button was used.
 */
async function use(
  scene: CardScene,
  name: string | RegExp,
  act: (button: Locator) => Promise<unknown>,
): Promise<void> {
  const button = findButton(scene, name);
  await button.waitFor();
  const card = await button.locator('xpath=ancestor::*[@data-ask]').elementHandle();
  await until(`what ${name} does`, async () => {
    if (!(await card?.evaluate((each) => each.isConnected))) return true;
    await settled(scene);
    const before = await look(scene);
    const acted = await act(button).then(
      () => true,
      () => false,
    );
    const changes = async () => (await look(scene)) !== before;
    return acted && until('it', changes, LOST).catch(() => false);
  });
}

function findButton({ chat }: CardScene, name: string | RegExp): Locator {
  const exact = typeof name === 'string' ? { name, exact: true } : { name };
  return chat.permission().getByRole('button', exact).first();
}

/** The card of a request that takes answers. */
function ready({ chat }: CardScene): Locator {
  return chat.frame.locator('[data-ask="permission"][data-armed="true"]').first();
}

/** What the card holds; empty without one. */
async function look({ chat }: CardScene): Promise<string> {
  const cards = await chat
    .permission()
    .evaluateAll((all) =>
      all.map((each) => each.outerHTML.replaceAll(/ (aria-disabled|data-armed)="\w+"/g, '')),
    );
  return cards.join();
}

/** Chooses an answer below *More*. */
export async function choose(scene: CardScene, name: string): Promise<void> {
  await press(scene, 'More');
  await press(scene, name);
}

/** Presses Tab, then Shift+Tab, until the button has the focus. */
async function tabTo(scene: CardScene, name: string | RegExp): Promise<void> {
  const button = findButton(scene, name);
  await button.waitFor();
  for (const key of ['Tab', 'Shift+Tab']) {
    for (let count = 0; count < 25; count += 1) {
      if (await button.evaluate((each) => each === document.activeElement)) return;
      await scene.workbench.page.keyboard.press(key);
    }
  }
  throw new Error(`Tab does not reach the button ${name}.`);
}

export async function stop({ chat }: CardScene): Promise<void> {
  await chat.stop();
}
