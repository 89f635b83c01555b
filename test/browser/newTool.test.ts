import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerBox, answerInPick, pick } from './pick.ts';
import { openScene } from './scene.ts';

test('a tool is made by the wizard, accepted, and called by the model', async (t) => {
  const { workbench, chat, model } = await openScene(t, {
    fresh: true,
    // With the tools of VS Code's own extensions there are more than 20.
    settings: { 'gatehouse.toolSearch.enabled': false },
  });
  // The first turn starts the host, which is what sees the new manifest.
  model.script({ text: 'Hello.' });
  await chat.send('hello');
  await chat.said('Hello.');
  await chat.idle();

  await workbench.run('Gatehouse: New Tool…');
  await pick(workbench, 'A program in this folder');
  await answerBox(workbench, 'Tool name', 'mirror');
  await answerBox(workbench, 'What the tool does', 'Gives back what it gets.');
  await answerBox(workbench, 'Example arguments', '{"text": "x"}');
  await workbench.tab('tools.json').waitFor();
  await workbench.screenshot('new-tool-manifest');

  await workbench.answerNotification(/declares tools .*workspace_mirror/, 'Review…');
  await workbench.row('workspace_mirror').waitFor();
  await workbench.screenshot('new-tool-review');
  await pick(workbench, 'Accept');
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
