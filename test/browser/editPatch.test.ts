import assert from 'node:assert/strict';
import { test } from 'node:test';
import { again, clickUntil, LOST, until } from '../workbench/processes.ts';
import { press, settled } from './card.ts';
import { openRequest, pickByKeys, runByKeys } from './pick.ts';
import { allowByKeys, allowInTitle, lens, openCurrentReview } from './reviewEditor.ts';
import { edit, prepareFiles } from './reviewMode.ts';
import { openScene, type Scene } from './scene.ts';

const hunk = (file: string) => `--- a/${file}
+++ b/${file}
@@ -1,3 +1,3 @@
 first of ${file}
-second
+SECOND
 third
`;
const PATCH = `${hunk('one.txt')}${hunk('two.txt')}--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+new
`;

test('Edit… of a patch opens all its files, and what is typed there is what is written', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat, model } = scene;
  const text = prepareFiles(scene);
  model.script({ calls: [{ tool: 'apply_patch', input: { patch: PATCH } }] }, { text: 'Done.' });
  await chat.send('patch it');
  const entry = (file: string) =>
    workbench.page.locator('.multiDiffEntry').filter({ hasText: file }).first();
  await press(scene, 'More');
  await settled(scene);
  await again(
    'the files',
    () => chat.permission().getByRole('button', { name: 'Edit…' }).click({ timeout: LOST }),
    () => entry('one.txt').isVisible(),
  );
  for (const file of ['one.txt', 'two.txt', 'new.txt']) await entry(file).waitFor();
  await workbench.screenshot('edit-patch');
  const right = entry('two.txt').locator('.editor.modified');
  const focused = right.filter({ has: workbench.page.locator(':focus') }).first();
  await clickUntil('the cursor in the proposal', right.getByText('SECOND').first(), () =>
    focused.isVisible(),
  );
  // Lenses may have moved the lines under the pointer.
  for (const key of ['Control+Home', 'ArrowDown', 'End']) await workbench.page.keyboard.press(key);
  await workbench.page.keyboard.type(' mine');
  await right.getByText('SECOND mine').first().waitFor();
  assert.equal(text('two.txt'), 'first of two.txt\nsecond\nthird\n', 'nothing is written yet');
  await press(scene, 'Allow');
  await chat.said('Done.');
  await until('the files', () => text('two.txt').includes('SECOND mine') || undefined);
  assert.equal(text('two.txt'), 'first of two.txt\nSECOND mine\nthird\n');
  assert.equal(text('one.txt'), 'first of one.txt\nSECOND\nthird\n');
  assert.equal(text('new.txt'), 'new\n');
  const told = JSON.stringify(model.requests.at(-1)?.body['messages']);
  assert.match(told, /SECOND mine/, 'the model is told what was changed');
});

test('by keyboard alone, a patch is reviewed, typed over and allowed', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat, model } = scene;
  const { keyboard } = workbench.page;
  const text = prepareFiles(scene);
  model.script({ calls: [{ tool: 'apply_patch', input: { patch: PATCH } }] }, { text: 'Done.' });
  await chat.send('patch it');
  await chat.permission().first().waitFor();
  await openRequest(workbench);
  await pickByKeys(workbench, 'Review');
  const right = workbench.page.locator('.multiDiffEntry .editor.modified');
  await right.getByText('SECOND').first().waitFor();
  await again(
    'the rejected change',
    async () => {
      await keyboard.press('Alt+F5');
      await keyboard.press('Alt+n');
    },
    () => lens(workbench, 'Rejected').first().isVisible(),
  );
  await allowByKeys(scene);
  await chat.said('Done.');
  const written = ['one.txt', 'two.txt'].filter((file) => text(file).includes('SECOND'));
  assert.equal(written.length, 1, 'one of the two changes was rejected');
  assert.match(JSON.stringify(model.requests.at(-1)?.body), /rejected/);
});

for (const [by, choose] of [
  [
    'the mouse',
    ({ workbench }: Scene) =>
      lens(workbench, /^Edit$/)
        .first()
        .click({ timeout: LOST }),
  ],
  ['keys', ({ workbench }: Scene) => runByKeys(workbench, 'Gatehouse: Edit Change')],
] as const) {
  test(`by ${by}: Edit selects the lines of a change, and typing replaces them`, async (t) => {
    const scene = await openScene(t);
    const { workbench, chat, model } = scene;
    const text = prepareFiles(scene);
    model.script({ calls: [edit('one.txt', 'second', 'SECOND')] }, { text: 'Done.' });
    await chat.send('change it');
    await chat.permission('one.txt').waitFor();
    await openCurrentReview(workbench);
    await again(
      'the selected lines',
      () => choose(scene),
      () => workbench.statusItem('(6 selected)').isVisible(),
    );
    await workbench.page.keyboard.type('mine');
    await until('the typed text', async () =>
      (await workbench.diffText('modified')).some((line) => line === 'mine'),
    );
    await allowInTitle(workbench);
    await chat.said('Done.');
    assert.equal(text('one.txt'), 'first of one.txt\nmine\nthird\n');
  });
}
