import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { again, until } from '../workbench/processes.ts';
import { choose, press } from './card.ts';
import { focusEditor } from './reviewEditor.ts';
import { openScene } from './scene.ts';

const bash = (command: string) => ({ tool: 'bash', input: { command } });

test('Always for all workspaces keeps unsaved text in the user settings, and Undo removes only the rule', async (t) => {
  const settings = { 'files.autoSave': 'off', 'editor.autoClosingBrackets': 'never' };
  const scene = await openScene(t, { fresh: true, settings });
  const { workbench, chat, model, server } = scene;
  const { keyboard } = workbench.page;
  const file = path.join(server.home, 'data/User/settings.json');
  const before = readFileSync(file, 'utf8');
  await workbench.run('Preferences: Open User Settings (JSON)');
  await workbench.page.locator('.tab.active', { hasText: 'settings.json' }).waitFor();
  await focusEditor(workbench);
  await keyboard.press('Control+Home');
  await keyboard.press('End');
  await keyboard.press('Enter');
  await keyboard.type('// still typing this');
  await workbench.page.locator('.tab.active.dirty').waitFor();
  const shows = async (line: string) =>
    (await workbench.editorText()).some((each) => each.includes(line));

  model.script({ calls: [bash('touch one')] }, { text: 'First.' });
  await chat.send('go');
  await choose(scene, 'Always…');
  await chat.permission().getByRole('radio', { name: 'bash(touch *)' }).check();
  await press(scene, 'Next');
  await press(scene, /All workspaces/);
  await chat.said('First.');
  const notice = await workbench.notice('unsaved changes');
  await workbench.screenshot('always-dirty-user-settings');
  assert.match(await notice.innerText(), /user settings/);
  assert.equal(readFileSync(file, 'utf8'), before, 'saving is left to the user');
  assert.ok(await shows('// still typing this'));
  const goTo = async (key: string) => {
    await focusEditor(workbench);
    await keyboard.press(key);
  };
  await again(
    'the rule in the settings',
    () => goTo('Control+End'),
    () => shows('"touch *"'),
  );
  // The rule holds from now on.
  model.script({ calls: [bash('touch two')] }, { text: 'Second.' });
  await chat.send('again');
  await chat.said('Second.');

  await workbench.answerNotification('unsaved changes', 'Undo');
  await until('the end of the rule', async () => !(await shows('"touch *"')));
  await again(
    'the typed text',
    () => goTo('Control+Home'),
    () => shows('// still typing this'),
  );
  model.script({ calls: [bash('touch three')] }, { text: 'Third.' });
  await chat.send('once more');
  await chat.permission('touch three').waitFor();
  await press(scene, 'Allow');
  await chat.said('Third.');
  assert.equal(readFileSync(file, 'utf8'), before);
});
