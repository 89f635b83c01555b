import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clickUntil, until } from '../workbench/processes.ts';
import { LOOKS } from '../workbench/variants.ts';
import { findAxeFaults } from './axe.ts';
import { edit, FILES, inMode, prepareFiles } from './reviewMode.ts';
import { openScene } from './scene.ts';
import { openWritten, writtenLens, writtenList } from './written.ts';

test('changes that are on disk can be read and decided in all themes and at every width', async (t) => {
  const scene = await openScene(t, inMode('afterwards'));
  const { chat, model, workbench } = scene;
  prepareFiles(scene);
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
  for (const theme of LOOKS) {
    await workbench.useTheme(theme);
    for (const width of [220, 400, 900]) {
      await workbench.resizeSideBar(width);
      await writtenList(scene).waitFor();
      await until(`a list that is not cut off at ${width} pixels`, () =>
        chat.frame.locator('.unreviewed').evaluate((box) => box.scrollWidth <= box.clientWidth),
      );
      await until(`buttons that are not cut off at ${width} pixels`, async () => {
        const bottom = await chat
          .button('Undo All…')
          .evaluate((button) => button.getBoundingClientRect().bottom);
        return bottom < (await chat.composer.evaluate((box) => box.getBoundingClientRect().top));
      });
      await until(`buttons in view at ${width} pixels`, () =>
        chat.button('Undo All…').evaluate((button) => {
          const { left, top, width: wide, height } = button.getBoundingClientRect();
          return button.contains(document.elementFromPoint(left + wide / 2, top + height / 2));
        }),
      );
      await workbench.screenshot(`afterwards-${theme}-${width}`);
    }
    await workbench.resizeSideBar(320);
    assert.deepEqual(await findAxeFaults(chat), []);
  }
  const review = writtenList(scene).getByRole('button', { name: 'Review', exact: true });
  await clickUntil('the review', review, () => workbench.tab('Unreviewed Changes').isVisible());
  await workbench.page.locator('.multiDiffEntry').first().waitFor();
  for (const theme of LOOKS) {
    await workbench.useTheme(theme);
    await workbench.screenshot(`afterwards-multi-diff-${theme}`);
  }
});
