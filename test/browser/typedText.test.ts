import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chat } from '../workbench/chat.ts';
import { kill, type RunningProcess, until } from '../workbench/processes.ts';
import { press } from './card.ts';
import { allowInTitle, isStored, openCurrentReview, typeAtEnd } from './reviewEditor.ts';
import { edit, inMode, prepareFiles } from './reviewMode.ts';
import { hosts, oneHost, openScene, type Scene } from './scene.ts';

/** Has an edit of `one.txt` proposed, and types into its proposal. */
async function typeIntoProposal(scene: Scene): Promise<void> {
  const { workbench, chat, model } = scene;
  model.script({ calls: [edit('one.txt', 'second', 'SECOND')] }, { text: 'Done.' });
  await chat.send('change it');
  await chat.permission('one.txt').waitFor();
  await openCurrentReview(workbench);
  await typeAtEnd(workbench, 'SECOND', ' mine');
  await isStored(scene, 'SECOND mine');
}

function shown({ workbench }: Scene): Promise<unknown> {
  return until('the typed text', async () =>
    (await workbench.diffText('modified')).some((line) => line === 'SECOND mine'),
  );
}

test('typed text and its request survive a reload of the window and a killed extension host', async (t) => {
  const before = await openScene(t, { fresh: true });
  const { workbench, server } = before;
  const text = prepareFiles(before);
  await typeIntoProposal(before);
  await workbench.reload();
  await workbench.diff.waitFor();
  await shown(before);
  assert.equal(await workbench.tab('one.txt').count(), 1, 'no second tab');
  const host = await oneHost(before);
  // One process or more above the host is the extension host of its window.
  const running = server.processes();
  let each: RunningProcess | undefined = host;
  while (each !== undefined && !each.command.includes('--type=extensionHost'))
    each = running.find(({ pid }) => pid === each?.parent);
  assert.ok(each, 'an extension host');
  kill(each.pid, 'SIGKILL');
  await until('the end of the host', () => hosts(before).every(({ pid }) => pid !== host.pid));
  assert.ok(!text('one.txt').includes('SECOND'), 'nothing is written');
  const scene = { ...before, chat: await Chat.open(workbench) };
  await scene.chat.permission('one.txt').waitFor();
  await press(scene, 'Allow');
  await scene.chat.said('Done.');
  assert.equal(text('one.txt'), 'first of one.txt\nSECOND mine\nthird\n');
});

test('when the host is killed, typed text stays in its tab, and a message says so', async (t) => {
  const scene = await openScene(t, { fresh: true });
  const { workbench, chat } = scene;
  const text = prepareFiles(scene);
  await typeIntoProposal(scene);
  kill((await oneHost(scene)).pid, 'SIGKILL');
  await chat.alert.waitFor();
  await workbench.notice('The text you typed into it is still in its tab');
  await shown(scene);
  assert.ok(!text('one.txt').includes('SECOND'), 'nothing is written');
});

test('in turn mode a killed host loses neither proposals nor typed text', async (t) => {
  const scene = await openScene(t, inMode('turn'));
  const { workbench, chat, model } = scene;
  const text = prepareFiles(scene);
  await typeIntoProposal(scene);
  await chat.said('Done.');
  const { pid } = await oneHost(scene);
  kill(pid, 'SIGKILL');
  await chat.permission().waitFor({ state: 'detached' });
  assert.ok(!text('one.txt').includes('SECOND'), 'the disk is untouched');

  // The next host still has the proposal, and its review has what was typed.
  model.script({ calls: [{ tool: 'read', input: { path: 'one.txt' } }] }, { text: 'Read.' });
  await chat.send('read it');
  await chat.said('Read.');
  assert.notEqual((await oneHost(scene)).pid, pid);
  assert.match(JSON.stringify(model.requests.at(-1)?.conversation.results), /SECOND/);
  await chat.permission('Review one.txt').waitFor();
  await openCurrentReview(workbench);
  await shown(scene);
  await allowInTitle(workbench);
  await until('the file', () => text('one.txt').includes('SECOND mine') || undefined);
  assert.equal(text('one.txt'), 'first of one.txt\nSECOND mine\nthird\n');
});
