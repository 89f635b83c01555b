import { isDeepStrictEqual } from 'node:util';
import { Chat } from '../workbench/chat.ts';
import { until } from '../workbench/processes.ts';
import { readSettings } from './savedRules.ts';
import type { Scene } from './scene.ts';

/** Pixels of a side bar whose width no test changed. */
const SIDE_BAR = 300;
/** Milliseconds in which a window has to be as it was; otherwise another one is opened. */
const SOON = 20_000;

/**
 * Whether the folder has other settings than at first. The editor sees a change of the file some time
 * after it was made, so such a window is of no use to the next test. Its theme hurts nobody.
 */
export function hasOtherSettings(scene: Scene): boolean {
  const { 'workbench.colorTheme': _, ...now } = readSettings(scene);
  const { 'workbench.colorTheme': __, ...first } = scene.settings;
  return !isDeepStrictEqual(now, first);
}

/** Stops what still runs. */
export async function endTurn({ workbench, chat }: Scene): Promise<void> {
  if (await workbench.quickInput.isVisible()) await workbench.hideQuickInput();
  if (await chat.button('Stop').isVisible()) await chat.stop();
}

/** Makes a window as it was when it opened, with a session of its own. Throws if it cannot be. */
export async function clearWindow(scene: Scene): Promise<void> {
  const { workbench, sample } = scene;
  await Chat.open(workbench);
  await endTurn(scene);
  if ((await workbench.page.locator('.tab.dirty').count()) > 0) throw new Error('Unsaved text.');
  await keepWritten(scene);
  if ((await workbench.tab('').count()) > 0) await workbench.run('View: Close All Editor Groups');
  if (await workbench.panel.isVisible()) await workbench.run('Terminal: Kill All Terminals');
  await until(
    'the end of terminals and editors',
    async () => {
      return !(await workbench.panel.isVisible()) && (await workbench.tab('').count()) === 0;
    },
    SOON,
  );
  await clearNotices(scene);
  const bar = await workbench.page.locator('.part.sidebar').boundingBox();
  if (Math.abs((bar?.width ?? 0) - SIDE_BAR) > 40) await workbench.resizeSideBar(SIDE_BAR);
  sample.reset();
  await scene.chat.startSession();
  await until('nothing that waits', () => isQuiet(scene), SOON);
}

/** Keeps what is on disk and not reviewed. */
async function keepWritten({ chat }: Scene): Promise<void> {
  const list = chat.frame.getByRole('region', { name: 'Unreviewed changes' });
  if ((await list.count()) === 0) return;
  await list.getByRole('button', { name: 'Keep All' }).click();
  await list.waitFor({ state: 'detached', timeout: SOON });
}

async function clearNotices({ workbench }: Scene): Promise<void> {
  const shown = workbench.page.locator('.notification-toast, .statusbar-item .codicon-bell-dot');
  if ((await shown.count()) === 0) return;
  await workbench.run('Notifications: Clear All Notifications');
  await until('no notice', async () => (await shown.count()) === 0, SOON);
}

/** Whether no session has a request, and none a change that is not reviewed. */
async function isQuiet({ workbench: { page } }: Scene): Promise<boolean> {
  const requests = page.locator('.statusbar-item', { has: page.locator('.codicon-shield') });
  if ((await requests.filter({ hasText: /\d/ }).count()) > 0) return false;
  return (
    (await page.getByLabel(/^Gatehouse: \d+ files? ha(s|ve) unreviewed changes/).count()) === 0
  );
}
