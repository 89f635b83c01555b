import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { edit, OLD, start } from './afterwards.ts';
import { prompt } from './harness.ts';

test('reverting an undo restores all that was undone since the last request', async (t) => {
  const run = await start(t, {
    replies: [
      { calls: [edit('a.txt', 1, 'ONE\n'), edit('a.txt', 9, 'NINE\n')] },
      { text: 'Done.' },
      { text: 'Understood.' },
    ],
    files: { 'a.txt': OLD },
  });
  await prompt(run.host, run.sessionId);
  const written = run.text('a.txt');
  await run.resolve('undo', [1]);
  await run.resolve('undo', [0]);
  assert.equal(run.text('a.txt'), OLD);
  const cards = run.host.updates.flatMap(({ update }) =>
    'toolCallId' in update && update.toolCallId.startsWith('und_') ? [update.toolCallId] : [],
  );
  const [toolCallId] = cards;
  assert.equal(new Set(cards).size, 1);
  await run.host.agent.request('_gatehouse/revert', { sessionId: run.sessionId, toolCallId });
  assert.equal(run.text('a.txt'), written);
  await prompt(run.host, run.sessionId);
  assert.ok(run.body(2).includes('restored changes of yours that they had undone'));
});

test('what the user undid by hand is settled, and nothing that the file still has', async (t) => {
  const run = await start(t, {
    replies: [
      { calls: [edit('a.txt', 1, 'ONE\n'), edit('a.txt', 9, 'NINE\n')] },
      { text: 'Done.' },
      { text: 'Understood.' },
    ],
    files: { 'a.txt': OLD },
  });
  await prompt(run.host, run.sessionId);
  const byHand = OLD.replace('line 9\n', 'NINE\n');
  writeFileSync(run.at('a.txt'), byHand);
  await run.resolve('settle', [1]);
  assert.equal(run.list()[0]?.hunks, 2);
  await run.resolve('settle', [0]);
  assert.equal(run.list()[0]?.hunks, 1);
  assert.equal(run.text('a.txt'), byHand);
  await prompt(run.host, run.sessionId);
  const body = run.body(2);
  assert.ok(body.includes('undid these') && body.includes('ONE'));
});
