import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { again, clickUntil, LOST, until } from '../workbench/processes.ts';
import { wholeTest } from '../workbench/variants.ts';
import { press } from './card.ts';
import { openRequest, pickByKeys } from './pick.ts';
import { allowByKeys, atChange, reviewFocus, typeAtEnd } from './reviewEditor.ts';
import { edit, inMode, prepareFiles } from './reviewMode.ts';
import { openScene, type Scene } from './scene.ts';

async function allow(scene: Scene): Promise<void> {
  await press(scene, 'Allow');
  await scene.chat.permission().waitFor({ state: 'detached' });
}

wholeTest('in turn mode a command asks for the review first', async (t) => {
  const scene = await openScene(t, inMode('turn'));
  const { chat, model } = scene;
  const text = prepareFiles(scene);
  model.script(
    { calls: [edit('one.txt', 'second', 'SECOND')] },
    { calls: [{ tool: 'bash', input: { command: 'cat one.txt' } }] },
    { text: 'Shown.' },
  );
  await chat.send('change it, then show it');
  await chat.permission('Review one.txt').waitFor();
  assert.ok(!text('one.txt').includes('SECOND'));
  await allow(scene);
  await chat.said('Shown.');
  assert.match(JSON.stringify(model.requests[2]?.body), /first of one\.txt\\\\nSECOND/);
});

test('by keyboard alone, collected edits are reviewed, typed over and allowed', async (t) => {
  const scene = await openScene(t, inMode('turn'));
  const { chat, model, workbench } = scene;
  const text = prepareFiles(scene);
  model.script({ calls: [edit('one.txt', 'second', 'SECOND')] }, { text: 'Done.' });
  await chat.send('change it');
  await chat.said('Done.');
  await chat.permission('Review one.txt').waitFor();
  await openRequest(workbench);
  await pickByKeys(workbench, 'Review…');
  await reviewFocus(workbench);
  await atChange(workbench, 1);
  await typeAtEnd(workbench, 'SECOND', ' mine');
  await chat.permission().locator('.row', { hasText: 'SECOND mine' }).waitFor();
  assert.ok(!text('one.txt').includes('SECOND'));
  await allowByKeys(scene);
  await until('the file', () => text('one.txt').includes('SECOND mine') || undefined);
  assert.equal(text('one.txt'), 'first of one.txt\nSECOND mine\nthird\n');
});

test('Revert takes an applied edit back by mouse and by keyboard, and keeps what the user wrote', async (t) => {
  const scene = await openScene(t);
  const { chat, model, workbench, sample } = scene;
  const text = prepareFiles(scene);
  model.script({ calls: [edit('one.txt', 'second', 'SECOND')] }, { text: 'Changed.' });
  await chat.send('change it');
  await allow(scene);
  await chat.said('Changed.');
  const file = path.join(sample.folder, 'one.txt');
  writeFileSync(file, `${text('one.txt')}mine\n`);
  const card = chat.card('one.txt');
  await chat.expand(card);
  const button = card.getByRole('button', { name: 'Revert' });
  await button.scrollIntoViewIfNeeded();
  await workbench.screenshot('revert-card');
  await clickUntil('the reverted file', button, () => !text('one.txt').includes('SECOND'));
  assert.equal(text('one.txt'), 'first of one.txt\nsecond\nthird\nmine\n');
  const reverted = chat.card('Revert one.txt');
  await chat.expand(reverted);
  assert.equal(await reverted.getByRole('button', { name: 'Revert', exact: true }).count(), 0);

  model.script({ calls: [edit('two.txt', 'second', 'SECOND')] }, { text: 'Changed again.' });
  await chat.send('change the other');
  await allow(scene);
  await chat.said('Changed again.');
  writeFileSync(path.join(sample.folder, 'two.txt'), 'first of two.txt\nSECOND, and mine\nthird\n');
  const other = chat.card('two.txt');
  await chat.expand(other);
  const key = other.getByRole('button', { name: 'Revert' });
  await again(
    'the diff',
    () => key.press('Enter', { timeout: LOST }),
    async () => (await workbench.tab('two.txt').count()) > 0,
  );
  await workbench.screenshot('revert-conflict');
  assert.equal(text('two.txt'), 'first of two.txt\nSECOND, and mine\nthird\n');
});
