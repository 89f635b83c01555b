import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { again, clickUntil, pause, until } from '../workbench/processes.ts';
import { GAPS, LOOKS, wholeTest } from '../workbench/variants.ts';
import { inTheme } from '../workbench/workbench.ts';
import { armed, goToFirst, press } from './card.ts';
import { clickTwice, clickTwiceUntil, withTwoClicks } from './clickTwice.ts';
import { ARMED, openRequest, pick, typeInBox } from './pick.ts';
import { focusEditor } from './reviewEditor.ts';
import { openScene, type Scene } from './scene.ts';

/** Four writes of one message, none of which a rule allows. */
const FOUR = {
  calls: ['a', 'b', 'c', 'd'].map((name) => ({
    tool: 'write',
    input: { path: `${name}.txt`, content: name },
  })),
};
const ONE = { calls: [{ tool: 'write', input: { path: 'a.txt', content: 'a' } }] };
/** A request and a pick for it come within this time if they come at all. Milliseconds. */
const WATCHED = 2500;

test('pick, card, status bar and inbox show the same current request of four', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat, model } = scene;
  model.script(FOUR);
  await chat.send('write four');
  await workbench.row('Review…').waitFor();
  await goToFirst(scene, 4);
  await workbench.quickInputTitle
    .filter({ hasText: /a\.txt \(1 of 4 · gatehouse · write four\)/ })
    .waitFor();
  await chat.permission('a.txt').waitFor();
  assert.equal(await chat.permission().count(), 1);
  await chat.frame.getByText('1 of 4', { exact: true }).waitFor();
  const status = workbench
    .statusItem('4')
    .filter({ has: workbench.page.locator('.codicon-shield') });
  await status.locator('a[aria-label*="1 of 4"]').first().waitFor();
  await workbench.page.locator('.activitybar .badge-content', { hasText: '4' }).first().waitFor();
  await workbench.screenshot('queue-pick');

  // One Escape puts off all four; nothing opens again, and nothing is lost.
  await workbench.hideQuickInput();
  await workbench.quickInput.waitFor({ state: 'detached' });
  await pause(WATCHED);
  assert.equal(await workbench.quickInput.count(), 0);
  await chat.permission('a.txt').waitFor();

  const row = await openInbox(scene, 'd.txt');
  assert.equal((await workbench.rows()).length, 4);
  const inRow = /write · gatehouse · write four · (just now|\d+ min ago).*(Low|Medium|High) risk/s;
  assert.match(await row.innerText(), inRow, 'tool, agent, session, age and risk');
  await workbench.screenshot('queue-inbox');
  await pick(workbench, workbench.quickInput.locator('.monaco-list-row', { hasText: 'c.txt' }));
  await chat.permission('c.txt').waitFor();
  await chat.frame.getByText('3 of 4', { exact: true }).waitFor();
  await workbench.quickInputTitle.filter({ hasText: '3 of 4' }).waitFor();

  // Answering moves on to the next one.
  await pick(workbench, 'Deny');
  await chat.permission('d.txt').waitFor();
  await workbench.quickInputTitle.filter({ hasText: '3 of 3' }).waitFor();
});

for (const gap of GAPS) {
  test(`two clicks ${gap} ms apart on a card answer one request`, (t) =>
    withTwoClicks(gap, async (gap) => {
      const scene = await openScene(t);
      const { workbench, chat, model, sample } = scene;
      model.script(FOUR);
      await chat.send('write four');
      await goToFirst(scene, 4);
      const allow = chat.permission().getByRole('button', { name: 'Allow', exact: true });
      await clickTwiceUntil(
        'the first answer',
        async () => {
          await armed(scene);
          await clickTwice(workbench.page, allow, gap);
        },
        () => chat.permission('b.txt').isVisible(),
      );
      await pause(ARMED * 2);
      await chat.frame.getByText('1 of 3', { exact: true }).waitFor();
      assert.throws(() => readFileSync(path.join(sample.folder, 'b.txt')));
    }));

  test(`two clicks ${gap} ms apart on a row answer one request`, (t) =>
    withTwoClicks(gap, async (gap) => {
      const scene = await openScene(t);
      const { workbench, chat, model } = scene;
      model.script(FOUR);
      await chat.send('write four');
      await goToFirst(scene, 4);
      await openRequest(workbench);
      await clickTwiceUntil(
        'the first answer',
        async () => {
          await pause(ARMED);
          await clickTwice(workbench.page, workbench.row('Deny'), gap);
        },
        () => chat.permission('b.txt').isVisible(),
      );
      await pause(ARMED * 2);
      await chat.frame.getByText('1 of 3', { exact: true }).waitFor();
    }));
}

