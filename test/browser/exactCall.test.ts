import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choose } from './card.ts';
import { answerInPick } from './pick.ts';
import { openScene } from './scene.ts';

const echo = { tool: 'bash', input: { command: 'echo again' } };
const [call, text] = [{ calls: [echo] }, { text: 'Done.' }];

test('C-61: in the card, an answer to the watchdog holds for exactly this call', async (t) => {
  const scene = await openScene(t);
  const { chat, model } = scene;
  // A rule allows the call; the watchdog asks from the third on.
  model.script(call, call, call, call, call, text);
  await chat.send('go');
  await chat
    .permission('echo again')
    .getByText(/3 times in a row/)
    .waitFor();
  await choose(scene, 'For This Session: exactly this call');
  await chat.said('Done.');
  assert.equal(await chat.permission().count(), 0);
});

test('VC-83: in the quick pick, this call is denied for the rest of the session', async (t) => {
  const scene = await openScene(t);
  const { chat, model } = scene;
  model.script(call, call, call, call, text);
  await chat.send('go');
  await chat.permission('echo again').waitFor();
  await answerInPick(scene, 'Deny for This Session: exactly this call');
  await chat.said('Done.');
  const results = model.requests.at(-1)?.conversation.results ?? [];
  assert.match(results.at(-1)?.errorText ?? '', /You rejected exactly this call/);
});
