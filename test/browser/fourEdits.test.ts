import assert from 'node:assert/strict';
import { test } from 'node:test';
import { again, until } from '../workbench/processes.ts';
import { goToFirst, press } from './card.ts';
import { openRequest, pick } from './pick.ts';
import { allowInTitle, lens, openCurrentReview, pressInTitle } from './reviewEditor.ts';
import { edit, FILES, inMode, prepareFiles } from './reviewMode.ts';
import { openScene, type Scene } from './scene.ts';

const CALLS = FILES.map((file) => edit(file, 'second', `second of ${file}`));

/** Pick, diff and card name this file, and none of them another one. */
async function allName(scene: Scene, file: string, total: number): Promise<void> {
  const { workbench, chat } = scene;
  await chat.permission(file).waitFor();
  assert.equal(await chat.permission().count(), 1, 'one card');
  await openRequest(workbench);
  await workbench.quickInputTitle.filter({ hasText: file }).waitFor();
  if (total > 1) await workbench.quickInputTitle.filter({ hasText: `of ${total}` }).waitFor();
  await pick(workbench, 'Review…');
  await showsOnly(scene, file);
  await chat.permission(file).waitFor();
}

async function showsOnly({ workbench }: Pick<Scene, 'workbench'>, file: string): Promise<void> {
  await workbench.page.locator(`.tab.active[data-resource-name^="${file}"]`).waitFor();
  await until(
    'one tab of a proposal',
    async () => (await workbench.tab('(proposal').count()) === 1 || undefined,
  );
  await until(`the diff of ${file}`, async () =>
    (await workbench.diffText('modified')).some((line) => line === `second of ${file}`),
  );
  await lens(workbench, /Keep \(/)
    .first()
    .waitFor();
  await workbench.quickInput.waitFor({ state: 'detached' });
}

test('of four parallel edits, pick, diff and card name the same file, also after Next', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat, model } = scene;
  const text = prepareFiles(scene);
  model.script({ calls: CALLS }, { text: 'Done.' });
  await chat.send('change four files');
  const [one, two, three, four] = FILES;
  await goToFirst(scene, 4);
  await allName(scene, one, 4);
  await pressInTitle(workbench, 'Next');
  await showsOnly(scene, two);
  await chat.permission(two).waitFor();
  await allowInTitle(workbench);
  await until('the second file', () => text(two).includes('second of') || undefined);
  const left: string[] = [three, four, one];
  for (const file of [three, four]) {
    await allName(scene, file, left.length);
    for (const each of left) assert.ok(!text(each).includes('second of'), `${each} is not written`);
    await allowInTitle(workbench);
    await until(file, () => text(file).includes('second of') || undefined);
    left.splice(left.indexOf(file), 1);
  }
  // The diff of the first one was open before: going to that request opens it, and no pick over it.
  await chat.permission(one).waitFor();
  await again(
    'the diff of the first file',
    () => workbench.page.keyboard.press('Control+Alt+P'),
    () => workbench.page.locator(`.tab.active[data-resource-name^="${one}"]`).isVisible(),
  );
  await showsOnly(scene, one);
  await allowInTitle(workbench);
  await until(one, () => text(one).includes('second of') || undefined);
  await chat.said('Done.');
});

test('in turn mode four parallel edits are one review, and pick, diff and card name all four', async (t) => {
  const scene = await openScene(t, inMode('turn'));
  const { workbench, chat, model } = scene;
  const text = prepareFiles(scene);
  model.script(
    { calls: CALLS },
    { calls: [{ tool: 'read', input: { path: 'one.txt' } }] },
    { text: 'All four are proposed.' },
  );
  await chat.send('change four files');
  await chat.said('All four are proposed.');
  const card = chat.permission('Review 4 files');
  await card.waitFor();
  assert.equal(await chat.permission().count(), 1, 'one request for all of them');
  for (const file of FILES) {
    assert.ok(!text(file).includes('second of'), `${file} is not on disk yet`);
    assert.ok((await card.innerText()).includes(file), `the card names ${file}`);
  }
  const read = JSON.stringify(model.requests[2]?.conversation.results);
  assert.ok(read.includes('second of one.txt'), 'the agent reads its own change');
  await workbench.screenshot('turn-review-card');

  await openRequest(workbench);
  await workbench.quickInputTitle.filter({ hasText: 'Review 4 files' }).waitFor();
  await pick(workbench, 'Review…');
  await workbench.tab(/Review: one\.txt, … \(4 files\)/).waitFor();
  for (const file of FILES) {
    await workbench.page.locator('.multiDiffEntry .title', { hasText: file }).first().waitFor();
  }
  await lens(workbench, /Keep \(/)
    .first()
    .waitFor();
  await workbench.screenshot('turn-review-diff');
  await card.waitFor();
  await press(scene, 'Allow');
  await until(
    'the files',
    () => FILES.every((file) => text(file).includes('second of')) || undefined,
  );
  // The outcome reaches the model with the next message.
  model.script({ text: 'I know.' });
  await chat.send('and now?');
  await chat.said('I know.');
  assert.match(JSON.stringify(model.requests[0]?.body), /The user reviewed the changes/);
});

test('in turn mode a review of one file opens as its diff, which names it as the card does', async (t) => {
  const scene = await openScene(t, inMode('turn'));
  const { workbench, chat, model } = scene;
  const text = prepareFiles(scene);
  model.script({ calls: CALLS.slice(2, 3) }, { text: 'Proposed.' });
  await chat.send('change one file');
  await chat.permission('Review three.txt').waitFor();
  await openCurrentReview(workbench);
  await showsOnly(scene, 'three.txt');
  await allowInTitle(workbench);
  await until('the file', () => text('three.txt').includes('second of') || undefined);
});
