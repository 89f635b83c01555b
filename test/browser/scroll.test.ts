import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Chat } from '../workbench/chat.ts';
import { until } from '../workbench/processes.ts';
import { choose } from './card.ts';
import { openScene } from './scene.ts';

const LONG = Array.from({ length: 60 }, (_, line) => `Paragraph ${line} of a long answer.`).join(
  '\n\n',
);

test('a card that asks grows, and the end of the conversation stays in view', async (t) => {
  const scene = await openScene(t);
  const { chat, model } = scene;
  const input = { command: 'npm install left-pad' };
  model.script({ text: LONG, calls: [{ tool: 'bash', input }] });
  await chat.send('install it');
  await choose(scene, 'Always…');
  await chat.permission().getByRole('radio').first().waitFor();
  await atEnd(chat);
  await chat.stop();
  await atEnd(chat);
});

test('a card that is opened at the end of the conversation stays where it was clicked', async (t) => {
  const { chat, model } = await openScene(t);
  model.script({ text: LONG, calls: [{ tool: 'read', input: { path: 'src/sum.js' } }] });
  await chat.send('read it');
  await chat.said('Done.');
  await chat.idle();
  await atEnd(chat);
  const card = chat.card('Read src/sum.js');
  const toggle = card.getByRole('button', { expanded: false }).first();
  // One that is about to be clicked stands still.
  await toggle.click({ trial: true });
  const before = await toggle.boundingBox();
  await toggle.click();
  await card.locator('.output').waitFor();
  // Two frames later whatever would have moved has moved.
  await chat.log.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
  const after = await card.locator('.tool-toggle').boundingBox();
  assert.ok(Math.abs((after?.y ?? 0) - (before?.y ?? 0)) < 2, `${before?.y} -> ${after?.y}`);
});

test('code is colored in the page of the editor, which may start a worker', async (t) => {
  const { chat, model } = await openScene(t);
  model.script({ text: '```ts\nconst a = 1;\n```' });
  await chat.send('show code');
  await chat.log.locator('.hljs-keyword').first().waitFor();
});

/** Resolves when nothing of the conversation is below what is shown. */
function atEnd(chat: Chat): Promise<true> {
  return until('the end of the conversation in view', async () => {
    const left = await chat.log.evaluate(
      (box) => box.scrollHeight - box.scrollTop - box.clientHeight,
    );
    return left < 2 || undefined;
  });
}
