import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { until } from '../workbench/processes.ts';
import { LOOKS } from '../workbench/variants.ts';
import { findAxeFaults } from './axe.ts';
import { atChange, lens, openCurrentReview, pressKey } from './reviewEditor.ts';
import { openScene, type Scene } from './scene.ts';

const OLD = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`);
const NEW = OLD.with(1, 'LINE 2\n').with(9, 'LINE 10\n').with(16, 'LINE 17\n');

async function propose({ chat, model, sample }: Scene): Promise<void> {
  writeFileSync(path.join(sample.folder, 'notes.txt'), OLD.join(''));
  const input = { path: 'notes.txt', content: NEW.join('') };
  model.script({ calls: [{ tool: 'write', input }] }, { text: 'Done.' });
  await chat.send('change the notes');
  await chat.permission('notes.txt').waitFor();
}

/** Waits until a live region of the chat holds the text, which a screen reader reads then. */
async function spoken({ chat }: Scene, text: string): Promise<void> {
  await chat.frame.locator('[aria-live="polite"]').filter({ hasText: text }).waitFor({
    state: 'attached',
  });
}

for (const theme of LOOKS) {
  test(`a screen reader finds every button of a review by its name, and hears each decision (${theme})`, async (t) => {
    const settings = { 'editor.accessibilitySupport': 'on' };
    const scene = await openScene(t, { settings });
    const { workbench, chat } = scene;
    const { page } = workbench;
    await workbench.useTheme(theme);
    await workbench.resizeSideBar(220);
    await propose(scene);
    const urgent = chat.frame.locator('[aria-live="assertive"]');
    await urgent.filter({ hasText: 'notes.txt' }).waitFor({ state: 'attached' });
    await openCurrentReview(workbench);
    for (const name of [
      /^Keep\s\(Alt\+Y\)$/,
      /^Reject\s\(Alt\+N\)$/,
      /^Edit$/,
      /^Reject\sWith\sReason…$/,
      /^1\sof\s3$/,
    ]) {
      await page.locator('.editor-instance').getByRole('button', { name }).first().waitFor();
    }
    for (const name of [
      /^Allow Proposed Edit/,
      /^Deny Proposed Edit…/,
      /^Go to Next Proposed Edit/,
    ]) {
      await page.locator('.editor-actions').getByRole('button', { name }).first().waitFor();
    }
    await page.getByRole('button', { name: 'Gatehouse review: 1 of 3, 3 pending' }).waitFor();

    await pressKey(workbench, 'Alt+y', () => lens(workbench, 'Kept').first().isVisible());
    await spoken(scene, 'Change 1 of 3 kept, 2 pending');
    await atChange(workbench, 2);
    await pressKey(workbench, 'Alt+n', () => lens(workbench, 'Rejected').first().isVisible());
    await spoken(scene, 'Change 2 of 3 rejected, 1 pending');
    await pressKey(
      workbench,
      'Control+z',
      async () => (await lens(workbench, 'Rejected').count()) === 0,
    );
    await spoken(scene, 'Change 2 of 3 undone, 2 pending');
    await page.getByRole('button', { name: 'Gatehouse review: 2 of 3, 2 pending' }).waitFor();
    assert.deepEqual(await findAxeFaults(chat), []);
    await until('a chat that is not cut off', () =>
      chat.frame.locator('.chat').evaluate((box) => box.scrollWidth <= box.clientWidth),
    );
    await workbench.screenshot(`review-voice-${theme}-220`);
  });
}
