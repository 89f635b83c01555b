import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { again, clickUntil, LOST, pause, until } from '../workbench/processes.ts';
import { LOOKS } from '../workbench/variants.ts';
import type { Workbench } from '../workbench/workbench.ts';
import { goToFirst } from './card.ts';
import type { ScriptedModel } from './model.ts';
import { giveReason, MENU_MS, openRequest, pick, pickByKeys } from './pick.ts';
import {
  allowByKeys,
  allowInTitle,
  atChange,
  isStored,
  lens,
  openCurrentReview,
  pressInTitle,
  pressKey,
  reviewFocus,
  typeAtEnd,
  useLens,
} from './reviewEditor.ts';
import { openScene, type Scene } from './scene.ts';

const OLD = Array.from({ length: 40 }, (_, at) => `line ${at + 1}\n`);
const NEW = OLD.with(1, 'LINE 2\n').with(20, 'LINE 21\n').with(38, 'LINE 39\n');

/** Sends a prompt whose answer proposes `content` for `path`. */
async function propose(scene: Scene, path = 'notes.txt', content = NEW.join('')): Promise<void> {
  scene.model.script({ calls: [{ tool: 'write', input: { path, content } }] }, { text: 'Done.' });
  await scene.chat.send('change the notes');
}

async function openReview(scene: Scene, content?: string): Promise<void> {
  await propose(scene, 'notes.txt', content);
  await scene.chat.permission().first().waitFor();
  await openCurrentReview(scene.workbench);
}

/** Presses the uppermost arrow between the sides; their order in the document is another one. */
async function revertFirst({ page }: Workbench): Promise<void> {
  const arrows = page.getByRole('button', { name: 'Revert Block' });
  const tops = await arrows.evaluateAll((all) =>
    all.map((each) => each.getBoundingClientRect().top),
  );
  await arrows.nth(tops.indexOf(Math.min(...tops))).click({ timeout: LOST });
}

function prepare(scene: Scene): string {
  const file = `${scene.sample.folder}/notes.txt`;
  writeFileSync(file, OLD.join(''));
  return file;
}

test('by mouse: changes are kept, rejected and typed over one by one, and that is what is written', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat, model } = scene;
  const file = prepare(scene);
  await openReview(scene);
  assert.equal(await workbench.quickInput.isVisible(), false, 'the diff closes the quick pick');
  await workbench.statusItem('1 of 3').waitFor();
  await workbench.screenshot('review-open');
  await useLens(workbench, /Keep \(/, () => lens(workbench, 'Kept').first().isVisible());
  await workbench.statusItem('2 of 3').waitFor();
  await clickUntil('the rejected change', lens(workbench, /Reject \(/).nth(1), () =>
    lens(workbench, 'Rejected').first().isVisible(),
  );
  await workbench.screenshot('review-decided');
  assert.equal(readFileSync(file, 'utf8'), OLD.join(''), 'nothing is written before the answer');
  await allowInTitle(workbench);
  await chat.said('Done.');
  assert.equal(readFileSync(file, 'utf8'), NEW.with(20, 'line 21\n').join(''));
  // The diff has become the file.
  await workbench.tab('notes.txt').first().waitFor();
  await until('the end of the diff', async () => (await workbench.diff.count()) === 0 || undefined);
  assert.deepEqual(toldHunks(model), [
    { line: 2, outcome: 'kept' },
    { line: 21, outcome: 'rejected', proposed_text: 'LINE 21\n' },
    { line: 39, outcome: 'kept' },
  ]);
});

/** What the last request says became of each hunk of the proposal. */
function toldHunks(model: ScriptedModel): unknown {
  const { messages } = Object(model.requests.at(-1)?.body);
  const { content } = messages.findLast(({ role }: { role: string }) => role === 'tool');
  const { metadata } = JSON.parse(typeof content === 'string' ? content : content[0].text);
  return metadata.review.files[0].hunks;
}

test('by keyboard alone: review, keep, reject, undo, type and allow', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat } = scene;
  const file = prepare(scene);
  await propose(scene);
  await chat.permission().first().waitFor();
  // No key answers a quick pick that opened by itself, until the user goes to it.
  await openRequest(workbench);
  await pickByKeys(workbench, 'Review…');
  await reviewFocus(workbench);
  await workbench.statusItem('1 of 3').waitFor();
  const has = (name: string) => lens(workbench, name).first().isVisible();
  const hasNo = async (name: string) => (await lens(workbench, name).count()) === 0;
  await pressKey(workbench, 'Alt+n', () => has('Rejected'));
  await atChange(workbench, 2);
  await pressKey(workbench, 'Alt+y', () => has('Kept'));
  await pressKey(workbench, 'Control+z', () => hasNo('Kept'));
  await pressKey(workbench, 'Control+z', () => hasNo('Rejected'));
  await atChange(workbench, 1);
  await pressKey(workbench, 'Alt+F5', () => workbench.statusItem('2 of 3').isVisible());
  await pressKey(workbench, 'Alt+n', () => has('Rejected'));
  await atChange(workbench, 3);
  await typeAtEnd(workbench, 'LINE 39', ' typed');
  // The card shows what would be written now, with the distance between the changes.
  const rows = chat.permission().locator('.row');
  await rows.filter({ hasText: 'LINE 39 typed' }).waitFor();
  assert.equal(await rows.filter({ hasText: 'LINE 21' }).count(), 0, 'a rejected change');
  await rows.filter({ hasText: '⋯ 32 lines' }).waitFor();
  await workbench.screenshot('review-card-follows');
  await allowByKeys(scene);
  await chat.said('Done.');
  assert.equal(
    readFileSync(file, 'utf8'),
    NEW.with(20, 'line 21\n').with(38, 'LINE 39 typed\n').join(''),
  );
});

