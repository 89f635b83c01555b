import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Chat } from '../workbench/chat.ts';
import { copySample, type Sample } from '../workbench/sample.ts';
import { type Server, startServer } from '../workbench/server.ts';
import { packFixture } from '../workbench/vsix.ts';
import { Workbench } from '../workbench/workbench.ts';
import { type LocalModel, startLocalModel } from './localModel.ts';
import { packagePath, sharedStage } from './scene.ts';

/** What a newcomer has patience for, in milliseconds. */
const MOST = 10_000;

let local: LocalModel;
let server: Server;

before(async () => {
  local = await startLocalModel('Hello from the local model.');
  const others = [packFixture('modelExtension')];
  server = await startServer({ vsix: packagePath(), others, settings: local.settings });
});

after(async () => {
  await server.stop();
  local.stop();
});

test('a newcomer with a language model in VS Code has an answer in two clicks and ten seconds', async () => {
  await walk('newcomer', {
    offer: /Use Registered One/,
    facts: /registered · 64,000 tokens · price unknown/,
    answer: 'Hello from the registered model (1).',
  });
});

test('a newcomer with Ollama running has an answer in two clicks and ten seconds', async () => {
  forgetModel();
  await walk('newcomer-local', {
    offer: /Use qwen3:8b/,
    facts: /Ollama · 32,768 tokens · free/,
    answer: 'Hello from the local model.',
  });
  assert.ok(local.asked.includes('/api/chat'));
  assert.ok(!local.asked.some((url) => url.startsWith('/v1')), String(local.asked));
});

interface Walk {
  readonly offer: RegExp;
  readonly facts: RegExp;
  readonly answer: string;
}

/** From an empty chat without a model to the first answer. */
async function walk(name: string, { offer, facts, answer }: Walk): Promise<void> {
  const { browser } = await sharedStage();
  const sample: Sample = copySample();
  try {
    const workbench = await Workbench.open(browser, server, { folder: sample.folder });
    const chat = await Chat.open(workbench);
    // The first click on the icon says where keys go.
    await chat.composer.and(chat.frame.locator(':focus')).waitFor();
    const button = chat.frame.getByRole('button', { name: offer });
    await button.waitFor();
    assert.match(await button.innerText(), facts);
    await workbench.screenshot(name);

    const begun = performance.now();
    await button.click();
    await chat.frame.getByRole('button', { name: 'Explain this project' }).click();
    await chat.said(answer);
    const took = performance.now() - begun;
    await workbench.screenshot(`${name}-answer`);
    assert.ok(took <= MOST, `two clicks and ${Math.round(took)} ms`);
    await workbench.close();
  } finally {
    sample.dispose();
  }
}

/** The next window finds user settings that name no model. */
function forgetModel(): void {
  const file = path.join(server.home, 'data/User/settings.json');
  const settings: Record<string, unknown> = JSON.parse(readFileSync(file, 'utf8'));
  const kept = Object.entries(settings).filter(([key]) => !key.startsWith('gatehouse.model.'));
  writeFileSync(file, JSON.stringify({ ...Object.fromEntries(kept), ...local.settings }));
}
