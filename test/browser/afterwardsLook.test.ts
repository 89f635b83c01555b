import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Theme } from '../workbench/workbench.ts';
import { findAxeFaults } from './axe.ts';
import { edit, FILES, prepareFiles, useMode } from './reviewMode.ts';
import { openScene } from './scene.ts';
import { openWritten, writtenLens, writtenList } from './written.ts';

test('changes that are on disk can be read and decided in all themes and at every width', async (t) => {
  const scene = await openScene(t, { fresh: true });
  const { chat, model, workbench } = scene;
  prepareFiles(scene);
  await useMode(scene, 'afterwards');
  const long = 'a/folder/with/a/rather/long/name/that/wraps.txt';
  model.script(
    {
      calls: [
        ...FILES.map((file) => edit(file, 'second\n', `second of ${file}\nand one more line\n`)),
        { tool: 'write', input: { path: long, content: 'new\n' } },
      ],
    },
    { text: 'Changed.' },
  );
  await chat.send('change them');
  await chat.said('Changed.');
  await openWritten(scene, 'one.txt');
  await writtenLens(scene, '1 of 1').waitFor();
  for (const theme of ['light', 'dark', 'highContrast', 'highContrastLight'] satisfies Theme[]) {
    await workbench.useTheme(theme);
    for (const width of [220, 400, 900]) {
      await workbench.resizeSideBar(width);
      await writtenList(scene).waitFor();
      const wide = await chat.frame
        .locator('.unreviewed')
        .evaluate((box) => box.scrollWidth > box.clientWidth);
      assert.equal(wide, false, `the list is cut off at ${width} pixels`);
      const bottom = await chat
        .button('Undo All…')
        .evaluate((button) => button.getBoundingClientRect().bottom);
      const composer = await chat.composer.evaluate((box) => box.getBoundingClientRect().top);
      assert.ok(bottom < composer, `the buttons are cut off at ${width} pixels`);
      const seen = await chat.button('Undo All…').evaluate((button) => {
        const { left, top, width: wide, height } = button.getBoundingClientRect();
        return button.contains(document.elementFromPoint(left + wide / 2, top + height / 2));
      });
      assert.ok(seen, `the buttons are hidden at ${width} pixels`);
      await workbench.screenshot(`afterwards-${theme}-${width}`);
    }
    await workbench.resizeSideBar(320);
    assert.deepEqual(await findAxeFaults(chat), []);
  }
  await writtenList(scene).getByRole('button', { name: 'Review', exact: true }).click();
  await workbench.tab('Unreviewed Changes').waitFor();
  await workbench.page.locator('.multiDiffEntry').first().waitFor();
  for (const theme of ['light', 'dark', 'highContrast', 'highContrastLight'] satisfies Theme[]) {
    await workbench.useTheme(theme);
    await workbench.screenshot(`afterwards-multi-diff-${theme}`);
  }
});
