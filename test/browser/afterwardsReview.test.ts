import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { again, clickUntil, LOST, until } from '../workbench/processes.ts';
import { LOOKS, wholeTest } from '../workbench/variants.ts';
import { press } from './card.ts';
import { edit, inMode } from './reviewMode.ts';
import { openScene, type Scene } from './scene.ts';
import { openWritten } from './written.ts';

const FILES = ['one.txt', 'two.txt', 'three.txt', 'four.txt'] as const;

function prepare({ sample }: Scene): (file: string) => string {
  for (const file of [...FILES, 'asked.txt', 'denied.txt']) {
    writeFileSync(path.join(sample.folder, file), `first of ${file}\nsecond\nthird\nfourth\n`);
  }
  return (file) => readFileSync(path.join(sample.folder, file), 'utf8');
}

/** Written at once, but for what a rule asks about or denies. */
const AFTERWARDS = {
  settings: {
    ...inMode('afterwards').settings,
    'gatehouse.permissions': [
      { permission: 'fs.write', pattern: 'asked.txt', action: 'ask' },
      { permission: 'fs.write', pattern: 'denied.txt', action: 'deny' },
    ],
  },
};

const lens = ({ workbench }: Scene, text: string) =>
  workbench.page.locator('.codelens-decoration a', { hasText: text });

const list = ({ chat }: Scene) => chat.frame.getByRole('region', { name: 'Unreviewed changes' });

/** Opens a file of the list by Enter: first the list, then the file's button. */
async function openByKeys(scene: Scene, name: string): Promise<void> {
  const file = list(scene).getByRole('button', { name, exact: true });
  await again(
    'the open list',
    () => list(scene).locator('summary').press('Enter', { timeout: LOST }),
    () => file.isVisible(),
  );
  await again(
    `the file ${name}`,
    () => file.press('Enter', { timeout: LOST }),
    () => scene.workbench.page.locator('.tab.active', { hasText: name }).isVisible(),
  );
}

/** Waits until keys go to the file. */
async function editorFocus({ workbench }: Scene): Promise<void> {
  await workbench.page.locator('.editor-instance .monaco-editor.focused').waitFor();
}

wholeTest(
  'by mouse: four parallel edits are written, listed, and kept or undone hunk by hunk',
  async (t) => {
    const scene = await openScene(t, AFTERWARDS);
    const { chat, model, workbench } = scene;
    const text = prepare(scene);
    model.script(
      {
        calls: [
          ...FILES.map((file) => edit(file, 'third', `THIRD of ${file}`)),
          edit('one.txt', 'first of', 'FIRST of'),
        ],
      },
      { text: 'Changed.' },
      { text: 'Understood.' },
    );
    await chat.send('change them');
    await chat.said('Changed.');
    assert.equal(await chat.permission().count(), 0);
    for (const file of FILES) assert.ok(text(file).includes(`THIRD of ${file}`));
    await list(scene).waitFor();
    for (const file of FILES) {
      // The marked line of the visible editor is that of the file which the list names.
      await openWritten(scene, file);
      await until(`the text of ${file}`, async () =>
        (await workbench.editorText()).some((line) => line.includes(`THIRD of ${file}`)),
      );
    }
    await openWritten(scene, 'one.txt');
    await lens(scene, '1 of 2').waitFor();
    await workbench.screenshot('afterwards-dark');
    await again(
      'the undone hunk',
      () => lens(scene, 'Undo').first().click({ timeout: 5000 }),
      () => !text('one.txt').includes('FIRST'),
    );
    assert.ok(text('one.txt').includes('THIRD of one.txt'));
    await lens(scene, '1 of 1').waitFor();
    await again(
      'no lens',
      () => lens(scene, 'Keep').first().click({ timeout: 5000 }),
      async () => (await lens(scene, 'Keep').count()) === 0,
    );

    const review = list(scene).getByRole('button', { name: 'Review', exact: true });
    await clickUntil('the review', review, () => workbench.tab('Unreviewed Changes').isVisible());
    await workbench.page.locator('.multiDiffEntry').first().waitFor();
    await workbench.screenshot('afterwards-multi-diff');
    for (const theme of LOOKS) {
      await workbench.useTheme(theme);
      await list(scene).waitFor();
      await workbench.screenshot(`afterwards-${theme}`);
    }
    const keepAll = list(scene).getByRole('button', { name: 'Keep All' });
    await clickUntil('no list', keepAll, async () => (await list(scene).count()) === 0);
    assert.ok(text('two.txt').includes('THIRD of two.txt'));
    await chat.send('go on');
    await chat.said('Understood.');
    const body = JSON.stringify(model.requests.at(-1)?.body);
    assert.ok(body.includes('undid these'));
    assert.ok(body.includes('FIRST of one.txt'));
  },
);

