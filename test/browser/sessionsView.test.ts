import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { again, clickUntil, LOST, pause, until } from '../workbench/processes.ts';
import { LOOKS, wholeTest } from '../workbench/variants.ts';
import { answerBox, MENU_MS, moveUntil, pick } from './pick.ts';
import { openScene, type Scene } from './scene.ts';

/** Sends the first message of a new session, and waits for the answer. */
async function begin({ chat, model }: Scene, text: string, answer: string): Promise<void> {
  model.script({ text: answer });
  await chat.send(text);
  await chat.said(answer);
  await chat.idle();
}

function row({ workbench }: Scene, name: string | RegExp): Locator {
  return workbench.page.getByRole('treeitem', { name }).first();
}

/** Waits until a row stays where it is: a list that is drawn anew puts another one under the mouse. */
async function settled(of: Locator): Promise<void> {
  let before = '';
  await until('a row that stays', async () => {
    const now = JSON.stringify(await of.boundingBox({ timeout: LOST }).catch(() => null));
    const stays = now !== 'null' && now === before;
    before = now;
    await pause(SETTLE_MS);
    return stays || undefined;
  });
}

/** A list is drawn anew within this time of a change, in milliseconds. */
const SETTLE_MS = 700;

/** Chooses an entry of the context menu of a row. */
async function chooseIn(scene: Scene, of: Locator, entry: string): Promise<void> {
  const { page } = scene.workbench;
  const item = page.getByRole('menuitem', { name: entry });
  await settled(of);
  await again(
    `the menu with ${entry}`,
    () => of.click({ button: 'right', timeout: LOST }),
    async () => (await item.count()) > 0,
  );
  await pause(MENU_MS);
  await clickUntil(`the end of the menu`, item, async () => (await item.count()) === 0);
}

/** Moves the focus to a row by the arrow keys, and presses a key there, until that shows something. */
async function pressOn(scene: Scene, name: RegExp, key: string, shown: Locator): Promise<void> {
  const { page } = scene.workbench;
  const list = page.locator('.monaco-list[aria-label="Sessions"]');
  await list.and(page.locator(':focus')).waitFor();
  // At once: at first no row has the focus.
  const focused = () =>
    list
      .locator('.monaco-list-row.focused')
      .evaluateAll(([first]) => first?.getAttribute('aria-label') ?? null);
  const isOnRow = async () => name.test((await focused()) ?? '');
  await settled(row(scene, name));
  await again(
    `${key} on the row`,
    async () => {
      if (!(await isOnRow())) {
        await page.keyboard.press('Home');
        await moveUntil('the row', () => page.keyboard.press('ArrowDown'), focused, isOnRow);
      }
      await page.keyboard.press(key);
    },
    () => shown.isVisible(),
  );
}

/** The rows of the view from the top, groups included. */
async function listed({ workbench }: Scene): Promise<readonly string[]> {
  const rows = await workbench.page.locator('.pane-body .monaco-list-row:visible').all();
  return Promise.all(rows.map(async (each) => (await each.getAttribute('aria-label')) ?? ''));
}

test('sessions are listed, renamed, pinned, forked, searched, exported, deleted and imported, and a message is edited and sent again', async (t) => {
  const scene = await openScene(t, { fresh: true });
  const { workbench, chat, model } = scene;
  await begin(scene, 'Read the parser', 'The parser is read.');
  await chat.startSession();
  await begin(scene, 'Write the tests', 'The tests are written.');
  await workbench.run('Gatehouse: Focus on Sessions View');
  await workbench.page.locator('.monaco-list[aria-label="Sessions"]:focus').waitFor();
  await row(scene, /^Write the tests/).waitFor();

  // Neither row is selected: the arrow keys only move the focus.
  await pressOn(scene, /^Read the parser/, 'F2', workbench.quickInput);
  await answerBox(workbench, 'Rename Session', 'All about parsing');
  await row(scene, /^All about parsing/).waitFor();
  await chooseIn(scene, row(scene, /^All about parsing/), 'Pin Session');
  await row(scene, 'Pinned').waitFor();
  const isFirst = async () => {
    const rows = await listed(scene);
    const at = (name: string) => rows.findIndex((each) => each.startsWith(name));
    return at('Pinned') >= 0 && at('All about parsing') < at('Write the tests');
  };
  await until('the pinned session first', async () => (await isFirst()) || undefined);

  model.script({ calls: [{ tool: 'bash', input: { command: 'echo waits > waits.txt' } }] });
  await chat.send('Run it');
  await row(scene, /^Write the tests, waits for a permission/).waitFor();
  for (const theme of LOOKS) {
    await workbench.useTheme(theme);
    for (const width of [220, 400]) {
      await workbench.resizeSideBar(width);
      await workbench.screenshot(`sessions-view-${theme}-${width}`);
    }
  }
  await chat.stop();
  await chat.idle();

  await clickUntil('the first session', row(scene, /^All about parsing/), async () =>
    (await chat.items('user').allInnerTexts()).some((text) => text.includes('Read the parser')),
  );
  await chooseIn(scene, row(scene, /^All about parsing, /), 'Fork Session');
  await until('the fork', async () => {
    const rows = await listed(scene);
    return rows.filter((each) => each.includes('All about parsing')).length >= 2 || undefined;
  });
  await chat.said('The parser is read.');

  await chat.items('user').last().focus();
  await workbench.page.keyboard.press('Enter');
  await chat.button('Edit and Resend').last().press('Enter');
  await until(
    'the message in the input',
    async () => (await chat.composer.inputValue()) === 'Read the parser' || undefined,
  );
  assert.equal(await chat.items('agent').count(), 0);
  await chat.button('Undo Rewind').waitFor();
  await workbench.screenshot('edit-and-resend');
  await begin(scene, 'Read the lexer', 'The lexer is read.');
  assert.equal(await chat.items('user').count(), 1);
  assert.equal(await chat.button('Undo Rewind').count(), 0);

  await searchIn(scene, 'tests writ', 'The tests are written.');
  const file = path.join(scene.sample.folder, 'exported.jsonl');
  await exportTo(scene, /^Write the tests/, file);
  await deleteOne(scene, /^Write the tests/);
  await workbench.run('Gatehouse: Import Session…');
  await answerBox(workbench, 'Import Session', file);
  await chat.said('The tests are written.');
  await row(scene, /^Write the tests/).waitFor();
  await deleteAll(scene);
  await row(scene, /^Write the tests/).waitFor({ state: 'detached' });
  await row(scene, /^All about parsing/).waitFor();
});

