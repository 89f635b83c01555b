import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chat } from '../workbench/chat.ts';
import { again, clickUntil, LOST, until } from '../workbench/processes.ts';
import { Workbench } from '../workbench/workbench.ts';
import { choose, press, settled } from './card.ts';
import { focusEditor } from './reviewEditor.ts';
import { edit, FILES, inMode, prepareFiles } from './reviewMode.ts';
import { savedRules } from './savedRules.ts';
import { openScene, type Scene, sharedStage } from './scene.ts';
import { openWritten, writeTwoChanges, writtenLens, writtenList } from './written.ts';

/** Another window on the scene's folder. */
async function openSecond(scene: Scene): Promise<Scene> {
  const { browser, server } = await sharedStage();
  const workbench = await Workbench.open(browser, server, { folder: scene.sample.folder });
  return { ...scene, workbench, chat: await Chat.open(workbench) };
}

/** Waits until the status bar counts so many requests. */
async function waiting({ page }: Workbench, count: number): Promise<void> {
  const item = page.locator('.statusbar-item', { has: page.locator('.codicon-shield') });
  if (count === 0) await item.filter({ hasText: /\d/ }).waitFor({ state: 'detached' });
  else await item.filter({ hasText: String(count) }).waitFor();
}

test('each window of a folder shows what the other decides about unreviewed changes', async (t) => {
  const scene = await openScene(t, { fresh: true, ...inMode('afterwards') });
  const text = await writeTwoChanges(scene);
  await openWritten(scene, 'one.txt');
  const second = await openSecond(scene);
  const { workbench } = second;
  try {
    await workbench.page.getByLabel('Gatehouse: 1 file has unreviewed changes').first().waitFor();
    await workbench.run('Gatehouse: Review Unreviewed Changes');
    await clickUntil(
      'the undone change',
      writtenLens(second, 'Undo').first(),
      () => !text('one.txt').includes('FIRST'),
    );
    await workbench.screenshot('afterwards-second-window');
    // The first window follows by itself: lens and list.
    await writtenLens(scene, '1 of 1').waitFor();
    await writtenList(scene).locator('.counts').first().filter({ hasText: '+1 −1' }).waitFor();
    await clickUntil(
      'nothing to review',
      writtenLens(scene, 'Keep').first(),
      async () => (await writtenList(scene).count()) === 0,
    );
    // And so does the second.
    const status = workbench.page.getByLabel('Gatehouse: 1 file has unreviewed changes');
    await status.first().waitFor({ state: 'detached' });
    await writtenLens(second, 'Keep').waitFor({ state: 'detached' });
    assert.equal(text('one.txt'), 'first of one.txt\nsecond\nTHIRD\n');
    assert.equal(await scene.workbench.page.locator('.notification-toast').count(), 0);
  } finally {
    await workbench.close();
  }
});

test('two windows ask about collected edits, and answers at the same moment count once', async (t) => {
  const scene = await openScene(t, { fresh: true, ...inMode('turn') });
  const { chat, model } = scene;
  const text = prepareFiles(scene);
  model.script(
    { calls: [edit('one.txt', 'second', 'SECOND'), edit('two.txt', 'second', 'SECOND')] },
    { text: 'Changed.' },
    { text: 'Understood.' },
  );
  await chat.send('change them');
  await chat.permission('Review 2 files').waitFor();
  const second = await openSecond(scene);
  const { workbench } = second;
  try {
    // The session is in the inbox of the second window, whose chat does not show it.
    await waiting(workbench, 1);
    await workbench.run('Gatehouse: Show Pending Requests');
    await second.chat.permission('Review 2 files').waitFor();
    await workbench.screenshot('turn-second-window');
    await allowInBoth(scene, second);
    await chat.permission().waitFor({ state: 'detached' });
    await waiting(scene.workbench, 0);
    await until('both files', () =>
      FILES.slice(0, 2).every((file) => text(file).includes('SECOND')),
    );
    // The card of the first window says what became of it, as that of the second does.
    for (const each of [scene, second]) {
      const card = each.chat.card('Review 2 files');
      await each.chat.status(card, 'completed');
    }
    await scene.workbench.screenshot('turn-first-window');
  } finally {
    await workbench.close();
  }
});