for (const [by, decide] of [
  ['keys', rejectByKey],
  ['the mouse', rejectInMenu],
] as const) {
  test(`by ${by}: of one change, only the selected lines are rejected`, async (t) => {
    const scene = await openScene(t);
    const { workbench, chat } = scene;
    const file = prepare(scene);
    await openReview(scene, [...OLD, 'one\n', 'two\n', 'three\n'].join(''));
    await select(scene, 'two');
    await decide(scene);
    await lens(workbench, /Keep \(/)
      .first()
      .waitFor();
    await workbench.screenshot(`review-selected-lines-${by.replace(' ', '-')}`);
    await allowInTitle(workbench);
    await chat.said('Done.');
    assert.equal(readFileSync(file, 'utf8'), [...OLD, 'one\n', 'three\n'].join(''));
  });
}

test('Alt+Y keeps only the selected lines of a change', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat } = scene;
  const file = prepare(scene);
  await openReview(scene, [...OLD, 'one\n', 'two\n', 'three\n'].join(''));
  await select(scene, 'two');
  await pressKey(workbench, 'Alt+y', () => lens(workbench, 'Kept').first().isVisible());
  await allowInTitle(workbench);
  await chat.said('Done.');
  assert.equal(readFileSync(file, 'utf8'), [...OLD, 'two\n'].join(''));
});

/** Selects a line of the proposal, by keys from where a click puts the cursor. */
async function select({ workbench }: Scene, text: string): Promise<void> {
  const line = workbench.page.locator('.editor.modified .view-line').filter({ hasText: text });
  await again(
    `the selected line ${text}`,
    async () => {
      await line.first().click({ timeout: LOST });
      await workbench.page.keyboard.press('Home');
      await workbench.page.keyboard.press('Shift+End');
    },
    () => workbench.statusItem(`(${text.length} selected)`).isVisible(),
  );
}

async function rejectByKey({ workbench }: Scene): Promise<void> {
  const line = workbench.page.locator('.editor.modified .view-line').filter({ hasText: /^two$/ });
  await pressKey(workbench, 'Alt+n', async () => (await line.count()) === 0);
}

async function rejectInMenu({ workbench }: Scene): Promise<void> {
  const line = workbench.page.locator('.editor.modified .view-line').filter({ hasText: 'two' });
  const item = workbench.page.getByRole('menuitem', { name: 'Reject Selected Lines' });
  await again(
    'the rejection',
    async () => {
      if (!(await item.isVisible()))
        await line.locator('span span').first().click({ button: 'right', timeout: LOST });
      await item.waitFor({ timeout: LOST });
      await pause(MENU_MS);
      await item.click({ timeout: LOST });
    },
    async () => (await line.count()) === 0,
  );
}

test('the revert arrow of the diff rejects a change', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat, model } = scene;
  const file = prepare(scene);
  await openReview(scene);
  const right = workbench.page.locator('.editor.modified .view-lines');
  const change = right.getByText('LINE 2', { exact: true });
  await again(
    'the reverted change',
    () => revertFirst(workbench),
    () => lens(workbench, 'Rejected').first().isVisible(),
  );
  await change.waitFor({ state: 'detached' });
  await workbench.screenshot('review-revert-arrow');
  // What VS Code's own arrow did is undone by VS Code.
  await pressKey(
    workbench,
    'Control+z',
    async () => (await lens(workbench, 'Rejected').count()) === 0,
  );
  await change.waitFor();
  await again(
    'the reverted change',
    () => revertFirst(workbench),
    () => lens(workbench, 'Rejected').first().isVisible(),
  );
  await allowInTitle(workbench);
  await chat.said('Done.');
  assert.equal(readFileSync(file, 'utf8'), NEW.with(1, 'line 2\n').join(''));
  assert.match(JSON.stringify(model.requests.at(-1)?.body), /rejected/);
});

