import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { again, clickUntil, LOST, pause, until } from '../workbench/processes.ts';
import { commitAll } from './commit.ts';
import { MENU_MS } from './pick.ts';
import { focusEditor } from './reviewEditor.ts';
import { openScene, type Scene } from './scene.ts';

test('issue 15: the Gatehouse menu of the explorer, an editor, source control and a terminal attaches what it was opened on', async (t) => {
  const scene = await openScene(t, { fresh: true });
  const { workbench } = scene;
  const { page } = workbench;
  await commitAndChange(scene);
  await openFile(scene, 'sum.js');
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Shift+ArrowDown');
  await workbench
    .statusItem(/selected/)
    .first()
    .waitFor();
  const names = ['sum.js:1'];
  const line = page.locator('.editor-instance .view-line').first();
  await addsAt(scene, line, names);

  // What is selected in the editor is not what the menu was opened on.
  await workbench.openView('Explorer');
  const file = (name: string) => page.getByRole('treeitem', { name, exact: true }).first();
  await clickUntil('the open folder', file('src'), () => file('sum.js').isVisible());
  names.push('sum.js');
  await addsAt(scene, file('sum.js'), names);
  await workbench.openView('Explorer');
  await file('README.md').click();
  await file('test').click({ modifiers: ['Control'] });
  names.push('README.md', 'test');
  await addsAt(scene, file('README.md'), names);

  await workbench.run('Source Control: Focus on Changes View');
  const change = (name: string) =>
    page.locator(`.scm-view .monaco-list-row[aria-label^="${name}"]`).first();
  names.push('package.json');
  await addsAt(scene, change('package.json'), names);
  await workbench.run('Source Control: Focus on Changes View');
  await change('README.md').waitFor();
  names.push('README.md', 'package.json');
  await addsAt(scene, change('Changes'), names);

  const terminal = await runInTerminal(scene);
  names.push('echo from-the-terminal');
  await addsAt(scene, terminal, names, 'Add Last Command to Chat');
  await workbench.screenshot('menus-attached');
});

/** Two changed files, besides what is committed. */
async function commitAndChange({ sample }: Scene): Promise<void> {
  await commitAll(sample.folder);
  writeFileSync(path.join(sample.folder, 'README.md'), 'Another line.\n');
  writeFileSync(path.join(sample.folder, 'package.json'), '{}\n');
}

async function openFile({ workbench }: Scene, file: string): Promise<void> {
  await again(
    `the file ${file}`,
    async () => {
      await workbench.page.keyboard.press('Control+P');
      await workbench.quickInputBox.fill(file);
      await workbench.row(file).click();
    },
    () => workbench.tab(file).isVisible(),
  );
  await focusEditor(workbench);
}

async function runInTerminal({ workbench }: Scene): Promise<Locator> {
  const { page } = workbench;
  await workbench.run('Terminal: Create New Terminal');
  const terminal = page.locator('.terminal-wrapper.active');
  await until('the prompt', async () => (await workbench.terminalText()) !== '');
  await again(
    'the output',
    async () => {
      await terminal.click();
      await page.keyboard.type('echo from-the-terminal\n');
    },
    async () => (await workbench.terminalText()).split('from-the-terminal').length > 2,
  );
  return terminal;
}

/** Chooses an entry of the submenu *Gatehouse*, and waits until the message has these chips, and no others. */
async function addsAt(
  scene: Scene,
  of: Locator,
  names: readonly string[],
  entry = 'Add to Chat',
): Promise<void> {
  const { workbench, chat } = scene;
  const { page } = workbench;
  const menu = page.getByRole('menuitem', { name: 'Gatehouse', exact: true });
  const item = page.getByRole('menuitem', { name: entry, exact: true });
  await again(
    'the menu with Gatehouse',
    () => of.click({ button: 'right', timeout: LOST }),
    () => menu.isVisible(),
  );
  await pause(MENU_MS);
  await again(
    `the entry ${entry}`,
    () => menu.hover({ timeout: LOST }),
    () => item.isVisible(),
  );
  await pause(MENU_MS);
  await clickUntil('the end of the menu', item, async () => (await item.count()) === 0);
  const chips = chat.frame.locator('.composer .chip');
  await until(`the chips ${names}`, async () => {
    const texts = await chips.allInnerTexts();
    return texts.map((text) => text.trim()).join() === names.join() || undefined;
  });
}
