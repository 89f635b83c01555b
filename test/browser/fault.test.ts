import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reply } from '../tour/server.ts';
import type { Chat } from '../workbench/chat.ts';
import { clickUntil } from '../workbench/processes.ts';
import { wholeTest } from '../workbench/variants.ts';
import { answerBox } from './pick.ts';
import { openScene } from './scene.ts';

check('a refused key', { fault: { at: 'head', status: 401 } }, /key/i);
check(
  'an endpoint that never answers',
  { fault: { at: 'before-first', how: 'stall' } },
  /answer|respond|silent/i,
  wholeTest,
);
check(
  'an answer that stops',
  { text: 'half an', fault: { at: 'mid-stream', how: 'stall' } },
  /answer|respond|silent|stopped/i,
);
check(
  'a stream that breaks',
  { text: 'half an', fault: { at: 'mid-stream', how: 'broken-line' } },
  /stream|answer/i,
  wholeTest,
);
check(
  'a connection that is cut',
  { text: 'half an', fault: { at: 'mid-stream', how: 'reset' } },
  /connection|stream|answer/i,
);

test('an endpoint that is down is told with a way on', async (t) => {
  const { chat, model } = await openScene(t);
  await model.down();
  try {
    await chat.send('hello?');
    await chat.alert.filter({ hasText: /reach|connect/i }).waitFor();
  } finally {
    await model.up();
  }
  model.script({ text: 'Here I am.' });
  await retry(chat);
  await chat.said('Here I am.');
  assert.equal(await chat.alert.count(), 0);
});

test('a key that is set after a refusal is used by Retry', async (t) => {
  const { workbench, chat, model } = await openScene(t, { fresh: true });
  // The second request tries the key.
  model.script({ fault: { at: 'head', status: 401 } }, { text: 'OK' }, { text: 'Welcome.' });
  await chat.send('hello?');
  const setKey = chat.alert.getByRole('button', { name: 'Set API Key…' });
  await clickUntil('the input box', setKey, () => workbench.quickInput.isVisible());
  await answerBox(workbench, '', 'key-for-tests');
  await retry(chat);
  await chat.said('Welcome.');
  assert.equal(model.requests.at(-1)?.headers['authorization'], 'Bearer key-for-tests');
});

/** Presses *Retry* until the failed turn is gone. */
async function retry({ alert }: Chat): Promise<void> {
  const button = alert.getByRole('button', { name: 'Retry' });
  await clickUntil('another try', button, async () => (await button.count()) === 0);
}

/** The turn fails in the given way; the card says so in words, keeps what came, and Retry goes on. */
function check(name: string, reply: Reply, words: RegExp, runs: typeof test = test): void {
  runs(`${name} is told with a way on`, async (t) => {
    const { workbench, chat, model } = await openScene(t);
    model.script(reply);
    await chat.send('hello?');
    await chat.alert.waitFor();
    await chat.idle();
    await chat.alert.filter({ hasText: words }).waitFor();
    const text = (await chat.alert.textContent()) ?? '';
    assert.doesNotMatch(text, /\bat \S+\.(?:m?js|ts):\d+/, 'a raw stack is not for users');
    if (reply.text !== undefined) await chat.said(reply.text);
    await workbench.screenshot(`fault-${name.replaceAll(' ', '-')}`);

    model.script({ text: 'Here I am.' });
    await retry(chat);
    await chat.said('Here I am.');
    assert.equal(await chat.items('user').count(), 1);
  });
}
