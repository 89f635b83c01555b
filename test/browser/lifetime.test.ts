import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chat } from '../workbench/chat.ts';
import { listeningPorts } from '../workbench/listening.ts';
import { isAlive, kill, until } from '../workbench/processes.ts';
import { longAnswer } from './model.ts';
import { answerInPick } from './pick.ts';
import { closeScene, oneHost, openScene, type Scene } from './scene.ts';

/** Does nothing for a time that tells it from other processes; no rule lets it pass. */
const SLEEP = 'node -e "setTimeout(Object, 7654321)"';
const SLEEPING = /^node .*setTimeout\(Object, 7654321\)/;

test('a session is there again after a reload of the window', async (t) => {
  const { workbench, chat, model } = await openScene(t);
  model.script({ text: 'I will remember **this**.' });
  await chat.send('remember');
  await chat.said('I will remember this.');
  await chat.idle();

  await workbench.reload();
  const again = await Chat.open(workbench);
  await again.said('I will remember this.');
  model.script({ text: 'Still here.' });
  await again.send('and now?');
  await again.said('Still here.');
  // The model is told the whole conversation, from before the reload too.
  assert.match(JSON.stringify(model.requests.at(-1)?.body['messages']), /I will remember/);
});

test('a chat that is reloaded in the middle of a turn shows all of it', async (t) => {
  const { workbench, chat, model } = await openScene(t);
  model.script(longAnswer(8));
  await chat.send('talk');
  await chat.said('word10');
  await workbench.run('Developer: Reload Webviews');
  await chat.said('word159');
  await chat.idle();
  const text = (await chat.items('agent').allInnerTexts()).join(' ');
  assert.equal(text.match(/word10\b/g)?.length, 1);
  assert.equal(text.match(/word100\b/g)?.length, 1);
});

test('a host that is killed is told, started again, and the session goes on', async (t) => {
  const scene = await openScene(t);
  const { workbench, chat, model } = scene;
  model.script({ text: 'First I wait.', calls: [{ tool: 'bash', input: { command: SLEEP } }] });
  await chat.send('wait');
  await answerInPick(scene, 'Allow Once');
  await until('the command', () => sleeping(scene).length === 1 || undefined);
  const host = await oneHost(scene);

  kill(host.pid, 'SIGKILL');
  await chat.alert.filter({ hasText: 'SIGKILL' }).waitFor();
  await workbench.screenshot('host-killed');
  await until(
    'the end of what the host had started',
    () => sleeping(scene).length === 0 || undefined,
  );
  await chat.said('First I wait.');

  model.script({ text: 'And on we go.' });
  await chat.send('go on');
  await chat.said('And on we go.');
  assert.notEqual((await oneHost(scene)).pid, host.pid);
  assert.match(JSON.stringify(model.requests.at(-1)?.body['messages']), /First I wait\./);
});

test('closing the window ends the host and all that it started', async (t) => {
  const scene = await openScene(t);
  const { chat, model } = scene;
  model.script({ calls: [{ tool: 'bash', input: { command: `${SLEEP} & ${SLEEP}` } }] });
  await chat.send('wait');
  await answerInPick(scene, 'Allow Once');
  await until('the command', () => sleeping(scene).length >= 2 || undefined);
  const started = [await oneHost(scene), ...sleeping(scene)];
  assert.equal(started.length, 3);

  await closeScene();
  await until('the end of all of them', () => {
    return started.every(({ pid }) => !isAlive(pid)) || undefined;
  });
});

test('the host listens on no port, before and while a turn runs', async (t) => {
  const scene = await openScene(t);
  const { chat, model } = scene;
  model.script({ calls: [{ tool: 'read', input: { path: 'README.md' } }] }, longAnswer(3));
  await chat.send('read');
  await chat.said('word20');
  assert.deepEqual(listeningPorts((await oneHost(scene)).pid), []);
});

function sleeping({ server }: Scene) {
  return server.processes().filter(({ command }) => SLEEPING.test(command));
}