test('two windows save rules at once to a file that one has unsaved text in, and nothing is lost', async (t) => {
  const deny = { permission: 'bash', pattern: 'touch denied', action: 'deny' };
  const settings = {
    ...{ 'files.autoSave': 'off', 'editor.autoClosingBrackets': 'never' },
    'gatehouse.permissions': [deny],
  };
  const scene = await openScene(t, { fresh: true, settings });
  const { workbench, chat, model } = scene;
  const shows = async (line: string) =>
    (await workbench.editorText()).some((each) => each.includes(line));
  const second = await openSecond(scene);
  try {
    await typeIntoSettings(scene, '// still typing this');
    model.script({ calls: [bash('touch one')] });
    await chat.send('go');
    await chat.permission('touch one').waitFor();
    model.script({ calls: [bash('mkdir two')] }, { text: 'Done.' }, { text: 'Done.' });
    await second.chat.send('go');
    await second.chat.permission('mkdir two').waitFor();
    await offerAlways(scene, 'bash(touch *)');
    await offerAlways(second, 'bash(mkdir *)');
    await Promise.all([scene, second].map((each) => press(each, /This workspace/)));
    for (const each of [scene, second]) await each.chat.said('Done.');

    await workbench.notice('unsaved changes');
    await workbench.screenshot('always-two-windows');
    const patterns = () => savedRules(scene).map(({ pattern }) => pattern);
    await until('the rule of the second window', () => patterns().length === 2);
    assert.deepEqual(
      patterns(),
      ['touch denied', 'mkdir *'],
      'saving the rest is left to the user',
    );
    for (const line of ['// still typing this', '"touch denied"', '"touch *"']) {
      assert.ok(await shows(line), line);
    }
    // Both rules hold, and neither loosens the deny.
    const calls = [bash('touch three'), bash('mkdir four'), bash('touch denied')];
    model.script({ calls }, { text: 'Understood.' });
    await chat.send('again');
    await chat.said('Understood.');
    await chat.status(chat.card('touch three'), 'completed');
    await chat.status(chat.card('mkdir four'), 'completed');
    await chat.status(chat.card('touch denied'), 'denied');
    // VS Code doesn't write over what it has not read.
    await focusEditor(workbench);
    await workbench.run('File: Save');
    await workbench.notice('Failed to save');
    assert.deepEqual(patterns(), ['touch denied', 'mkdir *']);
  } finally {
    await second.workbench.close();
  }
});

const bash = (command: string) => ({ tool: 'bash', input: { command } });

/** Opens the settings of the folder, and leaves a line in them unsaved. */
async function typeIntoSettings({ workbench }: Scene, line: string): Promise<void> {
  const { page } = workbench;
  await workbench.run('Preferences: Open Workspace Settings (JSON)');
  await page.locator('.tab.active', { hasText: 'settings.json' }).waitFor();
  await focusEditor(workbench);
  for (const key of ['Control+Home', 'End', 'Enter']) await page.keyboard.press(key);
  await page.keyboard.type(line);
  await page.locator('.tab.active.dirty').waitFor();
}

/** Goes as far as the choice of where to save a rule. */
async function offerAlways(scene: Scene, rule: string): Promise<void> {
  await choose(scene, 'Always…');
  await scene.chat.permission().getByRole('radio', { name: rule }).check();
  await press(scene, 'Next');
}

/** Clicks *Allow* in both windows at once. */
async function allowInBoth(...windows: readonly Scene[]): Promise<void> {
  for (const each of windows) await settled(each);
  const allow = ({ chat }: Scene) =>
    chat.permission().getByRole('button', { name: 'Allow', exact: true });
  await again(
    'the answer',
    // The card of the slower window may be gone before its click.
    () => Promise.allSettled(windows.map((each) => allow(each).click({ timeout: LOST }))),
    async () => (await windows[0]?.chat.permission().count()) === 0,
  );
}
