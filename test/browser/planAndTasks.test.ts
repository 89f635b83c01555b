import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { ModelRequest, Reply } from '../tour/server.ts';
import { Chat } from '../workbench/chat.ts';
import { clickUntil, until } from '../workbench/processes.ts';
import { goToFirst, press } from './card.ts';
import { pick, pickByKeys } from './pick.ts';
import { focusEditor } from './reviewEditor.ts';
import { openScene, type Scene, type SceneOptions } from './scene.ts';
import { addServers } from './serverTools.ts';

/** One window for all tests: reading notes asks. */
const OPTIONS: SceneOptions = {
  settings: {
    'gatehouse.permissions': [{ permission: 'read', pattern: 'notes/**', action: 'ask' }],
  },
};

async function chooseAgent(scene: Scene, name: string): Promise<void> {
  const { workbench, chat } = scene;
  const row = workbench.row(name);
  const button = chat.frame.getByRole('button', { name: /^Agent: / });
  await clickUntil('the list of agents', button, () => row.isVisible());
  await pick(workbench, name);
  await agentIs(scene, name);
  // Or the next key would go to an editor, or nowhere in the chat.
  await button.and(chat.frame.locator(':focus')).waitFor();
}

function agentIs({ chat }: Scene, name: string): Promise<void> {
  return chat.frame.getByRole('button', { name: `Agent: ${name}`, exact: true }).waitFor();
}

const PLAN = '# Plan\n\n1. Write made.txt.\n';
const WRITE = { tool: 'write', input: { path: 'made.txt', content: 'made' } };

test('CS-36: a plan opens as a document, is edited there, outlives a reload, and is approved and built in one answer', async (t) => {
  const before = await openScene(t, OPTIONS);
  const { workbench, model, sample } = before;
  model.script({ text: 'Hello.' });
  await before.chat.send('hello');
  await before.chat.said('Hello.');
  await chooseAgent(before, 'plan');
  model.script(
    { calls: [{ tool: 'plan_exit', input: { plan: PLAN } }] },
    { text: 'Planned.' },
    { calls: [WRITE] },
    { text: 'Built.' },
  );
  await before.chat.send('plan it');
  await before.chat.permission('Write made.txt').waitFor();
  await workbench.page.locator('.tab', { hasText: 'plan.md' }).waitFor();
  await clickUntil('the plan', before.chat.button('Open Document'), async () =>
    (await workbench.editorText()).includes('# Plan'),
  );
  await focusEditor(workbench);
  await workbench.page.keyboard.press('Control+End');
  await workbench.page.keyboard.type('2. Check it.');
  await before.chat.permission('2. Check it.').waitFor();
  await workbench.page.locator('.tab.active.dirty').waitFor({ state: 'detached' });
  await workbench.screenshot('plan-document');

  await workbench.reload();
  const scene = { ...before, chat: await Chat.open(workbench) };
  const { chat } = scene;
  await chat.permission('2. Check it.').waitFor();
  await clickUntil('the plan', chat.button('Open Document'), async () =>
    (await workbench.editorText()).includes('2. Check it.'),
  );
  await press(scene, 'Approve and Build');
  await chat.said('Planned.');
  await workbench.page.locator('.tab', { hasText: 'plan.md' }).waitFor({ state: 'detached' });
  await chat.items('user').filter({ hasText: 'Carry out the approved plan.' }).waitFor();
  const made = path.join(sample.folder, 'made.txt');
  await chat.permission('made.txt').waitFor();
  await agentIs(scene, 'gatehouse');
  assert.equal(existsSync(made), false);
  await press(scene, 'Allow');
  await chat.said('Built.');
  assert.equal(readFileSync(made, 'utf8'), 'made');
  const planned = model.requests.flatMap(({ conversation }) => conversation.results);
  const approved = planned.map(({ data }) => Object(data).approved).find(Boolean);
  assert.equal(approved, `${PLAN}2. Check it.`);
});

/** Answers each conversation by its prompt: the next of its replies for each result that it has. */
function byPrompt(scripts: Readonly<Record<string, readonly Reply[]>>) {
  return ({ conversation: { prompt, results } }: ModelRequest): Reply => {
    const found = Object.entries(scripts).find(([text]) => prompt.includes(text));
    return found?.[1][Math.min(results.length, 1)] ?? { text: 'Done.' };
  };
}

