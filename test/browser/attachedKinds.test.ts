import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { again, clickUntil, until } from '../workbench/processes.ts';
import { commitAll } from './commit.ts';
import { focusEditor } from './reviewEditor.ts';
import { openScene, type Scene } from './scene.ts';

/** A picture of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('issue 15: each kind of the list after @, a pasted picture and a dragged file reach the request to the model', async (t) => {
  const scene = await openScene(t, { fresh: true });
  const { workbench, chat, model, sample } = scene;
  await prepare(scene);
  const chips: readonly (readonly [query: string, option: RegExp])[] = [
    ['', /^Selection/],
    ['', /^Problems/],
    ['', /^Git changes/],
    ['', /^Terminal output/],
    ['README', /^README\.md/],
    ['broken', /^broken\.json/],
    ['test', /^test\b(?!\.)/],
    ['sum', /^sum(?!\.)/],
  ];
  for (const [query, option] of chips) await attach(scene, query, option);
  await pasteAndDrag(scene, path.join(sample.folder, 'package.json'));
  await workbench.screenshot('attached-kinds');
  model.script({ text: 'All seen.' });
  await chat.send('Look at these');
  await chat.said('All seen.');

  const sent = textsOf(model.requests[0]?.body).join('\n');
  const link = (file: string) => pathToFileURL(path.join(sample.folder, file)).href;
  for (const part of [
    'let total = 1;',
    'broken.json',
    '+Another line.',
    'echo from-the-terminal',
    `uri="${link('README.md')}"`,
    `uri="${link('broken.json')}"`,
    `uri="${link('test')}"`,
    `uri="${link('package.json')}"`,
    'export function sum',
    PIXEL,
  ])
    assert.ok(sent.includes(part), `${part} is not in ${sent.slice(-6000)}`);
});

/** Something of each kind: a selection, a problem, a change, and a command that has run in a terminal. */
async function prepare({ workbench, sample }: Scene): Promise<void> {
  const { page } = workbench;
  await commitAll(sample.folder);
  writeFileSync(path.join(sample.folder, 'README.md'), 'Another line.\n');
  writeFileSync(path.join(sample.folder, 'broken.json'), '{ "a": }\n');
  await workbench.run('Terminal: Create New Terminal');
  await until('the prompt', async () => (await workbench.terminalText()) !== '');
  await again(
    'the output',
    async () => {
      await page.locator('.terminal-wrapper.active').click();
      await page.keyboard.type('echo from-the-terminal\n');
    },
    async () => (await workbench.terminalText()).split('from-the-terminal').length > 2,
  );
  for (const file of ['broken.json', 'sum.js']) {
    await again(
      `the file ${file}`,
      async () => {
        await page.keyboard.press('Control+P');
        await workbench.quickInputBox.fill(file);
        await workbench.row(file).click();
      },
      () => workbench.tab(file).isVisible(),
    );
  }
  await focusEditor(workbench);
  await page.keyboard.press('Control+A');
  await workbench
    .statusItem(/selected/)
    .first()
    .waitFor();
}

/** Chooses an entry of the list after `@` with the mouse. */
async function attach({ chat }: Scene, query: string, name: RegExp): Promise<void> {
  const chips = chat.frame.locator('.composer .chip');
  const before = await chips.count();
  const option = chat.frame.getByRole('option', { name }).first();
  await again(
    `the entry ${name}`,
    async () => {
      await chat.composer.fill('');
      await chat.composer.pressSequentially(`@${query}`);
    },
    () => option.isVisible(),
  );
  await clickUntil(`the chip of ${name}`, option, async () => (await chips.count()) > before);
}

async function pasteAndDrag({ chat }: Scene, file: string): Promise<void> {
  await chat.composer.evaluate(
    (element, { uri, base64 }) => {
      const paste = new DataTransfer();
      const bytes = Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
      paste.items.add(new File([bytes], 'shot.png', { type: 'image/png' }));
      const common = { bubbles: true, cancelable: true };
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: paste, ...common }));
      const dataTransfer = new DataTransfer();
      dataTransfer.setData('text/uri-list', uri);
      element.dispatchEvent(new DragEvent('drop', { dataTransfer, ...common }));
    },
    { uri: pathToFileURL(file).href, base64: PIXEL },
  );
  for (const name of ['Remove shot.png', 'Remove package.json'])
    await chat.frame.getByRole('button', { name, exact: true }).waitFor();
}

/** All texts of a request to the model. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
