import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../workbench/processes.ts';
import { press } from './card.ts';
import { openScene, type Scene } from './scene.ts';

const WRITE = { calls: [{ tool: 'write', input: { path: 'a.txt', content: 'a' } }] };

/** Opens a chat that tells of requests by the system, and counts what reaches the system. */
async function open(context: Parameters<typeof openScene>[0]): Promise<Scene> {
  const settings = {
    'gatehouse.notify.whenWaiting': 'always',
    'gatehouse.notify.whenDone': 'always',
    'gatehouse.notify.system': true,
  };
  return openScene(context, { fresh: true, settings });
}

/** Records what the page hands to the system; `granted` stands for a user who has permitted it. */
function watch(scene: Scene, granted: boolean) {
  return scene.chat.document().then((page) =>
    page.evaluate(`window.told = []; {
      const Real = window.Notification;
      window.Notification = class extends Real {
        static get permission() { return ${granted} ? 'granted' : Real.permission; }
        static requestPermission() { window.told.push(['asked']); return Promise.resolve('denied'); }
        constructor(title, options) { super(title, options); window.told.push([title, options.body]); }
      };
    }`),
  );
}

async function told({ chat }: Scene): Promise<unknown> {
  return (await chat.document()).evaluate('window.told');
}

test('waiting and done are told by the system where that is permitted', async (t) => {
  const scene = await open(t);
  const { chat, model } = scene;
  await watch(scene, true);
  model.script(WRITE, { text: 'Written.' });
  await chat.send('write it');
  await chat.permission('a.txt').waitFor();
  const waiting = ['Gatehouse', 'The agent needs your answer: Write a.txt'];
  await until('the first notification', async () => Object(await told(scene)).length === 1);
  assert.deepEqual(await told(scene), [waiting]);
  await press(scene, 'Allow');
  await chat.said('Written.');
  await until('the second notification', async () => Object(await told(scene)).length === 2);
  assert.deepEqual(await told(scene), [waiting, ['Gatehouse', 'The agent is done: write it']]);
});

test('where it is not permitted, nothing is told and the permission is not asked for', async (t) => {
  const scene = await open(t);
  const { workbench, chat, model } = scene;
  await watch(scene, false);
  const page = await chat.document();
  assert.notEqual(await page.evaluate('Notification.permission'), 'granted');
  model.script(WRITE, { text: 'Written.' });
  await chat.send('write it');
  await workbench.notice('needs your answer');
  await press(scene, 'Allow');
  await workbench.notice('is done');
  assert.deepEqual(await told(scene), []);
});