const explore = (prompt: string, more: object = {}) => ({
  tool: 'task',
  input: { subagent_type: 'explore', prompt, ...more },
});

test('CS-24: a subagent in the background finishes, and its message appears in the chat', async (t) => {
  const { chat, model, workbench } = await openScene(t, OPTIONS);
  const release = Promise.withResolvers<void>();
  model.answer(
    byPrompt({
      'begin it': [{ calls: [explore('Look far.', { background: true })] }, { text: 'Begun.' }],
      'Look far.': [{ text: 'Still looking. ', until: release.promise }],
    }),
  );
  await chat.send('begin it');
  await chat.said('Begun.');
  await chat.idle();
  release.resolve();
  await chat.said(/The background task \(explore\) has finished:/);
  await workbench.screenshot('task-finished');
});

test('two parallel subagents ask, and both are answered in the inbox, marked as theirs', async (t) => {
  const scene = await openScene(t, OPTIONS);
  const { chat, model, workbench, sample } = scene;
  mkdirSync(path.join(sample.folder, 'notes'), { recursive: true });
  for (const name of ['one', 'two']) {
    writeFileSync(path.join(sample.folder, `notes/${name}.txt`), `note ${name}`);
  }
  const read = (name: string) => ({
    calls: [{ tool: 'read', input: { path: `notes/${name}.txt` } }],
  });
  model.answer(
    byPrompt({
      'ask both': [{ calls: [explore('Read one.'), explore('Read two.')] }, { text: 'Both know.' }],
      'Read one.': [read('one'), { text: 'One is read.' }],
      'Read two.': [read('two'), { text: 'Two is read.' }],
    }),
  );
  await chat.send('ask both');
  await goToFirst(scene, 2);
  await workbench.run('Gatehouse: Show Pending Requests');
  const rows = workbench.quickInput.locator('.monaco-list-row');
  await until('rows of both subagents', async () => (await rows.count()) === 2);
  for (const row of await rows.allInnerTexts()) assert.match(row, /read · explore/);
  await workbench.screenshot('tasks-inbox');
  await pick(workbench, rows.first());
  for (const position of [/1 of 2 · explore/, /explore/]) {
    // After the first answer, the pick goes on with the other request.
    await workbench.quickInputTitle.filter({ hasText: position }).waitFor();
    await pickByKeys(workbench, 'Allow Once');
  }
  await chat.said('Both know.');
  const results = model.requests.at(-1)?.conversation.results ?? [];
  assert.deepEqual(
    results.map(({ data }) => Object(data).output),
    ['One is read.', 'Two is read.'],
  );
});

const FOUND = 'files_list_directory';

test('VC-61: of more than 30 tools of MCP servers, the model finds one by a search and calls it in its next step, once the user allows it', async (t) => {
  const scene = await openScene(t, OPTIONS);
  const { chat, model, sample } = scene;
  const count = await addServers(t, scene);
  // A turn waits some seconds for servers that start, which is less than a busy machine takes.
  await until('the tools of the servers', async () => {
    model.script({ text: 'Looked.' });
    await chat.send('look');
    await chat.idle();
    const told = /(\d+) more tools are found only by a search/.exec(
      JSON.stringify(model.requests.at(-1)?.body),
    );
    return Number(told?.[1]) >= count;
  });
  model.script(
    { calls: [{ tool: 'tool_search', input: { query: 'list directory' } }] },
    { calls: [{ tool: FOUND, input: { path: sample.folder } }] },
    { text: 'Listed.' },
  );
  await chat.send('list it');
  await chat.permission('files: list_directory').waitFor();
  await press(scene, 'Allow');
  await chat.said('Listed.');
  const offered = model.requests
    .slice(-3)
    .map(({ conversation }) => conversation.tools.includes(FOUND));
  assert.deepEqual(offered, [false, true, true]);
  const { results = [] } = model.requests.at(-1)?.conversation ?? {};
  assert.match(JSON.stringify(results.at(-1)), /package\.json/);
});