wholeTest(
  'a burst of keys with Enter in an editor approves nothing and loses no character',
  async (t) => {
    // Enter would accept a suggestion.
    const settings = { 'editor.wordBasedSuggestions': 'off' };
    const scene = await openScene(t, { settings });
    const { workbench, chat, sample } = scene;
    await workbench.run('File: New Untitled Text File');
    const ask = await sendLater(scene);
    await focusEditor(workbench);
    const line = 'every character of this line counts';
    const typed = await typeWhileAsked(scene, line, ask);
    await chat.permission('a.txt').waitFor();
    assert.equal(await workbench.quickInput.count(), 0);
    assert.throws(() => readFileSync(path.join(sample.folder, 'a.txt')));
    await until(
      `${typed} lines`,
      async () => (await workbench.editorText()).filter((each) => each === line).length === typed,
    );
  },
);

wholeTest(
  'a burst of keys with Enter in a terminal approves nothing and loses no character',
  async (t) => {
    const scene = await openScene(t);
    const { workbench, chat, sample } = scene;
    const file = path.join(sample.folder, 'typed.log');
    await workbench.run('Terminal: Create New Terminal');
    await until('the prompt', async () => (await workbench.terminalText()) !== '');
    const ask = await sendLater(scene);
    const terminal = workbench.page.locator('.terminal-wrapper.active');
    await clickUntil('the focus in the terminal', terminal, () =>
      terminal.locator('.xterm.focus').isVisible(),
    );
    // Only a file keeps all lines; a terminal draws those in view.
    await workbench.page.keyboard.type('cat > typed.log');
    await workbench.page.keyboard.press('Enter');
    await until('the file', () => existsSync(file));
    const line = 'every character of this line counts';
    const typed = await typeWhileAsked(scene, line, ask);
    await workbench.page.keyboard.press('Control+D');
    await chat.permission('a.txt').waitFor();
    assert.equal(await workbench.quickInput.count(), 0);
    assert.throws(() => readFileSync(path.join(sample.folder, 'a.txt')));
    const expected = `${line}\n`.repeat(typed);
    await until(
      'the lines in the file',
      () => readFileSync(file, 'utf8') === expected || undefined,
    );
  },
);

test('keys that land in a pick that opened by itself go to the composer', async (t) => {
  const { workbench, chat, model, sample } = await openScene(t);
  model.script(ONE);
  await chat.send('write it');
  await workbench.row('Review…').waitFor();
  await pause(ARMED);
  const text = 'wait, use another name';
  await typeInOneGo(workbench.page, [...text, 'Enter']);
  await workbench.quickInput.waitFor({ state: 'detached' });
  await until('the text', async () => (await chat.composer.inputValue()) === text || undefined);
  await chat.permission('a.txt').waitFor();
  assert.throws(() => readFileSync(path.join(sample.folder, 'a.txt')));
  // The composer is not empty, so nothing opens over what the user writes.
  await pause(WATCHED);
  assert.equal(await workbench.quickInput.count(), 0);
  await workbench.page.keyboard.type('!');
  await until('the next key', async () => (await chat.composer.inputValue()) === `${text}!`);
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
  const scene = await openScene(t);
  const { workbench, chat, model } = scene;
  model.script(FOUR);
  await chat.send('write four');
  await goToFirst(scene, 4);
  await chat.composer.fill('a draft');
  await workbench.run('Developer: Reload Webviews');
  await chat.permission('a.txt').waitFor();
  await chat.frame.getByText('1 of 4', { exact: true }).waitFor();
  await until('the draft', async () => (await chat.composer.inputValue()) === 'a draft');
});

wholeTest('with a screen reader, four requests are answered by keys alone', async (t) => {
  const settings = { 'editor.accessibilitySupport': 'on', ...inTheme('highContrast') };
  const scene = await openScene(t, { settings });
  const { workbench, chat, model } = scene;
  model.script(FOUR, { text: 'All answered.' });
  await chat.sendByKeys('write four');
  await goToFirst(scene, 4);
  await openRequest(workbench);
  for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) {
    await chat.permission(`${name}.txt`).waitFor();
    const total = 4 - index;
    await workbench.quickInputTitle.filter({ hasText: `${name}.txt` }).waitFor();
    if (total > 1) await workbench.quickInputTitle.filter({ hasText: `1 of ${total}` }).waitFor();
    await workbench.quickInputBox.and(workbench.page.locator(':focus')).waitFor();
    await pause(ARMED);
    await typeInBox(workbench, 'Allow Once');
    await workbench.row('Allow Once').waitFor();
    // On a busy machine the last key may have arrived later than it was sent, and Enter comes too early.
    await again(
      `the answer about ${name}.txt`,
      async () => {
        await pause(ARMED);
        await workbench.page.keyboard.press('Enter');
      },
      async () => (await chat.permission(`${name}.txt`).count()) === 0,
    );
  }
  await chat.said('All answered.');
  const spoken = chat.frame.locator('[aria-live="assertive"]');
  assert.equal(await spoken.count(), 1);
});

