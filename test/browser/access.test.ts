import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOOKS } from '../workbench/variants.ts';
import { findAxeFaults } from './axe.ts';
import { choose, press } from './card.ts';
import { openRequest, pickByKeys } from './pick.ts';
import { openScene } from './scene.ts';

for (const theme of LOOKS) {
  test(`the chat has no accessibility fault in ${theme}`, async (t) => {
    const scene = await openScene(t);
    const { workbench, chat, model } = scene;
    await workbench.useTheme(theme);
    model.tour();
    await chat.send('fix the failing test');
    await chat.question().waitFor();
    assert.deepEqual(await findAxeFaults(chat), []);
    await chat.stop();
    await chat.send(
      '#call edit {"path":"src/sum.js","old_string":"let total = 1;","new_string":"let total = 0;"}',
    );
    await choose(scene, 'Always…');
    assert.deepEqual(await findAxeFaults(chat), []);
    await chat.stop();
    await chat.send('#call bash {"command":"cat \u200b","description":"Look"}');
    await press(scene, 'Deny…');
    await press(scene, 'Deny');
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
  await chat.sendByKeys('write it');
  await chat.permission().waitFor();
  await openRequest(workbench);
  await pickByKeys(workbench, 'Allow Once');
  await chat.said('Done with keys alone.');
});