test('by keyboard: Alt+N undoes around what the user typed, Alt+Y keeps, and a narrow chat lists the files', async (t) => {
  const scene = await openScene(t, AFTERWARDS);
  const { chat, model, workbench } = scene;
  const { keyboard } = workbench.page;
  const text = prepare(scene);
  model.script(
    { calls: [edit('one.txt', 'first of', 'FIRST of'), edit('one.txt', 'third', 'THIRD')] },
    { text: 'Changed.' },
  );
  await chat.send('change it');
  await chat.said('Changed.');
  await workbench.resizeSideBar(220);
  await list(scene).waitFor();
  await workbench.screenshot('afterwards-220');
  await openByKeys(scene, 'one.txt');
  await lens(scene, '1 of 2').waitFor();
  await editorFocus(scene);
  // The user types without saving, then undoes the first hunk.
  await keyboard.press('Control+End');
  await keyboard.type('mine');
  await keyboard.press('Control+Home');
  await lens(scene, '1 of 2').waitFor();
  await again(
    'the undone hunk',
    () => keyboard.press('Alt+n'),
    () => lens(scene, '1 of 1').isVisible(),
  );
  await again(
    'no list',
    async () => {
      await keyboard.press('Alt+F5');
      await keyboard.press('Alt+y');
    },
    async () => (await list(scene).count()) === 0,
  );
  await again(
    'the saved file',
    () => keyboard.press('Control+s'),
    () => text('one.txt').includes('mine'),
  );
  assert.equal(text('one.txt'), 'first of one.txt\nsecond\nTHIRD\nfourth\nmine');
});

wholeTest(
  'in screen reader mode a hunk that is undone by hand and saved is reviewed, and the model is told',
  async (t) => {
    const settings = { 'editor.accessibilitySupport': 'on', ...inMode('afterwards').settings };
    const scene = await openScene(t, { fresh: true, settings });
    const { chat, model, workbench } = scene;
    const { keyboard } = workbench.page;
    const text = prepare(scene);
    model.script(
      { calls: [edit('one.txt', 'second', 'SECOND')] },
      { text: 'Changed.' },
      { text: 'Understood.' },
    );
    await chat.send('change it');
    await chat.said('Changed.');
    await list(scene).waitFor();
    const status = workbench.page.getByLabel('Gatehouse: 1 file has unreviewed changes');
    await status.first().waitFor();
    await openByKeys(scene, 'one.txt');
    await lens(scene, '1 of 1').waitFor();
    await editorFocus(scene);
    await keyboard.press('Control+Home');
    await keyboard.press('ArrowDown');
    await keyboard.press('Shift+End');
    await keyboard.type('second');
    await again(
      'no list',
      () => keyboard.press('Control+s'),
      async () => (await list(scene).count()) === 0,
    );
    assert.equal(text('one.txt'), 'first of one.txt\nsecond\nthird\nfourth\n');
    await chat.send('go on');
    await chat.said('Understood.');
    assert.ok(JSON.stringify(model.requests.at(-1)?.body).includes('undid these'));
  },
);

test('what a rule asks about is asked, and what it denies is not written', async (t) => {
  const scene = await openScene(t, AFTERWARDS);
  const { chat, model } = scene;
  const text = prepare(scene);
  const files = ['one.txt', 'asked.txt', 'denied.txt', 'two.txt'];
  const calls = files.map((file) => edit(file, 'third', 'THIRD'));
  model.script({ calls }, { text: 'Changed.' });
  await chat.send('change them');
  await chat.permission('asked.txt').waitFor();
  await until('the edits that no rule covers', () =>
    ['one.txt', 'two.txt'].every((file) => text(file).includes('THIRD')),
  );
  assert.ok(!text('asked.txt').includes('THIRD'));
  await press(scene, 'Allow');
  await chat.said('Changed.');
  assert.ok(text('asked.txt').includes('THIRD'));
  assert.ok(!text('denied.txt').includes('THIRD'));
  await chat.card('denied.txt').and(chat.frame.locator('[data-status="denied"]')).waitFor();
});
