import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { again, clickUntil, until } from '../workbench/processes.ts';
import { choose, press } from './card.ts';
import { pick } from './pick.ts';
import { allowInTitle, isReviewFocused, openCurrentReview, typeAtEnd } from './reviewEditor.ts';
import { edit, inMode, prepareFiles } from './reviewMode.ts';
import { openScene, type Scene } from './scene.ts';
import { openWritten, writtenLens, writtenList } from './written.ts';

/** Streams until the user has reviewed what there is, which `go` tells, and then edits on. */
function goOn(...calls: readonly ReturnType<typeof edit>[]) {
  const { promise, resolve: go } = Promise.withResolvers<void>();
  return { go, reply: { text: 'I go on. ', delayMs: 150, until: promise, calls } };
}

/** Waits for the line in the proposal that is open. */
function proposed({ workbench }: Scene, line: string): Promise<unknown> {
  return until(`the line ${line}`, async () =>
    (await workbench.diffText('modified')).includes(line),
  );
}

test('while one session edits a file, the review of another file in another session stays as it is', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat, model, sample } = scene;
  const text = prepareFiles(scene);
  const other = path.join(sample.folder, 'other/b.txt');
  mkdirSync(path.dirname(other));
  writeFileSync(other, 'one\ntwo\nthree\n');
  model.script({ calls: [edit('other/b.txt', 'one', 'ONE')] }, { text: 'First.' });
  await chat.send('edit b');
  await choose(scene, 'For This Session: edits in other');
  await chat.said('First.');
  await chat.startSession();
  model.script({ calls: [edit('one.txt', 'second', 'SECOND')] }, { text: 'Done with a.' });
  await chat.send('edit a');
  await chat.permission('one.txt').waitFor();
  await openCurrentReview(workbench);
  await typeAtEnd(workbench, 'SECOND', ' mine');

  await workbench.run('Gatehouse: Open Session…');
  await pick(workbench, 'edit b');
  await chat.said('First.');
  model.script({ calls: [edit('other/b.txt', 'three', 'THREE')] }, { text: 'Second.' });
  await chat.send('edit b again');
  await chat.said('Second.');
  assert.equal(readFileSync(other, 'utf8'), 'ONE\ntwo\nTHREE\n');
  await proposed(scene, 'SECOND mine');
  assert.equal(text('one.txt'), 'first of one.txt\nsecond\nthird\n');
  await workbench.screenshot('meanwhile-sessions');
  model.script({ text: 'Done with a.' });
  const lines = workbench.page.locator('.editor.modified .view-lines').first();
  await clickUntil('the proposal in front', lines, () => isReviewFocused(workbench));
  await allowInTitle(workbench);
  await until('the file', () => text('one.txt') === 'first of one.txt\nSECOND mine\nthird\n');
});

test('in turn mode the review that is open stays as it is while the agent proposes more', async (t) => {
  const scene = await openScene(t, inMode('turn'));
  const { workbench, chat, model } = scene;
  const text = prepareFiles(scene);
  const { go, reply } = goOn(edit('two.txt', 'second', 'SECOND'));
  model.script({ calls: [edit('one.txt', 'second', 'SECOND')] }, reply, {
    text: 'Both are proposed.',
  });
  await chat.send('change two files');
  await chat.card('one.txt').first().waitFor();
  await chat.said('I go on.');
  await workbench.run('Gatehouse: Review Changes');
  await workbench.diff.waitFor();
  await proposed(scene, 'SECOND');
  const line = workbench.page.locator('.editor.modified .view-lines').getByText('SECOND').first();
  await clickUntil('the cursor in the proposal', line, () => isReviewFocused(workbench));
  // The lenses may have moved the lines under the pointer.
  for (const key of ['Control+Home', 'ArrowDown', 'End']) await workbench.page.keyboard.press(key);
  await workbench.page.keyboard.type(' mine');
  go();
  await chat.said('Both are proposed.');
  await proposed(scene, 'SECOND mine');
  assert.equal(await workbench.tab('two.txt').count(), 0, 'only what was reviewed is shown');
  await chat.permission('one.txt').waitFor();
  await workbench.screenshot('meanwhile-turn');
  await allowInTitle(workbench);
  await until('the file', () => text('one.txt') === 'first of one.txt\nSECOND mine\nthird\n');
  assert.ok(!text('two.txt').includes('SECOND'), 'the other one waits for its own review');
  await chat.permission('Review two.txt').waitFor();
  await press(scene, 'Allow');
  await until('the other file', () => text('two.txt').includes('SECOND') || undefined);
});

test('in afterwards mode one file is reviewed and typed into while the agent writes another', async (t) => {
  const settings = { 'files.autoSave': 'off', ...inMode('afterwards').settings };
  const scene = await openScene(t, { settings });
  const { workbench, chat, model } = scene;
  const { keyboard } = workbench.page;
  const text = prepareFiles(scene);
  const { go, reply } = goOn(edit('two.txt', 'second', 'SECOND'));
  model.script(
    { calls: [edit('one.txt', 'first of', 'FIRST of'), edit('one.txt', 'third', 'THIRD')] },
    reply,
    { text: 'Both are written.' },
  );
  await chat.send('change two files');
  await chat.said('I go on.');
  await openWritten(scene, 'one.txt');
  await workbench.page.locator('.editor-instance .monaco-editor.focused').waitFor();
  await keyboard.press('Control+End');
  await keyboard.type('typed meanwhile');
  go();
  await chat.said('Both are written.');
  await writtenList(scene).getByText('two.txt').waitFor({ state: 'attached' });
  assert.ok(text('two.txt').includes('SECOND'));
  await workbench.page.locator('.tab.active', { hasText: 'one.txt' }).waitFor();
  // The cursor is where the user left it.
  await keyboard.type('!');
  await keyboard.press('Control+Home');
  await again(
    'the undone change',
    () => keyboard.press('Alt+n'),
    () => writtenLens(scene, '1 of 1').isVisible(),
  );
  const expected = 'first of one.txt\nsecond\nTHIRD\ntyped meanwhile!';
  await again(
    'the saved file',
    () => keyboard.press('Control+s'),
    () => text('one.txt') === expected,
  );
});
