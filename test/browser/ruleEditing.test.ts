import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { again, LOST, until } from '../workbench/processes.ts';
import { LOOKS, wholeTest } from '../workbench/variants.ts';
import { press } from './card.ts';
import { pickByKeys } from './pick.ts';
import { focusEditor } from './reviewEditor.ts';
import { openScene, type Scene } from './scene.ts';

const SETTINGS = {
  'gatehouse.permissions': [
    { permission: 'bash', pattern: 'touch denied', action: 'deny' },
    { permission: 'bsh', pattern: 'cat', action: 'ask' },
    { permission: 'fs.read', pattern: '**/.env', action: 'block' },
  ],
};

wholeTest(
  'rules are completed from the requests of the session, explained, checked and repaired by keyboard',
  async (t) => {
    const scene = await openScene(t, { fresh: true, settings: SETTINGS });
    const { workbench, chat, model, sample } = scene;
    const { page } = workbench;
    const bash = (command: string) => ({ tool: 'bash', input: { command } });
    model.script(
      { calls: [bash('touch denied')] },
      { calls: [bash('touch asked')] },
      { text: 'Done.' },
    );
    await chat.send('go');
    await chat.permission('touch asked').waitFor();
    await press(scene, 'Allow');
    await chat.said('Done.');

    await workbench.run('Preferences: Open Workspace Settings (JSON)');
    await page.locator('.tab.active', { hasText: 'settings.json' }).waitFor();
    await focusEditor(workbench);
    await page.locator('.editor-instance .squiggly-warning').first().waitFor();
    // A lens without a command is no link.
    await page.locator('.codelens-decoration', { hasText: 'Used once' }).waitFor();
    // From the first problem to its fix.
    const marker = page.locator('.zone-widget .marker-widget').first();
    await goTo(scene, '"bsh"', 1);
    await again(
      'the problem',
      () => page.keyboard.press('Alt+F8'),
      async () => /Unknown tool "bsh".*Did you mean "bash"\?/s.test(await marker.innerText()),
    );
    await workbench.screenshot('rules-problem');
    await again(
      'the end of the problem',
      () => page.keyboard.press('Escape'),
      async () => !(await marker.isVisible()),
    );
    // The first press opens the menu of fixes, the next one takes the one that is selected.
    await again(
      'the fix',
      () => page.keyboard.press('Control+.'),
      async () => (await workbench.editorText()).filter((line) => /"bash"/.test(line)).length === 2,
    );
    await page.locator('.editor-instance .squiggly-warning').waitFor({ state: 'detached' });

    // The pattern of the second rule, as the session's own requests offer it.
    await again(
      'the suggestions',
      async () => {
        await goTo(scene, '"cat"');
        await page.keyboard.press('Control+Space');
      },
      () => page.locator('.suggest-widget.visible .monaco-list-row').first().isVisible(),
    );
    const offered = page.locator('.suggest-widget.visible .monaco-list-row', {
      hasText: 'touch *',
    });
    await offered.first().waitFor();
    await workbench.screenshot('rules-completion');
    await again(
      'the chosen pattern',
      async () => {
        await page.keyboard.press('ArrowDown');
        if (await offered.first().evaluate((row) => row.classList.contains('focused')))
          await page.keyboard.press('Enter');
      },
      async () => (await workbench.editorText()).some((line) => line.includes('"touch *"')),
    );
    await workbench.run('File: Save');
    await until('the file', () =>
      readFileSync(path.join(sample.folder, '.vscode/settings.json'), 'utf8').includes('touch *'),
    );
    await page.locator('.tab.active.dirty').waitFor({ state: 'detached' });
    await page.locator('.editor-instance .squiggly-error').first().waitFor();
    const hover = page.locator('.monaco-hover:visible', { hasText: 'Program' });
    for (const theme of LOOKS) {
      // Writes the settings, so the editor reads the file again.
      await workbench.useTheme(theme);
      await again(
        'the hover',
        async () => {
          await goTo(scene, '"touch *"');
          await workbench.run('Show or Focus Hover');
        },
        () => hover.first().isVisible(),
      );
      await workbench.screenshot(`rules-hover-${theme}`);
    }
    const text = await hover.first().innerText();
    assert.match(text, /Rule 2 of 3.*Overridden by:.*deny bash touch denied/s);
  },
);

wholeTest(
  'in the modal editor, in which VS Code opens settings, rules are checked, explained and completed',
  async (t) => {
    const settings = { ...SETTINGS, 'workbench.editor.useModal': 'some' };
    const scene = await openScene(t, { fresh: true, settings });
    const { workbench, chat, model } = scene;
    const { page } = workbench;
    model.script(
      { calls: [{ tool: 'bash', input: { command: 'touch denied' } }] },
      { text: 'Denied.' },
    );
    await chat.send('go');
    await chat.said('Denied.');
    await workbench.run('Preferences: Open Workspace Settings (JSON)');
    const modal = page.locator('.monaco-modal-editor-block');
    await modal.locator('.codelens-decoration', { hasText: 'Used once' }).waitFor();
    const marker = modal.locator('.zone-widget .marker-widget').first();
    await again(
      'the problem',
      () => page.keyboard.press('Alt+F8'),
      async () => /Unknown tool "bsh".*Did you mean "bash"\?/s.test(await marker.innerText()),
    );
    await workbench.screenshot('rules-modal-problem');
    await again(
      'the end of the problem',
      () => page.keyboard.press('Escape'),
      async () => !(await marker.isVisible()),
    );
    const hover = page.locator('.monaco-hover:visible', { hasText: 'Rule 2 of 3' });
    const pattern = modal.locator('.view-line span span', { hasText: /^"cat"$/ });
    await again(
      'the hover',
      async () => {
        await page.mouse.move(1, 1);
        await pattern.hover({ timeout: LOST });
      },
      () => hover.first().isVisible(),
    );
    await workbench.screenshot('rules-modal-hover');
    await page.mouse.move(1, 1);
    const offered = page.locator('.suggest-widget.visible .monaco-list-row', { hasText: 'bash' });
    await again(
      'the suggestions',
      () => page.keyboard.press('Control+Space'),
      () => offered.first().isVisible(),
    );
    await workbench.screenshot('rules-modal-completion');
    // VS Code opens no palette from the modal editor, which Escape closes.
    await again(
      'the window behind the settings',
      () => page.keyboard.press('Escape'),
      async () => !(await modal.isVisible()),
    );
    await workbench.run('Gatehouse: Explain This Decision');
    await pickByKeys(workbench, 'bash: touch denied');
    await page.locator('.tab.active', { hasText: 'Decision' }).waitFor();
    await until('the explanation', async () =>
      (await workbench.editorText()).some((line) => /^deny by rule at /.test(line)),
    );
  },
);

async function findLine({ workbench }: Scene, text: string): Promise<number> {
  return (await workbench.editorText()).findIndex((line) => line.includes(text)) + 1;
}

/** Moves the cursor to the line with a text. Column 20 is in the value of a rule's field. */
async function goTo(scene: Scene, text: string, column = 20): Promise<void> {
  const { workbench } = scene;
  const { keyboard } = workbench.page;
  await keyboard.press('Escape');
  await workbench.run('Go to Line/Column...');
  const value = () => workbench.quickInputBox.inputValue({ timeout: LOST });
  // What is typed before the box is there goes into the text of the editor.
  await until('the box for a line', async () => (await value().catch(() => '')).startsWith(':'));
  await keyboard.type(`${await findLine(scene, text)}:${column}`);
  await keyboard.press('Enter');
  await until('the line', async () => (await workbench.quickInput.count()) === 0);
}
