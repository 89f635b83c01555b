import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { again, pause, until } from '../workbench/processes.ts';
import { inTheme } from '../workbench/workbench.ts';
import { focusEditor } from './reviewEditor.ts';
import { openScene, type Scene } from './scene.ts';

const WRITE = { calls: [{ tool: 'write', input: { path: 'a.txt', content: 'a' } }] };
/** What opens by itself opens within this time. Milliseconds. */
const WATCHED = 2500;
const LINE = 'every character of this line counts';

const ELSEWHERE = {
  'gatehouse.edits.openDiff': 'background',
  'files.autoSave': 'off',
  // Enter would accept a suggestion.
  'editor.wordBasedSuggestions': 'off',
  ...inTheme('dark'),
};

/** Goes to an empty editor while a proposal is on its way, which comes when what is returned is called. */
async function writeElsewhere(scene: Scene, locked: boolean): Promise<() => void> {
  const { workbench, chat, model } = scene;
  await workbench.run('File: New Untitled Text File');
  if (locked) await workbench.run('View: Lock Editor Group');
  const elsewhere = Promise.withResolvers<void>();
  const later = { ...WRITE, text: 'I think. ', delayMs: 150, until: elsewhere.promise };
  model.script(later, { text: 'Done.' });
  await chat.send('write it');
  await chat.said('I think.');
  await focusEditor(workbench);
  return elsewhere.resolve;
}

/** Types lines until the proposal's tab has been open for a while. Returns what was typed. */
async function typeMeanwhile({ workbench }: Scene, propose: () => void): Promise<string[]> {
  const typed: string[] = [];
  let opened = 0;
  while (opened === 0 || Date.now() - opened < WATCHED) {
    await workbench.page.keyboard.type(LINE, { delay: 8 });
    typed.push(LINE);
    await workbench.page.keyboard.press('Enter');
    propose();
    if (opened === 0 && (await workbench.tab('(proposal').count()) > 0) opened = Date.now();
  }
  return typed;
}

for (const locked of [false, true]) {
  const group = locked ? 'a locked group' : 'a group';
  test(`with openDiff background, the diff opens beside what is typed in ${group}, and no character is lost`, async (t) => {
    const scene = await openScene(t, { fresh: true, settings: ELSEWHERE });
    const { workbench, chat } = scene;
    const propose = await writeElsewhere(scene, locked);
    const typed = await typeMeanwhile(scene, propose);
    await workbench.page.locator('.tab.active[data-resource-name^="Untitled"]').waitFor();
    assert.equal(await workbench.tab('(proposal').count(), 1);
    const groups = await workbench.page.locator('.editor-group-container').count();
    assert.equal(groups, locked ? 2 : 1, 'a locked group gets no tab');
    if (!locked) assert.equal(await workbench.diff.count(), 0, 'the diff is not in front');
    assert.equal(await workbench.quickInput.count(), 0);
    // The focus is still where the user types.
    await workbench.page.keyboard.press('Control+A');
    const length = typed.join('\n').length + 1;
    await workbench.statusItem(new RegExp(`\\(${length} selected\\)`)).waitFor();
    await chat.permission('a.txt').waitFor();
    await workbench.screenshot(`open-diff-background${locked ? '-locked' : ''}`);
  });
}

test('with openDiff focus, the diff opens by itself and takes the keys', async (t) => {
  const settings = { 'gatehouse.edits.openDiff': 'focus' };
  const scene = await openScene(t, { fresh: true, settings });
  const { workbench, chat, model, sample } = scene;
  const file = path.join(sample.folder, 'a.txt');
  writeFileSync(file, 'b');
  model.script(WRITE, { text: 'Done.' });
  await chat.send('write it');
  await workbench.diff.waitFor();
  const rejected = workbench.page.locator('.codelens-decoration a', { hasText: 'Rejected' });
  await until('a change rejected by its key', async () => {
    await workbench.page.keyboard.press('Alt+n');
    return rejected.first().isVisible();
  });
  await chat.permission('a.txt').waitFor();
  assert.equal(readFileSync(file, 'utf8'), 'b');
  await workbench.screenshot('open-diff-focus');
});

test('a palette that the user opens over a request keeps the focus', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat, model } = scene;
  model.script(WRITE);
  await chat.send('write it');
  await workbench.row('Review…').waitFor();
  await again(
    'the palette',
    () => workbench.page.keyboard.press('F1'),
    () => workbench.isPaletteOpen(),
  );
  await workbench.quickInputBox.fill('>Toggle');
  await pause(WATCHED);
  assert.equal(await workbench.quickInputBox.inputValue(), '>Toggle');
  await workbench.page.keyboard.press('Escape');
  await chat.permission('a.txt').waitFor();
});

test('Escape in a pick that opened by itself returns to the composer', async (t) => {
  const { workbench, chat, model } = await openScene(t);
  model.script(WRITE);
  await chat.send('write it');
  await workbench.row('Review…').waitFor();
  await workbench.hideQuickInput();
  await workbench.quickInput.waitFor({ state: 'detached' });
  await until(
    'the focus in the composer',
    async () =>
      (await chat.composer.evaluate((each) => each === document.activeElement)) || undefined,
  );
  await workbench.page.keyboard.type('hello');
  await until('the text', async () => (await chat.composer.inputValue()) === 'hello');
});
