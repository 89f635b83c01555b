import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Workbench } from '../workbench/workbench.ts';
import { answerInPick } from './pick.ts';
import { openScene } from './scene.ts';

test('a tool is made by the wizard, accepted, and called by the model', async (t) => {
  const { workbench, chat, model } = await openScene(t, { fresh: true });
  // The first turn starts the host, which is what sees the new manifest.
  model.script({ text: 'Hello.' });
  await chat.send('hello');
  await chat.said('Hello.');
  await chat.idle();

  await workbench.run('Gatehouse: New Tool…');
  await workbench.row('A program in this folder').click();
  await answer(workbench, 'Tool name', 'mirror');
  await answer(workbench, 'What the tool does', 'Gives back what it gets.');
  await answer(workbench, 'Example arguments', '{"text": "x"}');
  await workbench.tab('tools.json').waitFor();
  await workbench.screenshot('new-tool-manifest');

  await workbench.answerNotification(/declares tools .*workspace_mirror/, 'Review…');
  await workbench.row('workspace_mirror').waitFor();
  await workbench.screenshot('new-tool-review');
  await workbench.row('Accept').click();
  await workbench.quickInput.waitFor({ state: 'hidden' });

  model.script(
    { calls: [{ tool: 'workspace_mirror', input: { text: 'hi' } }] },
    { text: 'It said hi.' },
  );
  await chat.send('use the mirror');
  await answerInPick({ workbench, chat }, 'Allow Once');
  await chat.said('It said hi.');
  await chat.idle();
  await workbench.screenshot('new-tool-result');
  const results = model.requests.flatMap(({ conversation }) => conversation.results);
  assert.deepEqual(results.find(({ tool }) => tool === 'workspace_mirror')?.data, { text: 'hi' });
});

/** Types into the input box that asks this, and goes on. */
async function answer(workbench: Workbench, prompt: string, text: string): Promise<void> {
  await workbench.quickInput.filter({ hasText: prompt }).waitFor();
  await workbench.quickInputBox.fill(text);
  await workbench.page.keyboard.press('Enter');
}
