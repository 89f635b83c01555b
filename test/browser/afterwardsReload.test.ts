import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chat } from '../workbench/chat.ts';
import { clickUntil } from '../workbench/processes.ts';
import { inMode } from './reviewMode.ts';
import { openScene } from './scene.ts';
import { openWritten, writeTwoChanges, writtenLens, writtenList } from './written.ts';

test('after a reload of the window, marks, list and both decisions are there again', async (t) => {
  const before = await openScene(t, inMode('afterwards'));
  const text = await writeTwoChanges(before);
  await openWritten(before, 'one.txt');
  await before.workbench.reload();
  const scene = { ...before, chat: await Chat.open(before.workbench) };
  await openWritten(scene, 'one.txt');
  await writtenLens(scene, '1 of 2').waitFor();
  await scene.workbench.screenshot('afterwards-reloaded');
  await clickUntil(
    'the undone change',
    writtenLens(scene, 'Undo').first(),
    () => !text('one.txt').includes('FIRST'),
  );
  await writtenLens(scene, '1 of 1').waitFor();
  await clickUntil(
    'nothing to review',
    writtenLens(scene, 'Keep').first(),
    async () => (await writtenList(scene).count()) === 0,
  );
  assert.equal(text('one.txt'), 'first of one.txt\nsecond\nTHIRD\n');
});

test('changes of a session that no chat shows are marked again after a reload', async (t) => {
  const before = await openScene(t, { fresh: true, ...inMode('afterwards') });
  await writeTwoChanges(before);
  await before.chat.startSession();
  before.model.script({ text: 'Hello.' });
  await before.chat.send('hello');
  await before.chat.said('Hello.');
  await before.workbench.reload();
  const scene = { ...before, chat: await Chat.open(before.workbench) };
  await scene.chat.said('Hello.');
  const { workbench } = scene;
  await workbench.page.getByLabel('Gatehouse: 1 file has unreviewed changes').first().waitFor();
  await workbench.run('Gatehouse: Review Unreviewed Changes');
  await workbench.page.locator('.multiDiffEntry').filter({ hasText: 'one.txt' }).first().waitFor();
});
