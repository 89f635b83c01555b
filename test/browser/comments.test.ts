import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { clickUntil } from '../workbench/processes.ts';
import { giveReason } from './pick.ts';
import { openCurrentReview, pressInTitle } from './reviewEditor.ts';
import { openScene } from './scene.ts';

const OLD = Array.from({ length: 9 }, (_, at) => `line ${at + 1}\n`).join('');

test('comments on lines of a proposal reach the model as the reason of Deny…', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat, model, sample } = scene;
  const { page } = workbench;
  const file = path.join(sample.folder, 'notes.txt');
  writeFileSync(file, OLD);
  const content = OLD.replace('line 2\n', 'LINE 2\n');
  model.script(
    { calls: [{ tool: 'write', input: { path: 'notes.txt', content } }] },
    { text: 'I see.' },
  );
  await chat.send('change the notes');
  await chat.permission('notes.txt').waitFor();
  // The cursor is on the first change.
  await openCurrentReview(workbench);
  await workbench.run('Comments: Add Comment on Current Selection');
  const box = page.locator('.review-widget');
  await box.waitFor();
  const text = box.locator('.monaco-editor').first();
  await clickUntil('the cursor in the comment', text, () =>
    box.locator('.monaco-editor.focused').isVisible(),
  );
  await page.keyboard.type('keep this *line*');
  await text.getByText('keep this *line*').waitFor();
  await workbench.screenshot('line-comment');
  const add = box.getByRole('button', { name: 'Add Comment' });
  const added = box.locator('.review-comment').filter({ hasText: 'keep this *line*' });
  await clickUntil('the comment', add, () => added.first().isVisible());
  await pressInTitle(workbench, 'Deny');
  await giveReason(workbench, 'not like that');
  await chat.said('I see.');
  assert.equal(readFileSync(file, 'utf8'), OLD);
  const [result] = model.requests.at(-1)?.conversation.results.slice(-1) ?? [];
  assert.equal(
    result?.errorText,
    `The user rejected this call: not like that\n${file}:2: keep this *line*`,
  );
  await page.locator('.review-widget').waitFor({ state: 'detached' });
});
