import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { until } from '../workbench/processes.ts';
import { press } from './card.ts';
import { hosts, openScene, type Scene, traceOf } from './scene.ts';

const edit = (file: string, from: string, to: string) => ({
  tool: 'edit',
  input: { path: file, old_string: from, new_string: to },
});

/** Four files of three lines each. */
const FILES = ['one.txt', 'two.txt', 'three.txt', 'four.txt'] as const;

function prepare({ sample }: Scene): (file: string) => string {
  for (const file of FILES) {
    writeFileSync(path.join(sample.folder, file), `first of ${file}\nsecond\nthird\n`);
  }
  return (file) => readFileSync(path.join(sample.folder, file), 'utf8');
}

/**
 * Changes the mode and waits until the host was told. The editor begins to watch the file some time
 * after it opened the folder, and what was written before that goes unseen: so it is written again.
 */
async function useMode(scene: Scene, mode: 'each' | 'turn'): Promise<void> {
  // The first turn starts the host.
  scene.model.script({ text: 'Hello.' });
  await scene.chat.send('hello');
  await scene.chat.said('Hello.');
  await scene.chat.idle();
  const told = () => (configuredMode(scene) === mode ? true : undefined);
  await until(`the mode ${mode}`, () => {
    scene.workbench.updateSettings({ 'gatehouse.review.mode': mode });
    return until('it', told, 3000).catch(() => undefined);
  });
}

/** The mode in the latest settings that the host of this window was sent. */
function configuredMode(scene: Scene): unknown {
  const sent = hosts(scene).flatMap(({ pid }) => traceOf(pid).split('\n'));
  const last = sent.findLast((line) => line.includes('"method":"_gatehouse/configure"'));
  return /"review\.mode":"(\w+)"/.exec(last ?? '')?.[1];
}

async function allow(scene: Scene): Promise<void> {
  await press(scene, 'Allow');
  await scene.chat.permission().waitFor({ state: 'detached' });
}

test('in turn mode a command asks for the review first', async (t) => {
  const scene = await openScene(t, { fresh: true });
  const { chat, model } = scene;
  const text = prepare(scene);
  await useMode(scene, 'turn');
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

test('Revert takes an applied edit back by mouse and by keyboard, and keeps what the user wrote', async (t) => {
  const scene = await openScene(t);
  const { chat, model, workbench, sample } = scene;
  const text = prepare(scene);
  await useMode(scene, 'each');
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
  await button.click();
  await until('the reverted file', () => !text('one.txt').includes('SECOND') || undefined);
  assert.equal(text('one.txt'), 'first of one.txt\nsecond\nthird\nmine\n');

  model.script({ calls: [edit('two.txt', 'second', 'SECOND')] }, { text: 'Changed again.' });
  await chat.send('change the other');
  await allow(scene);
  await chat.said('Changed again.');
  writeFileSync(path.join(sample.folder, 'two.txt'), 'first of two.txt\nSECOND, and mine\nthird\n');
  const other = chat.card('two.txt');
  await chat.expand(other);
  const key = other.getByRole('button', { name: 'Revert' });
  await key.focus();
  await key.press('Enter');
  await until('the diff', async () => (await workbench.tab('two.txt').count()) > 0 || undefined);
  await workbench.screenshot('revert-conflict');
  assert.equal(text('two.txt'), 'first of two.txt\nSECOND, and mine\nthird\n');
});