test('a reason reaches the model, and a denied proposal leaves the file', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat, model } = scene;
  const file = prepare(scene);
  await openReview(scene);
  await typeAtEnd(workbench, 'LINE 2', ' mine');
  await chat.permission().locator('.row', { hasText: 'LINE 2 mine' }).waitFor();
  await pressInTitle(workbench, 'Deny');
  await giveReason(workbench, 'Use the other file.');
  await chat.said('Done.');
  assert.equal(readFileSync(file, 'utf8'), OLD.join(''));
  assert.match(JSON.stringify(model.requests.at(-1)?.body), /Use the other file\./);
  // What was denied is what the agent proposed.
  const card = chat.card('notes.txt');
  await chat.status(card, 'denied');
  await chat.expand(card);
  await card.locator('.row', { hasText: /LINE 2\s*$/ }).waitFor();
  assert.equal(await card.locator('.row', { hasText: 'mine' }).count(), 0);
  await until('the end of the diff', async () => (await workbench.diff.count()) === 0 || undefined);
});

test('text typed into a proposal survives closing the tab', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat } = scene;
  const file = prepare(scene);
  await openReview(scene);
  await typeAtEnd(workbench, 'LINE 2', ' mine');
  // It is clean a moment later, so that closing asks nothing.
  await isStored(scene, 'LINE 2 mine');
  await workbench.run('View: Close Editor');
  await until('the end of the diff', async () => (await workbench.diff.count()) === 0 || undefined);
  await workbench.run('Gatehouse: Review Proposed Edit');
  await until('the typed text', async () =>
    (await workbench.diffText('modified')).some((line) => line.includes('LINE 2 mine')),
  );
  await allowInTitle(workbench);
  await chat.said('Done.');
  assert.equal(readFileSync(file, 'utf8'), NEW.with(1, 'LINE 2 mine\n').join(''));
});

test('a file that is deleted during its review is told as such, and nothing is written', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat } = scene;
  const file = prepare(scene);
  await openReview(scene);
  const notice = lens(workbench, 'The file was deleted after this was proposed');
  const original = async () => (await workbench.diffText('original')).join('').trim();
  rmSync(file);
  await notice.waitFor();
  await until('an empty left side', async () => (await original()) === '' || undefined);
  await workbench.screenshot('review-file-deleted');
  prepare(scene);
  await notice.waitFor({ state: 'detached' });
  await until('the file at the left', async () => (await original()) !== '' || undefined);
  rmSync(file);
  await notice.waitFor();
  await allowInTitle(workbench);
  await chat.said('Done.');
  assert.equal(existsSync(file), false);
});

test('a deletion is named on the card, in the tab and in the diff', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat, model } = scene;
  const file = `${scene.sample.folder}/old.txt`;
  writeFileSync(file, 'old\n');
  const patch = '--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n';
  model.script({ calls: [{ tool: 'apply_patch', input: { patch } }] }, { text: 'Done.' });
  await chat.send('delete the old file');
  await chat.permission().locator('.diff .tag', { hasText: 'deleted' }).waitFor();
  await openCurrentReview(workbench);
  await workbench.tab('old.txt (proposed deletion, not applied)').waitFor();
  await lens(workbench, 'This file will be deleted.').first().waitFor();
  await workbench.screenshot('review-deletion');
  await allowInTitle(workbench);
  await chat.said('Done.');
  assert.equal(existsSync(file), false);
});

test('of four parallel edits, pick, diff and card name the same file', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat, model } = scene;
  const names = ['one', 'two', 'three', 'four'].map((name) => `${name}.txt`);
  const calls = names.map((path) => ({ tool: 'write', input: { path, content: `${path}\n` } }));
  model.script({ calls }, { text: 'Done.' });
  await chat.send('write four files');
  await goToFirst(scene, 4);
  await openRequest(workbench);
  await pick(workbench, 'Review…');
  for (const name of names) {
    await workbench.tab(`${name} (proposal`).waitFor();
    await workbench.page.locator(`.tab.active[data-resource-name^="${name}"]`).waitFor();
    assert.equal(await workbench.tab('(proposal').count(), 1, 'one tab for the current request');
    assert.equal(await workbench.quickInput.isVisible(), false);
    await until(`the card of ${name}`, async () =>
      (await chat.permission().first().getAttribute('aria-label'))?.includes(name),
    );
    await allowInTitle(workbench);
    if (name !== names.at(-1)) {
      await workbench.tab(`${name} (proposal`).waitFor({ state: 'detached' });
      const next = names[names.indexOf(name) + 1] ?? '';
      const show = chat.permission(next).getByRole('button', { name: 'Show Diff' });
      await clickUntil(`the diff of ${next}`, show, () =>
        workbench.tab(`${next} (proposal`).isVisible(),
      );
    }
  }
  await chat.said('Done.');
});

for (const theme of LOOKS) {
  test(`a review can be read in ${theme}, side by side and narrow`, async (t) => {
    const scene = await openScene(t);
    const { workbench } = scene;
    await workbench.useTheme(theme);
    prepare(scene);
    await openReview(scene);
    await workbench.screenshot(`review-${theme}`);
    await workbench.resizeSideBar(220);
    await workbench.screenshot(`review-${theme}-narrow`);
    await workbench.resizeSideBar(400);
  });
}
