import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { clickUntil, until } from '../workbench/processes.ts';
import { press, settled } from './card.ts';
import { answerInPick } from './pick.ts';
import { openScene, type Scene } from './scene.ts';

/** More than VS Code sends to extensions or compares. Bytes. */
const TOO_LARGE = 52 * 1024 * 1024;
const ANSWER = 'Only the changed lines are shown';

/** A file that is too large to be reviewed, and an edit of one line in its middle. */
async function proposeInLargeFile({ chat, model, sample }: Scene) {
  const file = path.join(sample.folder, 'large.txt');
  const line = 'a line of a file that nobody wants to see as a whole in an editor\n';
  const half = line.repeat(TOO_LARGE / 2 / line.length);
  writeFileSync(file, `${half}the old line\n${half}`);
  const input = { path: 'large.txt', old_string: 'the old line', new_string: 'the new line' };
  model.script({ calls: [{ tool: 'edit', input }] }, { text: 'Done.' });
  await chat.send('change one line of the large file');
  await chat.permission('large.txt').waitFor();
  return { file, expected: `${half}the new line\n${half}` };
}

test('a file that is too large to review says so, and shows its changed lines', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat } = scene;
  const { file, expected } = await proposeInLargeFile(scene);
  const card = chat.permission('large.txt');
  assert.match(await card.innerText(), /− the old line\s+\+ the new line/);
  await answerInPick(scene, 'Review…');
  await workbench.notice(ANSWER);
  await workbench.diff.waitFor();
  await until('the changed lines', async () =>
    (await workbench.diffText('modified')).some((line) => line === 'the new line'),
  );
  await until('the line as it is', async () =>
    (await workbench.diffText('original')).includes('the old line'),
  );
  await workbench.screenshot('review-too-large');
  await press(scene, 'Allow');
  await chat.said('Done.');
  assert.ok(readFileSync(file, 'utf8') === expected, 'the file has the new line, and nothing else');
});

test('the button of its card says the same', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat } = scene;
  await proposeInLargeFile(scene);
  await settled(scene);
  const show = chat.permission().getByRole('button', { name: 'Show Diff' }).first();
  await clickUntil('the diff', show, () => workbench.diff.isVisible());
  await workbench.notice(ANSWER);
  await workbench.diff.waitFor();
});
