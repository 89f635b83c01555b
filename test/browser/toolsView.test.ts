import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { until } from '../workbench/processes.ts';
import { LOOKS } from '../workbench/variants.ts';
import { pick } from './pick.ts';
import { openScene, type Scene } from './scene.ts';
import { addServers } from './serverTools.ts';

const LIST = '.monaco-list[aria-label="Tools"]';

test('the Tools view follows a changed manifest, and keeps the place and the focus of its reader', async (t) => {
  const scene = await openScene(t, { fresh: true });
  const { workbench, chat, model, sample } = scene;
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
  const memory = row(scene, /^memory_read_graph /);
  await pageDownTo(scene, memory);
  await memory.click();
  await isFocused(memory);
  const before = await memory.boundingBox();

  writeManifest(sample.folder, 'clock');
  await workbench.answerNotification(/declares tools .*workspace_clock/, 'Review…');
  await pick(workbench, 'Accept');
  await workbench.quickInput.waitFor({ state: 'hidden' });
  await workbench.run('Gatehouse: Focus on Tools View');
  await isFocused(memory);
  const after = await memory.boundingBox();
  if (before === null || after === null || Math.abs(before.y - after.y) > 60)
    throw new Error(`The row was at ${before?.y}, and is at ${after?.y}.`);
  await page.keyboard.press('Home');
  await pageDownTo(scene, row(scene, /^workspace_clock /));
  await workbench.screenshot('tools-view-changed');
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

function pageDownTo({ workbench }: Scene, of: Locator): Promise<unknown> {
  return until('the row', async () => {
    if ((await of.count()) > 0) return true;
    await workbench.page.keyboard.press('PageDown');
    return undefined;
  });
}

function isFocused(of: Locator): Promise<unknown> {
  return until('the row with the focus', async () =>
    /focused/.test((await of.getAttribute('class')) ?? ''),
  );
}

function writeManifest(folder: string, name: string): void {
  const program = path.join(folder, 'tools/bin', name);
  mkdirSync(path.dirname(program), { recursive: true });
  writeFileSync(program, '#!/bin/sh\ndate\n', { mode: 0o755 });
  const tool = { name, description: 'Tells the time.', command: [`./tools/bin/${name}`] };
  writeFileSync(path.join(folder, 'tools.json'), JSON.stringify({ tools: [tool] }));
}