/** Chooses the message that a search finds, which opens its session. */
async function searchIn({ workbench, chat }: Scene, words: string, message: string) {
  await workbench.run('Gatehouse: Search Sessions…');
  await workbench.quickInput.filter({ hasText: 'Search Sessions' }).waitFor();
  await workbench.quickInputBox.fill(words);
  await pick(
    workbench,
    workbench.quickInput.locator('.monaco-list-row').filter({ hasText: message }),
  );
  await chat.said(message);
}

async function exportTo(scene: Scene, name: RegExp, file: string): Promise<void> {
  await chooseIn(scene, row(scene, name), 'Export Session…');
  await answerBox(scene.workbench, 'Export Session', file);
  await scene.workbench.notice('Exported "Write the tests".');
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  assert.equal(JSON.parse(lines[0] ?? '').type, 'session');
  assert.ok(lines.some((line) => line.includes('The tests are written.')));
}

async function deleteOne(scene: Scene, name: RegExp): Promise<void> {
  const { dialog } = scene.workbench;
  await scene.workbench.run('Gatehouse: Focus on Sessions View');
  await pressOn(scene, name, 'Delete', dialog);
  await dialog.getByText('Delete the session "Write the tests"?').waitFor();
  await dialog.getByText(/are deleted for good/).waitFor();
  await scene.workbench.screenshot('delete-session');
  await confirm(scene, 'Delete');
  await row(scene, name).waitFor({ state: 'detached' });
}

async function deleteAll(scene: Scene): Promise<void> {
  const { dialog } = scene.workbench;
  await scene.workbench.run('Gatehouse: Delete All Sessions…');
  await dialog.getByText('Delete all sessions?').waitFor();
  // Of all folders, so those of other tests count, too.
  await dialog.getByText(/Pinned sessions stay: [1-9]\d*\./).waitFor();
  await scene.workbench.screenshot('delete-all-sessions');
  await confirm(scene, /of This Workspace$/);
  await scene.workbench.notice(/Deleted sessions: \d+\. Pinned sessions stay: 1\./);
}

/** Presses a button of the dialog until the dialog is gone. */
async function confirm({ workbench: { dialog } }: Scene, name: string | RegExp): Promise<void> {
  const button = dialog.getByRole('button', { name, exact: typeof name === 'string' });
  await clickUntil('the end of the dialog', button, async () => (await dialog.count()) === 0);
}

wholeTest(
  'a chat moves to an editor and is there again after a reload of the window',
  async (t) => {
    const scene = await openScene(t, { fresh: true });
    const { workbench, chat } = scene;
    const { page } = workbench;
    await begin(scene, 'Read the parser', 'The parser is read.');
    await workbench.run('Gatehouse: Open Chat in Editor');
    const tab = workbench.tab('Read the parser');
    await tab.waitFor();
    const editor = async () => {
      for (const frame of page.frames()) {
        const body = frame.locator('body.in-editor');
        if ((await body.count().catch(() => 0)) > 0) return body;
      }
      return undefined;
    };
    const shows = (text: string) =>
      until(`${text} in the editor`, async () => {
        const body = await editor();
        return ((await body?.innerText().catch(() => '')) ?? '').includes(text) || undefined;
      });
    await shows('The parser is read.');
    await until('a new chat beside it', async () => (await chat.items('user').count()) === 0);
    for (const theme of LOOKS) {
      await workbench.useTheme(theme);
      await workbench.screenshot(`chat-editor-${theme}`);
    }
    await workbench.reload();
    await tab.waitFor();
    await shows('The parser is read.');
  },
);
