import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Theme } from '../workbench/workbench.ts';
import { findAxeFaults } from './axe.ts';
import { openScene } from './scene.ts';

for (const theme of ['light', 'dark', 'highContrast', 'highContrastLight'] satisfies Theme[]) {
  test(`the chat has no accessibility fault in ${theme}`, async (t) => {
    const { workbench, chat, model } = await openScene(t);
    await workbench.useTheme(theme);
    model.tour();
    await chat.send('fix the failing test');
    await chat.question().waitFor();
    assert.deepEqual(await findAxeFaults(chat), []);
    await chat.button('Stop').click();
    await chat.idle();
    await chat.send(
      '#call edit {"path":"src/sum.js","old_string":"let total = 1;","new_string":"let total = 0;"}',
    );
    await chat.permission().getByRole('button', { name: 'More' }).click();
    await chat.permission().getByRole('button', { name: 'Always…' }).click();
    assert.deepEqual(await findAxeFaults(chat), []);
    await chat.button('Stop').click();
    await chat.idle();
    await chat.send('#call bash {"command":"cat \u200b","description":"Look"}');
    await chat.permission().getByRole('button', { name: 'Deny…' }).click();
    await chat.permission().getByRole('button', { name: 'Deny', exact: true }).click();
    await chat.status(chat.card('Look'), 'denied');
    await chat.send('#call bash {"command":"ls nowhere"}');
    await chat.card('exit 2').waitFor();
    assert.deepEqual(await findAxeFaults(chat), []);
    await chat.send('#fault-401');
    await chat.alert.waitFor();
    assert.deepEqual(await findAxeFaults(chat), []);
  });
}

test('the whole chat can be used from the keyboard', async (t) => {
  const { workbench, chat, model } = await openScene(t);
  model.script(
    { calls: [{ tool: 'write', input: { path: 'a.txt', content: 'a' } }] },
    { text: 'Done with keys alone.' },
  );
  await chat.composer.focus();
  await workbench.page.keyboard.type('write it');
  await workbench.page.keyboard.press('Enter');
  await workbench.row('Allow Once').waitFor();
  // Enter accepts nothing in a quick pick that opened by itself.
  await workbench.page.keyboard.press('Control+Alt+P');
  await workbench.page.waitForTimeout(800);
  // The first row shows the details, the second allows.
  await workbench.page.keyboard.press('ArrowDown');
  await workbench.page.keyboard.press('ArrowDown');
  await workbench.page.keyboard.press('Enter');
  await chat.said('Done with keys alone.');
});
