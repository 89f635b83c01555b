import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { again, until } from '../workbench/processes.ts';
import { armed, enter, goToFirst, settled } from './card.ts';
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
  await keyboard.press('Space');
  await until('the choice', () => radio.isChecked());
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
  await keyboard.press('F1');
  await until('the palette', () => workbench.isPaletteOpen());
  await keyboard.type('Gatehouse: Show Pending Requests');
  await workbench.row('Gatehouse: Show Pending Requests').waitFor();
  await keyboard.press('Enter');
  await workbench.quickInputTitle.filter({ hasText: 'Pending Requests' }).waitFor();
  const row = workbench.quickInput.locator('.monaco-list-row', { hasText: 'touch three' });
  await until('the row', async () => {
    if (((await row.getAttribute('class')) ?? '').includes('focused')) return true;
    await keyboard.press('ArrowDown');
    return undefined;
  });
  await keyboard.press('Enter');
  await chat.permission('touch three').waitFor();
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
  await enter(scene, 'Deny');
  await chat.permission('touch two').waitFor();
  await settled(scene);
  await chat.composer.focus();
  await keyboard.type('nor this one');
  const send = chat.button('Deny and Send').and(chat.frame.locator(':enabled'));
  await send.waitFor();
  const focused = send.and(chat.frame.locator(':focus'));
  for (let count = 0; count < 8 && (await focused.count()) === 0; count += 1)
    await keyboard.press('Tab');
  await keyboard.press('Enter');
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
  await keyboard.press('Space');
  await until('the choice', () => radio.isChecked());
  await enter(scene, 'Next');
  await enter(scene, /in this workspace/);
  await chat.said('Saved.');
  await until('the saved rule', () => savedRules(scene).length === 1);
  await until('the end of the rule', async () => {
    // A notice leaves by itself after some seconds; the list of all of them keeps it.
    const focused =
      (await runByKeys(scene, 'Notifications: Focus Notification Toast')) ||
      (await runByKeys(scene, 'Notifications: Show Notifications'));
    if (focused && (await tabToNotice(scene, 'Undo'))) await keyboard.press('Enter');
    return until('it', () => savedRules(scene).length === 0, 3000).catch(() => undefined);
  });
});

/** Runs a command of the palette. False if the palette doesn't have it. */
async function runByKeys({ workbench }: Scene, title: string): Promise<boolean> {
  const { keyboard } = workbench.page;
  await again(
    'the palette',
    () => keyboard.press('F1'),
    () => workbench.isPaletteOpen(),
  );
  await workbench.quickInputBox.and(workbench.page.locator(':focus')).waitFor();
  await keyboard.type(title);
  const row = workbench.quickInput.locator(`.monaco-list-row.focused[aria-label^="${title}"]`);
  const found = await row.waitFor({ timeout: 5000 }).then(
    () => true,
    () => false,
  );
  if (found) await keyboard.press('Enter');
  else await workbench.hideQuickInput();
  await workbench.quickInput.waitFor({ state: 'detached' });
  return found;
}

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
