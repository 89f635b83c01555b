import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { clickUntil, until } from '../workbench/processes.ts';
import { armed } from './card.ts';
import { longAnswer } from './model.ts';
import { ARMED, answerInPick, giveReason, openRequest, pick } from './pick.ts';
import { openScene, type Scene } from './scene.ts';

const EDIT = {
  tool: 'edit',
  input: { path: 'src/sum.js', old_string: 'let total = 1;', new_string: 'let total = 0;' },
};
const QUESTION = {
  tool: 'question',
  input: {
    questions: [{ question: 'Which one?', options: [{ label: 'Left' }, { label: 'Right' }] }],
  },
};
/** Does nothing for a time that tells it from other processes; no rule lets it pass. */
const SLEEP = 'node -e "setTimeout(Object, 1234567)"';
const SLEEPING = /^node .*setTimeout\(Object, 1234567\)/;

test('Stop ends an answer that streams, and what came stays', async (t) => {
  const { chat, model } = await openScene(t);
  model.script(longAnswer(600));
  await chat.send('talk');
  await chat.said('word5');
  await chat.stop();
  assert.match(await chat.log.innerText(), /word5[\s\S]*Stopped\./);

  model.script({ text: 'Here I am again.' });
  await chat.send('go on');
  await chat.said('Here I am again.');
});

test('Stop while a permission waits closes the pick and changes nothing', async (t) => {
  const { workbench, chat, model, sample } = await openScene(t);
  const before = readFileSync(sample.buggy, 'utf8');
  model.script({ calls: [EDIT] });
  await chat.send('edit');
  await chat.permission().waitFor();
  await openRequest(workbench);
  await chat.stop();
  await workbench.row('Allow Once').waitFor({ state: 'detached' });
  await chat.permission().waitFor({ state: 'detached' });
  assert.equal(readFileSync(sample.buggy, 'utf8'), before);
});

test('VC-39: a click on a request that comes after Stop has no effect, and the call is stopped', async (t) => {
  const scene = await openScene(t);
  const { chat, model, sample } = scene;
  model.script({ calls: [{ tool: 'bash', input: { command: 'touch late.txt' } }] });
  await chat.send('touch it');
  await armed(scene);
  // Both clicks in one go: the request is still shown when the second one comes.
  await (await chat.document()).evaluate(`{
    const button = (name) => [...document.querySelectorAll('button')].find(
      (each) => (each.getAttribute('aria-label') ?? each.textContent).trim() === name,
    );
    const [stop, allow] = [button('Stop'), button('Allow')];
    stop.click();
    allow.click();
  }`);
  await chat.idle();
  await chat.permission().waitFor({ state: 'detached' });
  await chat.status(chat.card('touch late.txt'), 'aborted');
  model.script({ text: 'I know.' });
  await chat.send('and now?');
  await chat.said('I know.');
  const { messages } = Object(model.requests.at(-1)?.body);
  const { content } = messages.find(({ role }: { role: string }) => role === 'tool');
  const result = JSON.parse(typeof content === 'string' ? content : content[0].text);
  assert.equal(result.type, 'error');
  assert.equal(existsSync(path.join(sample.folder, 'late.txt')), false);
});

test('Stop while a question waits closes the pick', async (t) => {
  const { workbench, chat, model } = await openScene(t);
  model.script({ calls: [QUESTION] });
  await chat.send('ask me');
  await chat.question().waitFor();
  await openRequest(workbench);
  await workbench.row('Left').waitFor();
  await chat.stop();
  await workbench.row('Left').waitFor({ state: 'detached' });
  await chat.question().waitFor({ state: 'detached' });
});

test('Stop while a command runs ends its whole process tree', async (t) => {
  const scene = await openScene(t);
  await startSleeping(scene);
  await scene.chat.stop();
  await until('the end of the command', () => sleeping(scene).length === 0 || undefined);
});

test('a rejected edit leaves the file alone, and the agent reads why', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat, model, sample } = scene;
  const before = readFileSync(sample.buggy, 'utf8');
  model.script({ calls: [EDIT] }, { text: 'I leave it.' });
  await chat.send('edit');
  await answerInPick(scene, 'Deny With Reason');
  await giveReason(workbench, 'Keep the old behaviour');
  await chat.said('I leave it.');
  assert.equal(readFileSync(sample.buggy, 'utf8'), before);
  const [answer] = model.requests.at(-1)?.conversation.results ?? [];
  assert.equal(answer?.ok, false);
  assert.match(answer?.errorText ?? '', /Keep the old behaviour/);
});

test('keys that land in a fresh pick approve nothing', async (t) => {
  const { workbench, chat, model, sample } = await openScene(t);
  const before = readFileSync(sample.buggy, 'utf8');
  model.script({ calls: [EDIT] });
  await chat.send('edit');
  await workbench.row('Allow Once').waitFor();
  // As if the user had gone on typing a line of code, three times over.
  for (let line = 0; line < 3; line += 1) {
    await workbench.page.keyboard.type('allow once', { delay: 15 });
    await workbench.page.keyboard.press('Enter');
    await workbench.page.waitForTimeout(ARMED);
    // Nothing was moved to, so Enter has nothing to accept, however late it comes.
    await workbench.page.keyboard.press('Enter');
  }
  assert.equal(await chat.permission().count(), 1);
  assert.equal(readFileSync(sample.buggy, 'utf8'), before);
  assert.equal(model.requests.length, 1);
});

test('hiding the pick is no answer: it waits and can be brought back', async (t) => {
  const { workbench, chat, model, sample } = await openScene(t);
  const before = readFileSync(sample.buggy, 'utf8');
  model.script({ calls: [EDIT] }, { text: 'Edited.' });
  await chat.send('edit');
  await chat.permission().waitFor();
  await openRequest(workbench);
  await workbench.hideQuickInput();
  await workbench.row('Allow Once').waitFor({ state: 'detached' });
  assert.equal(await chat.permission().count(), 1);
  assert.equal(readFileSync(sample.buggy, 'utf8'), before);
  await workbench.run('Gatehouse: Go to Next Request');
  await workbench.row('Allow Once').waitFor();
  await pick(workbench, 'Allow Once');
  await chat.said('Edited.');
  assert.notEqual(readFileSync(sample.buggy, 'utf8'), before);
});

test('the card in the chat answers too, and the pick closes', async (t) => {
  const { workbench, chat, model, sample } = await openScene(t);
  const before = readFileSync(sample.buggy, 'utf8');
  model.script({ calls: [EDIT] }, { text: 'Edited.' });
  await chat.send('edit');
  await chat.permission().waitFor();
  await openRequest(workbench);
  await clickUntil(
    'the answer',
    chat.permission().getByRole('button', { name: 'Allow', exact: true }),
    async () => (await chat.permission().count()) === 0,
  );
  await chat.said('Edited.');
  await workbench.row('Allow Once').waitFor({ state: 'detached' });
  assert.notEqual(readFileSync(sample.buggy, 'utf8'), before);
});

async function startSleeping(scene: Scene): Promise<void> {
  const { chat, model } = scene;
  model.script({
    calls: [{ tool: 'bash', input: { command: `${SLEEP} & ${SLEEP}; echo after` } }],
  });
  await chat.send('wait');
  await answerInPick(scene, 'Allow Once');
  await until('the command', () => sleeping(scene).length >= 2 || undefined);
}

function sleeping({ server }: Scene) {
  return server.processes().filter(({ command }) => SLEEPING.test(command));
}
