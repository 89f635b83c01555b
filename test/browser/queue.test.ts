import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { pause, until } from '../workbench/processes.ts';
import type { Theme } from '../workbench/workbench.ts';
import { clickTwice, GAPS } from './clickTwice.ts';
import { ARMED, openRequest } from './pick.ts';
import { openScene, type Scene } from './scene.ts';

/** Four writes of one message, none of which a rule allows. */
const FOUR = {
  calls: ['a', 'b', 'c', 'd'].map((name) => ({
    tool: 'write',
    input: { path: `${name}.txt`, content: name },
  })),
};
const ONE = { calls: [{ tool: 'write', input: { path: 'a.txt', content: 'a' } }] };
/** Streams for eight seconds, so that the user is elsewhere when the request comes. */
const LATER = { ...ONE, text: 'I think. '.repeat(20), chunkSize: 4, delayMs: 200 };
/** A request and a pick for it come within this time if they come at all. Milliseconds. */
const WATCHED = 2500;

test('pick, card, status bar and inbox show the same current request of four', async (t) => {
  const { workbench, chat, model } = await openScene(t);
  model.script(FOUR);
  await chat.send('write four');
  await workbench.row('Review…').waitFor();
  const title = await workbench.quickInputTitle.innerText();
  assert.match(title, /a\.txt \(1 of 4 · gatehouse · write four\)/);
  await chat.permission('a.txt').waitFor();
  assert.equal(await chat.permission().count(), 1);
  await chat.frame.getByText('1 of 4', { exact: true }).waitFor();
  const status = workbench
    .statusItem('4')
    .filter({ has: workbench.page.locator('.codicon-shield') });
  assert.match((await status.locator('a').first().getAttribute('aria-label')) ?? '', /1 of 4/);
  await workbench.screenshot('queue-pick');

  // One Escape puts off all four; nothing opens again, and nothing is lost.
  await workbench.hideQuickInput();
  await workbench.quickInput.waitFor({ state: 'detached' });
  await pause(WATCHED);
  assert.equal(await workbench.quickInput.count(), 0);
  await chat.permission('a.txt').waitFor();

  await workbench.run('Gatehouse: Show Pending Requests');
  await workbench.quickInput.locator('.monaco-list-row', { hasText: 'd.txt' }).waitFor();
  assert.equal((await workbench.rows()).length, 4);
  await workbench.screenshot('queue-inbox');
  await workbench.quickInput.locator('.monaco-list-row', { hasText: 'c.txt' }).click();
  await chat.permission('c.txt').waitFor();
  await chat.frame.getByText('3 of 4', { exact: true }).waitFor();
  await workbench.quickInputTitle.filter({ hasText: '3 of 4' }).waitFor();

  // Answering moves on to the next one.
  await workbench.page.waitForTimeout(ARMED);
  await workbench.row('Deny').click();
  await chat.permission('d.txt').waitFor();
  await workbench.quickInputTitle.filter({ hasText: '3 of 3' }).waitFor();
});

for (const gap of GAPS) {
  test(`two clicks ${gap} ms apart on a card answer one request`, async (t) => {
    const { workbench, chat, model, sample } = await openScene(t);
    model.script(FOUR);
    await chat.send('write four');
    await workbench.row('Review…').waitFor();
    await workbench.hideQuickInput();
    await chat.permission('a.txt').locator('xpath=self::*[@data-armed="true"]').waitFor();
    const allow = chat.permission().getByRole('button', { name: 'Allow', exact: true });
    await clickTwice(workbench.page, allow, gap);
    await chat.permission('b.txt').waitFor();
    await pause(ARMED * 2);
    await chat.frame.getByText('1 of 3', { exact: true }).waitFor();
    assert.throws(() => readFileSync(path.join(sample.folder, 'b.txt')));
  });

  test(`two clicks ${gap} ms apart on a row answer one request`, async (t) => {
    const { workbench, chat, model } = await openScene(t);
    model.script(FOUR);
    await chat.send('write four');
    await workbench.row('Review…').waitFor();
    await openRequest(workbench);
    await pause(ARMED);
    await clickTwice(workbench.page, workbench.row('Deny'), gap);
    await chat.permission('b.txt').waitFor();
    await pause(ARMED * 2);
    await chat.frame.getByText('1 of 3', { exact: true }).waitFor();
  });
}

