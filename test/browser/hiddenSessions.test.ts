import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Chat } from '../workbench/chat.ts';
import { kill, until } from '../workbench/processes.ts';
import { pick } from './pick.ts';
import { edit, inMode, prepareFiles } from './reviewMode.ts';
import { oneHost, openScene, type Scene } from './scene.ts';

const bash = (command: string) => ({ tool: 'bash', input: { command } });

/** Two sessions whose commands wait, behind a third one that the chat shows. */
async function leaveTwoWaiting(scene: Scene): Promise<void> {
  const { chat, model } = scene;
  for (const [index, name] of ['first', 'second'].entries()) {
    model.script({ calls: [bash(`echo ${name} >> ${name}.txt`)] });
    await chat.send(`run the ${name}`);
    await waiting(scene, index + 1);
    await chat.startSession();
  }
  model.script({ text: 'Hello.' });
  await chat.send('hello');
  await chat.said('Hello.');
  await waiting(scene, 2);
}

/** Waits until the status bar counts so many requests of all sessions. */
async function waiting({ workbench }: Pick<Scene, 'workbench'>, count: number): Promise<void> {
  await workbench.page
    .locator('.statusbar-item', { has: workbench.page.locator('.codicon-shield') })
    .filter({ hasText: String(count) })
    .waitFor();
}

/** Allows the request of a session that the chat does not show, by the inbox. */
async function allowByInbox(scene: Scene, name: string, total: number): Promise<void> {
  const { workbench, chat, sample } = scene;
  await workbench.run('Gatehouse: Show Pending Requests');
  if (total > 1) {
    await workbench.quickInput.locator('.monaco-list-row', { hasText: `${name}.txt` }).waitFor();
    await workbench.screenshot(`hidden-sessions-inbox-${name}`);
    assert.equal((await workbench.rows()).length, total);
    await pick(
      workbench,
      workbench.quickInput.locator('.monaco-list-row', { hasText: `${name}.txt` }),
    );
  }
  await chat.permission(name).waitFor();
  await pick(workbench, 'Allow Once');
  const file = path.join(sample.folder, `${name}.txt`);
  await until(`the command of the ${name}`, () => existsSync(file) || undefined);
  await chat.said('Done.');
}

test('requests of sessions that no view shows come back after a reload of the window', async (t) => {
  const before = await openScene(t);
  await leaveTwoWaiting(before);
  await before.workbench.reload();
  const scene = { ...before, chat: await Chat.open(before.workbench) };
  await scene.chat.said('Hello.');
  await waiting(scene, 2);
  assert.equal(await scene.chat.permission().count(), 0, 'the chat shows its own session');
  await allowByInbox(scene, 'first', 2);
  await waiting(scene, 1);
  await allowByInbox(scene, 'second', 1);
});

test('they come back after the host was killed, too', async (t) => {
  const scene = await openScene(t);
  await leaveTwoWaiting(scene);
  const { pid } = await oneHost(scene);
  kill(pid, 'SIGKILL');
  await until('another host', async () => (await oneHost(scene)).pid !== pid || undefined);
  await waiting(scene, 2);
  await allowByInbox(scene, 'second', 2);
  await allowByInbox(scene, 'first', 1);
});

test('collected edits of a session that no view shows are asked about again after a reload', async (t) => {
  const before = await openScene(t, inMode('turn'));
  const { model } = before;
  const text = prepareFiles(before);
  model.script({ calls: [edit('one.txt', 'second', 'SECOND')] }, { text: 'Proposed.' });
  await before.chat.send('change it');
  await before.chat.permission('Review one.txt').waitFor();
  await before.chat.startSession();
  model.script({ text: 'Hello.' });
  await before.chat.send('hello');
  await before.chat.said('Hello.');
  await before.workbench.reload();
  const scene = { ...before, chat: await Chat.open(before.workbench) };
  await scene.chat.said('Hello.');
  await waiting(scene, 1);
  await scene.workbench.run('Gatehouse: Show Pending Requests');
  await scene.chat.permission('Review one.txt').waitFor();
  assert.ok(!text('one.txt').includes('SECOND'));
  await pick(scene.workbench, 'Allow Once');
  await until('the file', () => text('one.txt').includes('SECOND') || undefined);
});
