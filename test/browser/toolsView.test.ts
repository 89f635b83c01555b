import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { until } from '../workbench/processes.ts';
import { LOOKS } from '../workbench/variants.ts';
import { pick } from './pick.ts';
import { openScene, type Scene } from './scene.ts';
import { addServers } from './serverTools.ts';

const LIST = '.monaco-list[aria-label="Tools"]';

test('the Tools view lists all tools, in every theme and width', async (t) => {
  const scene = await openScene(t, { fresh: true });
  const { workbench, chat, model } = scene;
  const { page } = workbench;
  model.script({ text: 'Hello.' });
  await chat.send('hello');
  await chat.said('Hello.');
  await addServers(t, scene);
  await workbench.run('Gatehouse: Focus on Tools View');
  await page.locator(LIST).and(page.locator(':focus')).waitFor();
  await row(scene, /^read /).waitFor();
  for (const theme of LOOKS) {
    await workbench.useTheme(theme);
    for (const width of [220, 400, 900]) {
      await workbench.resizeSideBar(width);
      await workbench.screenshot(`tools-view-${theme}-${width}`);
    }
  }
});

test('the document of a server under review goes back to the review when it is closed', async (t) => {
  const scene = await openScene(t, { fresh: true });
  const { workbench, chat, model, sample } = scene;
  model.script({ text: 'Hello.' });
  await chat.send('hello');
  await chat.said('Hello.');
  const mcpServers = { clock: { command: 'node', args: ['-e', 'setInterval(() => {}, 1000)'] } };
  writeFileSync(path.join(sample.folder, '.mcp.json'), JSON.stringify({ mcpServers }));
  await workbench.answerNotification(/MCP servers need your review: clock/, 'Review…');
  await workbench.quickInputTitle.filter({ hasText: 'MCP server clock' }).waitFor();
  await workbench.screenshot('server-review');
  const server = workbench.quickInput.locator('.monaco-list-row').first();
  await pick(workbench, server);
  await until('the document', async () =>
    (await workbench.editorText()).some((line) => line.includes('Close this document')),
  );
  await workbench.screenshot('server-review-document');
  await workbench.run('View: Close Editor');
  await workbench.quickInputTitle.filter({ hasText: 'MCP server clock' }).waitFor();
  await workbench.row('Accept').waitFor();
  await workbench.hideQuickInput();
});

function row({ workbench }: Scene, name: RegExp): Locator {
  return workbench.page.locator(LIST).getByRole('treeitem', { name }).first();
}