test('a burst of keys with Enter in an editor approves nothing and loses no character', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat, sample } = scene;
  await sendLater(scene);
  await workbench.run('File: New Untitled Text File');
  await workbench.page.locator('.editor-instance .monaco-editor').first().click();
  const line = 'every character of this line counts';
  const typed = await typeWhileAsked(scene, line);
  await chat.permission('a.txt').waitFor();
  assert.equal(await workbench.quickInput.count(), 0);
  assert.throws(() => readFileSync(path.join(sample.folder, 'a.txt')));
  const text = (await workbench.editorText()).join('\n');
  assert.equal(text.split(line).length - 1, typed);
});

test('a burst of keys with Enter in a terminal approves nothing and loses no character', async (t) => {
  const scene = await openScene(t, { fresh: true });
  const { workbench, chat, sample } = scene;
  await sendLater(scene);
  await workbench.run('Terminal: Create New Terminal');
  await workbench.page.locator('.terminal-wrapper.active .xterm-rows').waitFor();
  await workbench.page.locator('.terminal-wrapper.active').click();
  // Only a file keeps all lines; a terminal draws those in view.
  await workbench.page.keyboard.type('cat > typed.log');
  await workbench.page.keyboard.press('Enter');
  const line = 'every character of this line counts';
  const typed = await typeWhileAsked(scene, line);
  await workbench.page.keyboard.press('Control+D');
  await chat.permission('a.txt').waitFor();
  assert.equal(await workbench.quickInput.count(), 0);
  assert.throws(() => readFileSync(path.join(sample.folder, 'a.txt')));
  const file = path.join(sample.folder, 'typed.log');
  const expected = `${line}\n`.repeat(typed);
  await until('the lines in the file', () => readFileSync(file, 'utf8') === expected || undefined);
});

test('keys that land in a pick that opened by itself go to the composer', async (t) => {
  const { workbench, chat, model, sample } = await openScene(t);
  model.script(ONE);
  await chat.send('write it');
  await workbench.row('Review…').waitFor();
  await pause(ARMED);
  const text = 'wait, use another name';
  await workbench.page.keyboard.type(text, { delay: 40 });
  await workbench.page.keyboard.press('Enter');
  await workbench.quickInput.waitFor({ state: 'detached' });
  await until('the text', async () => (await chat.composer.inputValue()) === text || undefined);
  await chat.permission('a.txt').waitFor();
  assert.throws(() => readFileSync(path.join(sample.folder, 'a.txt')));
  // The composer is not empty, so nothing opens over what the user writes.
  await pause(WATCHED);
  assert.equal(await workbench.quickInput.count(), 0);
  await workbench.page.keyboard.type('!');
  assert.equal(await chat.composer.inputValue(), `${text}!`);
  await chat.composer.fill('');
});

test('Enter, arrow keys and held keys approve nothing in a pick that opened by itself', async (t) => {
  const { workbench, chat, model, sample } = await openScene(t);
  model.script(ONE);
  await chat.send('write it');
  await workbench.row('Allow Once').waitFor();
  for (let press = 0; press < 8; press += 1) {
    await pause(300);
    await workbench.page.keyboard.press(press % 2 === 0 ? 'ArrowDown' : 'Enter');
  }
  await pause(ARMED);
  for (let press = 0; press < 4; press += 1) {
    await workbench.page.keyboard.press('ArrowDown');
    await workbench.page.keyboard.press('Enter');
  }
  await pause(ARMED);
  await chat.permission('a.txt').waitFor();
  assert.throws(() => readFileSync(path.join(sample.folder, 'a.txt')));
});

test('a draft survives, and requests are shown again after the chat was reloaded', async (t) => {
  const { workbench, chat, model } = await openScene(t, { fresh: true });
  model.script(FOUR);
  await chat.send('write four');
  await workbench.row('Review…').waitFor();
  await workbench.hideQuickInput();
  await chat.composer.fill('a draft');
  await workbench.run('Developer: Reload Webviews');
  await chat.permission('a.txt').waitFor();
  await chat.frame.getByText('1 of 4', { exact: true }).waitFor();
  assert.equal(await chat.composer.inputValue(), 'a draft');
});

