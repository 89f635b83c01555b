import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../workbench/processes.ts';
import { openScene, type Scene } from './scene.ts';
import { addServers } from './serverTools.ts';

test('the chat stays the tallest view when Tools, Permissions and Sessions are opened', async (t) => {
  const scene = await openScene(t, { fresh: true });
  const { workbench, chat, model } = scene;
  model.script({ text: 'Hello.' });
  await chat.send('hello');
  await chat.said('Hello.');
  await addServers(t, scene);
  const views = ['Tools', 'Permissions', 'Sessions'];
  for (const [at, view] of views.entries()) {
    await workbench.run(`Gatehouse: Focus on ${view} View`);
    await until(`${view} as an open view`, async () => {
      const open = await readHeights(scene);
      return open.length === at + 2 || undefined;
    });
    const [first = 0, ...others] = await readHeights(scene);
    const all = `${first} of ${[first, ...others].join(' + ')} pixels with ${view}`;
    assert.ok(first >= 2 * Math.max(...others), all);
  }
  await workbench.screenshot('views-beside-chat');
});

/** The heights of the open views, the chat's first. */
async function readHeights({ workbench }: Scene): Promise<readonly number[]> {
  const open = workbench.page.locator('.part.sidebar .pane:has(> .pane-header.expanded)');
  const boxes = await Promise.all((await open.all()).map((pane) => pane.boundingBox()));
  return boxes.map((box) => Math.round(box?.height ?? 0));
}
