import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chat } from '../workbench/chat.ts';
import { copySample } from '../workbench/sample.ts';
import { startServer } from '../workbench/server.ts';
import { packFixture } from '../workbench/vsix.ts';
import { Workbench } from '../workbench/workbench.ts';
import { packagePath, sharedStage } from './scene.ts';

/** What a newcomer has patience for, in milliseconds. */
const MOST = 10_000;

test('a newcomer with a language model in VS Code has an answer in two clicks and ten seconds', async () => {
  const { browser } = await sharedStage();
  const others = [packFixture('modelExtension')];
  const server = await startServer({ vsix: packagePath(), others });
  const sample = copySample();
  try {
    const workbench = await Workbench.open(browser, server, { folder: sample.folder });
    const chat = await Chat.open(workbench);
    const offer = chat.frame.getByRole('button', { name: /Use Registered One/ });
    await offer.waitFor();
    assert.match(await offer.innerText(), /registered · 64,000 tokens · price unknown/);
    await workbench.screenshot('newcomer');

    const begun = performance.now();
    await offer.click();
    const suggestion = chat.frame.getByRole('button', { name: 'Explain this project' });
    await suggestion.click();
    await chat.said('Hello from the registered model (1).');
    const took = performance.now() - begun;
    await workbench.screenshot('newcomer-answer');
    assert.ok(took <= MOST, `two clicks and ${Math.round(took)} ms`);
    await workbench.close();
  } finally {
    await server.stop();
    sample.dispose();
  }
});
