import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chat } from '../workbench/chat.ts';
import { again, clickUntil, LOST, until } from '../workbench/processes.ts';
import { Workbench } from '../workbench/workbench.ts';
import { settled } from './card.ts';
import { edit, FILES, inMode, prepareFiles } from './reviewMode.ts';
import { openScene, type Scene, sharedStage } from './scene.ts';
import { openWritten, writeTwoChanges, writtenLens, writtenList } from './written.ts';

/** Another window on the scene's folder. */
async function openSecond(scene: Scene): Promise<Scene> {
  const { browser, server } = await sharedStage();
  const workbench = await Workbench.open(browser, server, { folder: scene.sample.folder });
  return { ...scene, workbench, chat: await Chat.open(workbench) };
}

/** Waits until the status bar counts so many requests. */
async function waiting({ page }: Workbench, count: number): Promise<void> {
  const item = page.locator('.statusbar-item', { has: page.locator('.codicon-shield') });
  if (count === 0) await item.filter({ hasText: /\d/ }).waitFor({ state: 'detached' });
  else await item.filter({ hasText: String(count) }).waitFor();
}

test('each window of a folder shows what the other decides about unreviewed changes', async (t) => {
  const scene = await openScene(t, { fresh: true, ...inMode('afterwards') });
  const text = await writeTwoChanges(scene);
  await openWritten(scene, 'one.txt');
  const second = await openSecond(scene);
  const { workbench } = second;
  try {
    await workbench.page.getByLabel('Gatehouse: 1 file has unreviewed changes').first().waitFor();
    await workbench.run('Gatehouse: Review Unreviewed Changes');
    await clickUntil(
      'the undone change',
      writtenLens(second, 'Undo').first(),
      () => !text('one.txt').includes('FIRST'),
    );
    await workbench.screenshot('afterwards-second-window');
    // The first window follows by itself: lens and list.
    await writtenLens(scene, '1 of 1').waitFor();
    await writtenList(scene).locator('.counts').first().filter({ hasText: '+1 −1' }).waitFor();
    await clickUntil(
      'nothing to review',
      writtenLens(scene, 'Keep').first(),
      async () => (await writtenList(scene).count()) === 0,
    );
    // And so does the second.
    const status = workbench.page.getByLabel('Gatehouse: 1 file has unreviewed changes');
    await status.first().waitFor({ state: 'detached' });
    await writtenLens(second, 'Keep').waitFor({ state: 'detached' });
    assert.equal(text('one.txt'), 'first of one.txt\nsecond\nTHIRD\n');
    assert.equal(await scene.workbench.page.locator('.notification-toast').count(), 0);
  } finally {
    await workbench.close();
  }
});

test('two windows ask about collected edits, and answers at the same moment count once', async (t) => {
  const scene = await openScene(t, { fresh: true, ...inMode('turn') });
  const { chat, model } = scene;
  const text = prepareFiles(scene);
  model.script(
    { calls: [edit('one.txt', 'second', 'SECOND'), edit('two.txt', 'second', 'SECOND')] },
    { text: 'Changed.' },
    { text: 'Understood.' },
  );
  await chat.send('change them');
  await chat.permission('Review 2 files').waitFor();
  const second = await openSecond(scene);
  const { workbench } = second;
  try {
    // The session is in the inbox of the second window, whose chat does not show it.
    await waiting(workbench, 1);
    await workbench.run('Gatehouse: Show Pending Requests');
    await second.chat.permission('Review 2 files').waitFor();
    await workbench.screenshot('turn-second-window');
    await allowInBoth(scene, second);
    await chat.permission().waitFor({ state: 'detached' });
    await waiting(scene.workbench, 0);
    await until('both files', () =>
      FILES.slice(0, 2).every((file) => text(file).includes('SECOND')),
    );
    // The card of the first window says what became of it, as that of the second does.
    for (const each of [scene, second]) {
      const card = each.chat.card('Review 2 files');
      await each.chat.status(card, 'completed');
    }
    await scene.workbench.screenshot('turn-first-window');
  } finally {
    await workbench.close();
  }
});

/** Clicks *Allow* in both windows at once. */
async function allowInBoth(...windows: readonly Scene[]): Promise<void> {
  for (const each of windows) await settled(each);
  const allow = ({ chat }: Scene) =>
    chat.permission().getByRole('button', { name: 'Allow', exact: true });
  await again(
    'the answer',
    // The card of the slower window may be gone before its click.
    () => Promise.allSettled(windows.map((each) => allow(each).click({ timeout: LOST }))),
    async () => (await windows[0]?.chat.permission().count()) === 0,
  );
}
