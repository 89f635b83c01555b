import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { Chat } from '../workbench/chat.ts';
import { clickUntil } from '../workbench/processes.ts';
import { copySample, type Sample } from '../workbench/sample.ts';
import { type Server, startServer } from '../workbench/server.ts';
import { Workbench } from '../workbench/workbench.ts';
import { type ScriptedModel, startScriptedModel } from './model.ts';
import { answerBox, pick } from './pick.ts';
import { packagePath, sharedStage } from './scene.ts';

/** A server as a new user has it: folders are not trusted, and no model is set. */
let fresh: { server: Server; browser: Browser; model: ScriptedModel; sample: Sample } | undefined;

before(async () => {
  const { browser } = await sharedStage();
  const server = await startServer({ vsix: packagePath(), trust: true });
  fresh = { server, browser, model: await startScriptedModel(), sample: copySample() };
});

after(async () => {
  await fresh?.server.stop();
  await fresh?.model.stop();
  fresh?.sample.dispose();
});

test('a new user is led from an untrusted folder to a model and a first answer', async () => {
  assert.ok(fresh);
  const { server, browser, model, sample } = fresh;
  const workbench = await Workbench.open(browser, server, { folder: sample.folder });
  const chat = await Chat.open(workbench);
  await workbench.screenshot('untrusted');
  await chat.send('hello?');
  await chat.alert.filter({ hasText: /not trusted/i }).waitFor();
  assert.equal(model.requests.length, 0);

  const { page } = workbench;
  const trust = page.getByRole('button', { name: 'Trust', exact: true });
  await clickUntil('the editor of trust', chat.alert.getByRole('button', { name: /trust/i }), () =>
    trust.isVisible(),
  );
  await clickUntil('the trust', trust, async () => !(await trust.isVisible()));
  const close = page.locator('.monaco-modal-editor-block [aria-label^="Close"]').first();
  await clickUntil('the end of that editor', close, async () => !(await close.isVisible()));
  await clickUntil('another try', chat.alert.getByRole('button', { name: 'Retry' }), () =>
    chat.alert.filter({ hasText: /no model/i }).isVisible(),
  );
  await workbench.screenshot('no-model');
  await clickUntil('the first step', chat.alert.getByRole('button', { name: 'Set Model…' }), () =>
    workbench.quickInput.isVisible(),
  );
  await setUpModel(workbench, model.url);
  // The request that showed that the model answers.
  assert.equal(model.requests.length, 1);
  model.script({ text: 'Hello!' });
  const retry = chat.alert.getByRole('button', { name: 'Retry' });
  await clickUntil('another try', retry, async () => (await retry.count()) === 0);
  await chat.said('Hello!');
  await workbench.close();
});

test('without a folder the chat works in a place of its own', async () => {
  const { server, browser, model } = await sharedStage();
  const workbench = await Workbench.open(browser, server);
  const chat = await Chat.open(workbench);
  model.script(
    { calls: [{ tool: 'read', input: { path: 'notes.txt' } }] },
    { calls: [{ tool: 'read', input: { path: '/etc/hostname' } }] },
    { text: 'There is no folder to read from.' },
  );
  await chat.send('read my notes');
  await chat.said('There is no folder to read from.');
  // Its own folder needs no question and is empty; nothing outside of it is read.
  const [own, outside] = model.requests.at(-1)?.conversation.results ?? [];
  assert.deepEqual([own?.ok, outside?.ok], [false, false]);
  assert.match(JSON.stringify(own), /notes\.txt/);
  assert.match(JSON.stringify(outside), /outside|capabilities/);
  await workbench.screenshot('no-folder');
  await workbench.close();
});

/** The endpoint, no key, for none is needed here, and one of the models it names, which is asked to answer. */
async function setUpModel(workbench: Workbench, url: string): Promise<void> {
  await pick(workbench, 'OpenAI-Compatible Endpoint');
  await answerBox(workbench, 'Set Model', url);
  await answerBox(workbench, 'OpenAI-Compatible Endpoint', '');
  await pick(workbench, 'scripted-tour');
  await workbench.quickInput.waitFor({ state: 'hidden' });
  const told = workbench.page.getByText('scripted-tour answered.');
  await told.first().waitFor();
}