wholeTest('waiting and done are told with a notice whose button goes there', async (t) => {
  const settings = {
    'gatehouse.notify.whenWaiting': 'always',
    'gatehouse.notify.whenDone': 'always',
    'gatehouse.notify.sound': true,
  };
  const scene = await openScene(t, { settings });
  const { workbench, chat, model } = scene;
  const page = await chat.document();
  await page.evaluate(
    'window.sounds = 0; { const Real = window.AudioContext; window.AudioContext = class extends Real { constructor() { super(); window.sounds += 1; } }; }',
  );
  model.script(ONE, { text: 'Written.' });
  await chat.send('write it');
  await chat.permission('a.txt').waitFor();
  await workbench.notice('needs your answer');
  await workbench.screenshot('queue-notice');
  const sounds = (count: number) =>
    until(`${count} sounds`, async () => (await page.evaluate('window.sounds')) === count);
  await sounds(1);
  await workbench.answerNotification('needs your answer', 'Show');
  await until(
    'the focus in the card',
    async () =>
      (await chat
        .permission()
        .evaluate((card) => card.contains(card.ownerDocument.activeElement))) || undefined,
  );
  await press(scene, 'Allow');
  await workbench.notice('is done');
  await sounds(2);
});

for (const theme of LOOKS) {
  test(`the current request can be read in ${theme} at any width`, async (t) => {
    const scene = await openScene(t);
    const { workbench, chat, model } = scene;
    await workbench.useTheme(theme);
    model.script(FOUR);
    await chat.send('write four');
    await goToFirst(scene, 4);
    await armed(scene);
    for (const width of [220, 400, 900]) {
      await workbench.resizeSideBar(width);
      await chat.permission('a.txt').waitFor();
      await until(`a request that is not cut off at ${width} pixels`, () =>
        chat.frame.locator('.asks').evaluate((box) => box.scrollWidth <= box.clientWidth),
      );
      await until(`Show Diff beside its file at ${width} pixels`, () =>
        chat.permission('a.txt').evaluate((card) => {
          const path = card.querySelector('.diff-path')?.getBoundingClientRect();
          const button = card.querySelector('.diff .button')?.getBoundingClientRect();
          return path && button && button.top < path.bottom && button.right > path.right;
        }),
      );
      await workbench.screenshot(`queue-${theme}-${width}`);
    }
    await workbench.resizeSideBar(320);
    await openInbox(scene, 'd.txt');
    await workbench.screenshot(`queue-inbox-${theme}`);
    await workbench.hideQuickInput();
  });
}

/** Opens the list of pending requests and returns the row of this one. */
async function openInbox({ workbench }: Scene, request: string): Promise<Locator> {
  const row = workbench.quickInput.locator('.monaco-list-row', { hasText: request });
  await again(
    'the list of pending requests',
    () => workbench.run('Gatehouse: Show Pending Requests'),
    () => row.isVisible(),
  );
  return row;
}

/** Sends a message. Its request comes when the user has gone elsewhere, and what is returned is called. */
async function sendLater({ chat, model }: Scene): Promise<() => void> {
  const elsewhere = Promise.withResolvers<void>();
  model.script({
    ...{ ...ONE, text: 'I think. ', delayMs: 200 },
    until: elsewhere.promise,
  });
  await chat.send('write it');
  await chat.said('I think.');
  return elsewhere.resolve;
}

/**
 * Types lines with Enter, has the request come meanwhile, and goes on until it has been pending for a
 * while. Returns their number.
 */
async function typeWhileAsked(
  { workbench, chat }: Scene,
  line: string,
  ask: () => void,
): Promise<number> {
  let lines = 0;
  let asked = 0;
  while (asked === 0 || Date.now() - asked < WATCHED) {
    await workbench.page.keyboard.type(line, { delay: 8 });
    await workbench.page.keyboard.press('Enter');
    lines += 1;
    ask();
    if (asked === 0 && (await chat.permission().count()) > 0) asked = Date.now();
  }
  return lines;
}

/** Presses keys without waiting for what they do, for a busy page would make pauses between them. */
async function typeInOneGo({ keyboard }: Page, keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((key) => keyboard.press(key === ' ' ? 'Space' : key)));
}
