import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { pause, until } from '../workbench/processes.ts';
import { GAPS } from '../workbench/variants.ts';
import { choose, press } from './card.ts';
import { clickTwice, clickTwiceUntil, withTwoClicks } from './clickTwice.ts';
import { ARMED } from './pick.ts';
import { edit, FILES, prepareFiles } from './reviewMode.ts';
import { openScene, type Scene } from './scene.ts';

const bash = (command: string) => ({ tool: 'bash', input: { command } });

function listed({ workbench }: Scene, text: string): Locator {
  return workbench.page.locator('.notifications-center .notification-list-item', { hasText: text });
}

/**
 * Shows the list of all notices, in which they stay; as toasts they leave after some seconds. Waits
 * until they stand still: they slide while others come and go. A quick pick that opens by itself
 * meanwhile closes the list, which is then opened again.
 */
async function openList({ workbench }: Scene, notice: Locator): Promise<void> {
  await until('the list of notices', async () => {
    await workbench.run('Notifications: Show Notifications');
    const shown = await notice
      .first()
      .waitFor({ timeout: 5000 })
      .then(
        () => true,
        () => false,
      );
    if (!shown) return false;
    await workbench.page.mouse.move(20, 500);
    await pause(ARMED);
    return notice.first().isVisible();
  });
}

for (const gap of GAPS) {
  test(`two clicks ${gap} ms apart on Show of a notice answer nothing`, (t) =>
    withTwoClicks(gap, async (gap) => {
      const settings = { 'gatehouse.notify.whenWaiting': 'always' };
      const scene = await openScene(t, { settings });
      const { workbench, chat, model } = scene;
      const text = prepareFiles(scene);
      model.script({ calls: FILES.map((file) => edit(file, 'second', 'SECOND')) });
      await workbench.run('Notifications: Clear All Notifications');
      await chat.send('change four files');
      await chat.frame.getByText(/^\d of 4$/).waitFor();
      if (await workbench.quickInput.isVisible()) await workbench.hideQuickInput();
      const notices = listed(scene, 'The agent needs');
      await openList(scene, notices);
      await clickTwice(workbench.page, notices.first().getByRole('button', { name: 'Show' }), gap);
      await pause(ARMED * 2);
      // The notice may be that of another call of the message, which asked first.
      await chat.frame.getByText(/^\d of 4$/).waitFor();
      for (const file of FILES) assert.ok(!text(file).includes('SECOND'), file);
    }));

  test(`two clicks ${gap} ms apart on Undo of a notice undo one answer`, (t) =>
    withTwoClicks(gap, async (gap) => {
      const scene = await openScene(t);
      const { workbench, chat, model } = scene;
      await workbench.run('Notifications: Clear All Notifications');
      await saveTwoRules(scene);
      const saved = listed(scene, 'Saved for this session');
      await openList(scene, saved.nth(1));
      await workbench.screenshot(`notice-undo-${gap}`);
      await clickTwiceUntil(
        'an undone rule',
        async () => {
          const positions = await saved.evaluateAll((all) =>
            all.map((each) => each.getBoundingClientRect().top),
          );
          // The upper one leaves its place to the other, which slides below the pointer.
          const first = positions.indexOf(Math.min(...positions));
          const undo = saved.nth(first).getByRole('button', { name: 'Undo' });
          await clickTwice(workbench.page, undo, gap);
        },
        async () => (await saved.count()) < 2,
      );
      await pause(ARMED * 2);
      const kept = (await saved.first().innerText()).includes('touch') ? 'touch' : 'mkdir';
      await workbench.screenshot(`notice-undone-${gap}`);
      assert.equal(await listed(scene, kept).count(), 1, 'the other notice stays');
      model.script({ calls: [bash('touch three'), bash('mkdir four')] }, { text: 'Again.' });
      await chat.send('again');
      await chat.permission(kept === 'touch' ? 'mkdir four' : 'touch three').waitFor();
      assert.equal(await chat.frame.getByText(/ of 2/).count(), 0, 'the other rule holds');
      await press(scene, 'Allow');
      await chat.said('Again.');
    }));
}

/** Has two commands allowed by rules of the session, each of which is told with a notice. */
async function saveTwoRules(scene: Scene): Promise<void> {
  const { chat, model } = scene;
  model.script({ calls: [bash('touch one'), bash('mkdir two')] }, { text: 'Both.' });
  await chat.send('go');
  for (const [command, rule] of [
    ['touch one', 'bash(touch *)'],
    ['mkdir two', 'bash(mkdir *)'],
  ] as const) {
    await chat.permission(command).waitFor();
    await choose(scene, 'Always…');
    await chat.permission().getByRole('radio', { name: rule }).check();
    await press(scene, 'Next');
    await press(scene, /in this session/);
  }
  await chat.said('Both.');
}
