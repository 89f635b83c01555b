import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { again, clickUntil, LOST, until } from '../workbench/processes.ts';
import { LOOKS, wholeTest } from '../workbench/variants.ts';
import { findAxeFaults } from './axe.ts';
import { armed, press } from './card.ts';
import { moveUntil, pickByKeys, runByKeys } from './pick.ts';
import { openScene } from './scene.ts';

const rule = (pattern: string, action = 'allow') => ({ permission: 'bash', pattern, action });
const bash = (command: string) => ({ tool: 'bash', input: { command } });
const WAITING = {
  settings: {
    'gatehouse.permissions': [rule('touch *'), rule('mkdir one'), rule('rmdir *', 'deny')],
  },
};

test('rules of a workspace wait until they are accepted by keyboard, and then allow', async (t) => {
  const scene = await openScene(t, WAITING);
  const { chat, model, workbench, sample } = scene;
  const banner = chat.frame.getByText('Pending workspace rules: 2');
  await banner.waitFor();
  const lens = workbench.page.locator('.codelens-decoration a');
  await again(
    'the settings',
    () => workbench.run('Preferences: Open Workspace Settings (JSON)'),
    () => workbench.tab('settings.json').isVisible(),
  );
  await lens.filter({ hasText: 'Accept All 2 Rules…' }).waitFor();
  // They are drawn one after the other.
  const own = lens.filter({ hasText: 'Accept This Rule…' });
  await until('a lens for each rule', async () => (await own.count()) === 2 || undefined);
  for (const theme of LOOKS) {
    await workbench.useTheme(theme);
    await workbench.screenshot(`workspace-rules-${theme}`);
  }
  await workbench.resizeSideBar(220);
  await workbench.screenshot('workspace-rules-220');
  await workbench.resizeSideBar(320);
  assert.deepEqual(await findAxeFaults(chat), []);

  // The pick opens after the document that it is about, and a second palette would take its place.
  await again(
    'the review',
    () => runByKeys(workbench, 'Gatehouse: Accept Workspace Rules…'),
    () => workbench.row('Accept All 2 Rules').isVisible(),
  );
  await workbench.diff.waitFor();
  await workbench.screenshot('workspace-rules-review');
  await pickByKeys(workbench, 'Accept All 2 Rules');
  await banner.waitFor({ state: 'detached' });
  await workbench.notice('Accepted: allow bash(touch *), allow bash(mkdir one)');
  model.script({ calls: [bash('touch made')] }, { calls: [bash('rmdir src')] }, { text: 'Done.' });
  await chat.send('go');
  await chat.said('Done.');
  assert.ok(existsSync(path.join(sample.folder, 'made')));
  await chat.status(chat.card('rmdir src'), 'denied');
});

wholeTest(
  'Go to Rule opens a shipped rule at its line, in a document that takes no edits',
  async (t) => {
    const scene = await openScene(t, WAITING);
    const { chat, model, workbench } = scene;
    model.script({ calls: [bash('git push origin main')] }, { text: 'Not pushed.' });
    await chat.send('push');
    await armed(scene);
    const link = chat.permission().getByRole('button', { name: 'Go to Rule' });
    const tab = workbench.tab('shipped-rules.jsonc');
    await clickUntil('the shipped rules', link, () => tab.isVisible());
    await until(
      'the line of the rule',
      async () =>
        (await workbench.editorText()).some((line) => line.includes('"git push"')) || undefined,
    );
    await workbench.screenshot('shipped-rules');
    await press(scene, 'Deny…');
    await press(scene, 'Deny');
    await chat.said('Not pushed.');
  },
);

test('Go to Rule of a row of the inbox opens the rule by keyboard, and answers nothing', async (t) => {
  const scene = await openScene(t, WAITING);
  const { chat, model, workbench } = scene;
  model.script({ calls: [bash('git push origin main'), bash('frob')] }, { text: 'Done.' });
  await chat.send('push');
  await chat.frame.getByText(/^\d of 2$/).waitFor();
  const { keyboard } = workbench.page;
  const focusedRows = workbench.quickInput.locator('.monaco-list-row.focused');
  const row = focusedRows.filter({ hasText: 'git push' });
  const focusedButton = row.locator('[aria-label="Go to Rule"]:focus');
  const tab = workbench.tab('shipped-rules.jsonc');
  await again(
    'the shipped rules',
    async () => {
      await workbench.run('Gatehouse: Show Pending Requests');
      await moveUntil(
        'the row',
        () => keyboard.press('ArrowDown'),
        async () => (await focusedRows.allInnerTexts()).join(),
        () => row.isVisible(),
      );
      await until(
        'the focus on the button',
        async () => {
          if ((await focusedButton.count()) > 0) return true;
          await keyboard.press('Tab');
          return undefined;
        },
        LOST,
      );
      await keyboard.press('Enter');
    },
    () => tab.isVisible(),
  );
  await chat.frame.getByText(/^\d of 2$/).waitFor();
  await chat.stop();
});
