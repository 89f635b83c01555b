import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { again, LOST, until } from '../workbench/processes.ts';
import { armed, enter, goToFirst, settled } from './card.ts';
import { runByKeys } from './pick.ts';
import { savedRules } from './savedRules.ts';
import { openScene, type Scene } from './scene.ts';

const bash = (command: string) => ({ tool: 'bash', input: { command } });

test('by keyboard alone, Always… saves the chosen rule', async (t) => {
  const scene = await openScene(t);
  const { chat, model, workbench } = scene;
  const { keyboard } = workbench.page;
  model.script({ calls: [bash('touch keys')] }, { text: 'By keys.' });
  await chat.send('go');
  await armed(scene);
  await enter(scene, 'More');
  await enter(scene, 'Always…');
  const radio = chat.permission().getByRole('radio', { name: 'bash(touch keys)' });
  await radio.and(chat.frame.locator(':focus')).waitFor();
  await again(
    'the choice',
    () => keyboard.press('Space'),
    () => radio.isChecked(),
  );
  await enter(scene, 'Next');
  const session = chat.permission().getByRole('button', { name: /in this session/ });
  await session.and(chat.frame.locator(':focus')).waitFor();
  await enter(scene, /in this session/);
  await chat.said('By keys.');
});

test('by keyboard alone, a request is chosen in the list of pending ones', async (t) => {
  const scene = await openScene(t);
  const { chat, model, workbench } = scene;
  const { keyboard } = workbench.page;
  model.script({ calls: ['one', 'two', 'three'].map((name) => bash(`touch ${name}`)) });
  await chat.send('go');
  await goToFirst(scene, 3);
  await workbench.hideQuickInput();
  const list = workbench.quickInputTitle.filter({ hasText: 'Pending Requests' });
  // A pick that opens by itself takes the list's place.
  await again(
    'the list',
    () => runByKeys(workbench, 'Gatehouse: Show Pending Requests'),
    () => list.isVisible(),
  );
  const row = workbench.quickInput.locator('.monaco-list-row', { hasText: 'touch three' });
  await until('the row', async () => {
    if (((await row.getAttribute('class')) ?? '').includes('focused')) return true;
    await keyboard.press('ArrowDown');
    return undefined;
  });
  await again(
    'the third request',
    async () => (await list.isVisible()) && (await keyboard.press('Enter')),
    () => chat.permission('touch three').isVisible(),
  );
  await chat.frame.getByText('3 of 3', { exact: true }).waitFor();
});

test('by keyboard alone, Deny… and Deny and Send reject with the words that were typed', async (t) => {
  const scene = await openScene(t);
  const { chat, model, workbench } = scene;
  const { keyboard } = workbench.page;
  model.script({ calls: [bash('touch one')] }, { calls: [bash('touch two')] }, { text: 'I stop.' });
  await chat.send('go');
  await armed(scene);
  await enter(scene, 'Deny…');
  const reason = chat.permission().getByRole('textbox', { name: 'Why not' });
  await reason.and(chat.frame.locator(':focus')).waitFor();
  await keyboard.type('not this one');
  await until('the reason', async () => (await reason.inputValue()) === 'not this one');
  await enter(scene, 'Deny');
  await chat.permission('touch two').waitFor();
  await settled(scene);
  await chat.composer.focus();
  await keyboard.type('nor this one');
  await until('the message', async () => (await chat.composer.inputValue()) === 'nor this one');
  const send = chat.button('Deny and Send');
  await send.waitFor();
  const focused = send.and(chat.frame.locator(':focus'));
  await again(
    'the answer',
    async () => {
      for (let count = 0; count < 8 && (await focused.count()) === 0; count += 1)
        await keyboard.press('Tab');
      await send.and(chat.frame.locator('[aria-disabled="false"]')).waitFor({ timeout: LOST });
      await keyboard.press('Enter');
    },
    async () => (await send.count()) === 0,
  );
  await chat.said('I stop.');
  const told = model.requests.at(-1)?.conversation.results.map(({ errorText }) => errorText);
  assert.deepEqual(
    told?.map((each) => /The user rejected this call: (.*)/.exec(each)?.[1]),
    ['not this one', 'nor this one'],
  );
});

test('by keyboard alone, Edit… changes the command that runs', async (t) => {
  const scene = await openScene(t);
  const { chat, model, sample, workbench } = scene;
  const { keyboard } = workbench.page;
  model.script({ calls: [bash('touch wrong')] }, { text: 'Edited.' });
  await chat.send('go');
  await armed(scene);
  await enter(scene, 'More');
  await enter(scene, 'Edit…');
  const field = chat.permission().getByRole('textbox', { name: 'Edit…' });
  await field.and(chat.frame.locator(':focus')).waitFor();
  // VS Code would carry out these keys a second time, after some of what is typed.
  const page = await chat.document();
  await page.evaluate(
    `window.passed = []; window.addEventListener('keydown', ({ key }) => window.passed.push(key));`,
  );
  await keyboard.press('Control+A');
  await keyboard.type('touch right');
  await until('the typed text', async () => (await field.inputValue()) === 'touch right');
  await keyboard.press('Control+z');
  await until('the old text', async () => (await field.inputValue()) === 'touch wrong');
  await keyboard.press('Control+Shift+z');
  await until('the new text', async () => (await field.inputValue()) === 'touch right');
  assert.equal(
    await page.evaluate(`window.passed.join('').replaceAll(/Control|Shift/g, '')`),
    'touch right',
  );
  await enter(scene, 'Run');
  // The changed call starts again, so it asks as itself.
  await chat.permission('touch right').waitFor();
  await enter(scene, 'Allow');
  await chat.said('Edited.');
  assert.ok(existsSync(path.join(sample.folder, 'right')));
  assert.ok(!existsSync(path.join(sample.folder, 'wrong')));
});

test('by keyboard alone, the Undo of a notice removes the saved rule', async (t) => {
  const scene = await openScene(t);
  const { chat, model, workbench } = scene;
  const { keyboard } = workbench.page;
  model.script({ calls: [bash('touch keys')] }, { text: 'Saved.' });
  await chat.send('go');
  await armed(scene);
  await enter(scene, 'More');
  await enter(scene, 'Always…');
  const radio = chat.permission().getByRole('radio', { name: 'bash(touch keys)' });
  await radio.and(chat.frame.locator(':focus')).waitFor();
  await again(
    'the choice',
    () => keyboard.press('Space'),
    () => radio.isChecked(),
  );
  await enter(scene, 'Next');
  await enter(scene, /in this workspace/);
  await chat.said('Saved.');
  await until('the saved rule', () => savedRules(scene).length === 1);
  await until('the end of the rule', async () => {
    // A notice leaves by itself after some seconds; the list of all of them keeps it.
    const focused =
      (await runByKeys(workbench, 'Notifications: Focus Notification Toast')) ||
      (await runByKeys(workbench, 'Notifications: Show Notifications'));
    if (focused && (await tabToNotice(scene, 'Undo'))) await keyboard.press('Enter');
    return until('it', () => savedRules(scene).length === 0, 3000).catch(() => undefined);
  });
});

/** Presses Tab until a notice's button has the focus. */
async function tabToNotice({ workbench }: Scene, name: string): Promise<boolean> {
  const button = workbench.page
    .locator('.notification-list-item')
    .getByRole('button', { name })
    .and(workbench.page.locator(':focus'));
  for (let count = 0; count < 12; count += 1) {
    if ((await button.count()) > 0) return true;
    await workbench.page.keyboard.press('Tab');
  }
  return false;
}
