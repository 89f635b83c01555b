import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { clickUntil, until } from '../workbench/processes.ts';
import { LOOKS, wholeTest } from '../workbench/variants.ts';
import type { Workbench } from '../workbench/workbench.ts';
import { answerInPick, openRequest, pick } from './pick.ts';
import { allowInTitle } from './reviewEditor.ts';
import { openScene, type Scene } from './scene.ts';

const BUGGY = 'let total = 1;';
const FIXED = 'let total = 0;';

test('a user drops a file, has the failing test fixed, and nothing happens before it is approved', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat, model, sample } = scene;
  const before = readFileSync(sample.buggy, 'utf8');
  model.tour();

  const dropped = path.join(sample.folder, 'test/sum.test.js');
  await drop(scene, dropped);
  await chat.send('fix the failing test');
  await chat.said('start with the test that fails');
  const link = `uri="${pathToFileURL(dropped).href}"`;
  assert.ok(textsOf(model.requests[0]?.body).some((text) => text.includes(link)));
  await answerInPick(scene, 'Fix the code');

  // The proposal is a real diff, and the file is as it was.
  await chat.permission('sum.js').waitFor();
  await openRequest(workbench);
  await workbench.row('Allow Once').waitFor();
  assert.equal(readFileSync(sample.buggy, 'utf8'), before);
  await pick(workbench, 'Review…');
  await workbench.diff.waitFor();
  await showsProposal(workbench);
  await until('the line as it is', async () =>
    (await workbench.diffText('original')).some((line) => line.includes(BUGGY)),
  );
  assert.equal(readFileSync(sample.buggy, 'utf8'), before);
  await workbench.screenshot('walk-diff');

  await allowInTitle(workbench);
  await until('the edit on disk', () => readFileSync(sample.buggy, 'utf8') !== before || undefined);
  assert.equal(readFileSync(sample.buggy, 'utf8'), before.replace(BUGGY, FIXED));

  await chat.permission('node').waitFor();
  await workbench.run('Gatehouse: Go to Next Request');
  await pick(workbench, 'Allow Once');
  const card = chat.card('Run the tests');
  await chat.status(card, 'completed');
  await chat.expand(card);
  await clickUntil(
    'the test run in the terminal',
    card.getByRole('button', { name: 'Show Terminal' }),
    async () => /pass 2/.test(await workbench.terminalText()),
  );
  await chat.said('Fixed: the test passes.');
  await chat.idle();
  await workbench.screenshot('walk-end');

  const answer = model.requests.flatMap(({ conversation }) => conversation.results);
  assert.deepEqual(answer.find(({ tool }) => tool === 'question')?.data, {
    answers: [['Fix the code']],
  });
});

for (const theme of LOOKS) {
  wholeTest(`the walk can be read in ${theme}`, async (t) => {
    const scene = await openScene(t);
    const { workbench, chat, model } = scene;
    await workbench.useTheme(theme);
    model.tour();
    await chat.send('fix the failing test');
    await chat.question().waitFor();
    await openRequest(workbench);
    await workbench.row('Fix the code').waitFor();
    await workbench.screenshot(`${theme}-question`);
    await pick(workbench, 'Fix the code');
    await chat.permission('sum.js').waitFor();
    await openRequest(workbench);
    await workbench.screenshot(`${theme}-permission`);
    await pick(workbench, 'Review…');
    await workbench.diff.waitFor();
    await showsProposal(workbench);
    await workbench.screenshot(`${theme}-diff`);
    await allowInTitle(workbench);
    await chat.permission('node').waitFor();
    await answerInPick(scene, 'Allow Once');
    await chat.said('Fixed: the test passes.');
    const card = chat.card('Run the tests');
    await chat.expand(card);
    await clickUntil(
      'the terminal',
      card.getByRole('button', { name: 'Show Terminal' }),
      async () => /pass 2/.test(await workbench.terminalText()),
    );
    await workbench.screenshot(`${theme}-terminal`);
    await workbench.resizeSideBar(220);
    const wide = await chat.frame.locator('body').evaluate((body) => body.scrollWidth > innerWidth);
    assert.equal(wide, false, 'the chat is cut off at 220 pixels');
    await workbench.screenshot(`${theme}-narrow`);
    await workbench.resizeSideBar(800);
    await workbench.screenshot(`${theme}-wide`);
  });
}

function showsProposal(workbench: Workbench): Promise<boolean> {
  return until(
    'the proposed line',
    async () =>
      (await workbench.diffText('modified')).some((line) => line.includes(FIXED)) || undefined,
  );
}

/** All texts of a request to the model. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

/** Drags a file on the message, as from the explorer, and waits until it is attached. */
async function drop({ chat }: Scene, file: string): Promise<void> {
  await chat.composer.evaluate((element, uri) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.setData('text/uri-list', uri);
    element.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  }, pathToFileURL(file).href);
  const name = `Remove ${path.basename(file)}`;
  await chat.frame.getByRole('button', { name, exact: true }).waitFor();
}
