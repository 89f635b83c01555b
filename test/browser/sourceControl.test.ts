import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { again, clickUntil, LOST, until } from '../workbench/processes.ts';
import { edit, inMode, prepareFiles } from './reviewMode.ts';
import { openScene, type Scene } from './scene.ts';
import { writtenList } from './written.ts';

/** Has three files changed and one created, shows *Source Control*, and returns what reads a file. */
async function openSourceControl(scene: Scene): Promise<(file: string) => string> {
  const { workbench, chat, model } = scene;
  const text = prepareFiles(scene);
  const files = ['one.txt', 'two.txt', 'three.txt'];
  const created = { tool: 'write', input: { path: 'new.txt', content: 'new\n' } };
  model.script(
    { calls: [...files.map((file) => edit(file, 'second', 'SECOND')), created] },
    { text: 'Changed.' },
  );
  await chat.send('change them');
  await chat.said('Changed.');
  await writtenList(scene).waitFor();
  await workbench.run('Source Control: Focus on Changes View');
  await row(scene, 'one.txt').waitFor();
  // Git lists the new files above, which moves the rows: a press would miss them.
  for (const file of [...files, 'new.txt']) {
    const rows = workbench.page.locator(`.scm-view .monaco-list-row[aria-label^="${file}"]`);
    await rows.nth(1).waitFor();
  }
  return text;
}

/** The row of an unreviewed file; git lists files too. */
function row({ workbench }: Scene, file: string): Locator {
  return workbench.page
    .locator(`.scm-view .monaco-list-row[aria-label^="${file}"][aria-label*="not reviewed"]`)
    .first();
}

/** Presses a button that is shown while the pointer is on its row. */
async function pressOnRow(
  { workbench }: Scene,
  row: Locator,
  name: string,
  isDone: () => Promise<boolean>,
): Promise<void> {
  await until(`what ${name} does`, async () => {
    if (await isDone()) return true;
    // A tooltip of another row may lie over this one until the pointer is elsewhere.
    await workbench.page.mouse.move(900, 500);
    const press = async () => {
      await row.hover({ timeout: 2000 });
      await row.getByRole('button', { name }).first().click({ timeout: 2000 });
      return until('it', isDone, LOST);
    };
    return press().catch(() => false);
  });
}

async function press(scene: Scene, file: string, button: string): Promise<void> {
  const isDone = async () => (await row(scene, file).count()) === 0;
  await pressOnRow(scene, row(scene, file), button, isDone);
}

/** Presses a button in the header of Gatehouse's own part of the view, which asks in a dialog. */
async function pressInHeader(scene: Scene, name: string): Promise<void> {
  const { workbench } = scene;
  const header = workbench.page
    .locator('.scm-view .monaco-list-row')
    .filter({ has: workbench.page.locator('.scm-provider') })
    .filter({ hasText: 'Gatehouse' });
  await pressOnRow(scene, header, name, () => workbench.dialog.isVisible());
}

test('the buttons of a row in Source Control keep or undo its file, and Undo All… asks first', async (t) => {
  const scene = await openScene(t, { height: 1400, ...inMode('afterwards') });
  const { workbench } = scene;
  const text = await openSourceControl(scene);
  await workbench.screenshot('source-control');
  await press(scene, 'one.txt', 'Keep Changes in This File');
  assert.ok(text('one.txt').includes('SECOND'));
  await press(scene, 'two.txt', 'Undo Changes in This File');
  await until('the file', () => !text('two.txt').includes('SECOND') || undefined);

  await pressInHeader(scene, 'Undo All Changes…');
  await workbench.dialog.getByText('Undo all unreviewed changes in 2 files?').waitFor();
  await workbench.screenshot('source-control-undo-all');
  const isClosed = async () => (await workbench.dialog.count()) === 0;
  const cancel = workbench.dialog.getByRole('button', { name: 'Cancel' });
  await clickUntil('the end of the dialog', cancel, isClosed);
  assert.ok(text('three.txt').includes('SECOND'), 'Cancel undoes nothing');
  const created = path.join(scene.sample.folder, 'new.txt');
  assert.ok(existsSync(created));

  await pressInHeader(scene, 'Undo All Changes…');
  const undo = workbench.dialog.getByRole('button', { name: 'Undo All', exact: true });
  await clickUntil('the end of the dialog', undo, isClosed);
  await until('the files', () => !text('three.txt').includes('SECOND') && !existsSync(created));
  assert.ok(text('one.txt').includes('SECOND'), 'what was kept stays');
  await row(scene, 'three.txt').waitFor({ state: 'detached' });
  await writesCommitMessage(scene);
});

/** The model's message about what is staged is in the input of the Git extension, and nothing is committed. */
async function writesCommitMessage({ workbench, model, sample }: Scene): Promise<void> {
  execFileSync('git', ['add', 'one.txt'], { cwd: sample.folder });
  model.script({ text: 'Write the second line in capitals' });
  await workbench.run('Gatehouse: Generate Commit Message');
  const input = workbench.page.locator('.scm-view .scm-editor').first();
  await input.getByText('Write the second line in capitals').waitFor();
  await workbench.screenshot('source-control-commit-message');
}

test('by keyboard: Escape leaves the dialog of Undo All…, and Enter on its button undoes', async (t) => {
  const scene = await openScene(t, { height: 1400, ...inMode('afterwards') });
  const { workbench } = scene;
  const { keyboard } = workbench.page;
  const text = await openSourceControl(scene);
  await workbench.run('Gatehouse: Undo All Changes…');
  await workbench.dialog.waitFor();
  const isClosed = async () => (await workbench.dialog.count()) === 0;
  await again('the end of the dialog', () => keyboard.press('Escape'), isClosed);
  assert.ok(text('one.txt').includes('SECOND'));
  await workbench.run('Gatehouse: Undo All Changes…');
  const undo = workbench.dialog.getByRole('button', { name: 'Undo All', exact: true });
  await again('the end of the dialog', () => undo.press('Enter', { timeout: LOST }), isClosed);
  await until('the files', () => !text('one.txt').includes('SECOND') || undefined);
  await until('no unreviewed file', async () => (await writtenRows(scene)) === 0 || undefined);
});

function writtenRows({ workbench }: Scene): Promise<number> {
  return workbench.page.locator('.scm-view .monaco-list-row[aria-label*="not reviewed"]').count();
}