test('with a screen reader, four requests are answered by keys alone', async (t) => {
  const { workbench, chat, model } = await openScene(t, { fresh: true });
  workbench.updateSettings({ 'editor.accessibilitySupport': 'on' });
  await workbench.useTheme('highContrast');
  model.script(FOUR, { text: 'All answered.' });
  await chat.composer.focus();
  await workbench.page.keyboard.type('write four');
  await workbench.page.keyboard.press('Enter');
  await workbench.row('Review…').waitFor();
  await workbench.page.keyboard.press('Control+Alt+P');
  for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) {
    await chat.permission(`${name}.txt`).waitFor();
    const total = 4 - index;
    if (total > 1) await workbench.quickInputTitle.filter({ hasText: `1 of ${total}` }).waitFor();
    await pause(ARMED);
    await workbench.page.keyboard.type('Allow Once');
    await workbench.row('Allow Once').waitFor();
    // On a busy machine the last key may have arrived later than it was sent, and Enter comes too early.
    await until(`the answer about ${name}.txt`, async () => {
      await pause(ARMED);
      await workbench.page.keyboard.press('Enter');
      const card = chat.permission(`${name}.txt`);
      return card.waitFor({ state: 'detached', timeout: 3000 }).then(
        () => true,
        () => false,
      );
    });
  }
  await chat.said('All answered.');
  const spoken = chat.frame.locator('[aria-live="assertive"]');
  assert.equal(await spoken.count(), 1);
});

test('waiting and done are told with a notice whose button goes there', async (t) => {
  const { workbench, chat, model } = await openScene(t, { fresh: true });
  workbench.updateSettings({
    'gatehouse.notify.whenWaiting': 'always',
    'gatehouse.notify.whenDone': 'always',
    'gatehouse.notify.sound': true,
  });
  // The editor begins to watch the folder's settings some time after it opened.
  await workbench.useTheme('dark');
  const page = await chat.document();
  await page.evaluate(
    'window.sounds = 0; { const Real = window.AudioContext; window.AudioContext = class extends Real { constructor() { super(); window.sounds += 1; } }; }',
  );
  model.script(ONE, { text: 'Written.' });
  await chat.send('write it');
  await chat.permission('a.txt').waitFor();
  const toast = workbench.page.locator('.notification-toast', { hasText: 'needs your answer' });
  await toast.waitFor();
  await workbench.screenshot('queue-notice');
  assert.equal(await page.evaluate('window.sounds'), 1);
  await workbench.row('Review…').waitFor();
  await workbench.hideQuickInput();
  await toast.getByRole('button', { name: 'Show' }).click();
  await until(
    'the focus in the card',
    async () =>
      (await chat
        .permission()
        .evaluate((card) => card.contains(card.ownerDocument.activeElement))) || undefined,
  );
  await pause(ARMED);
  await chat.permission().getByRole('button', { name: 'Allow', exact: true }).click();
  await workbench.page.locator('.notification-toast', { hasText: 'is done' }).waitFor();
  assert.equal(await page.evaluate('window.sounds'), 2);
});

for (const theme of ['light', 'dark', 'highContrast', 'highContrastLight'] satisfies Theme[]) {
  test(`the current request can be read in ${theme} at any width`, async (t) => {
    const { workbench, chat, model } = await openScene(t);
    await workbench.useTheme(theme);
    model.script(FOUR);
    await chat.send('write four');
    await workbench.row('Review…').waitFor();
    await workbench.hideQuickInput();
    for (const width of [220, 400, 900]) {
      await workbench.resizeSideBar(width);
      await chat.permission('a.txt').waitFor();
      const wide = await chat.frame
        .locator('.asks')
        .evaluate((box) => box.scrollWidth > box.clientWidth);
      assert.equal(wide, false, `the request is cut off at ${width} pixels`);
      await workbench.screenshot(`queue-${theme}-${width}`);
    }
    await workbench.resizeSideBar(320);
  });
}

/** Sends a message whose request comes when the user has gone elsewhere. */
async function sendLater({ chat, model }: Scene): Promise<void> {
  model.script(LATER);
  await chat.send('write it');
}

/** Types lines with Enter until the request has been pending for a while. Returns their number. */
async function typeWhileAsked({ workbench, chat }: Scene, line: string): Promise<number> {
  let lines = 0;
  let asked = 0;
  while (asked === 0 || Date.now() - asked < WATCHED) {
    await workbench.page.keyboard.type(line, { delay: 8 });
    await workbench.page.keyboard.press('Enter');
    lines += 1;
    if (asked === 0 && (await chat.permission().count()) > 0) asked = Date.now();
  }
  return lines;
}
