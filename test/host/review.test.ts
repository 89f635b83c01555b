import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { diffEditor } from '../../src/extension/editor.ts';
import { Proposals } from '../../src/extension/review/proposals.ts';
import { until } from '../workbench/processes.ts';

const CALL = { sessionId: 'session-1', toolCallId: 'call-1' };

suite('reviews', () => {
  const proposals = new Proposals(diffEditor);
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const file = path.join(folder, 'src/sum.js');

  suiteTeardown(async () => {
    proposals.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  test('a proposal opens as a diff of the file, and the file is not touched', async () => {
    const before = readFileSync(file);
    proposals.keep(CALL, [
      { type: 'diff', path: file, oldText: 'let total = 1;', newText: 'let total = 0;' },
    ]);
    assert.equal(await proposals.open(CALL, false), true);
    const tab = await until('the diff tab', diffTab);
    assert.equal(tab.original.fsPath, file);
    assert.notEqual(tab.modified.scheme, 'file');
    assert.deepEqual(readFileSync(file), before);
  });

  test('a decided proposal closes its tab', async () => {
    await proposals.closeDiffs(CALL);
    await until('the end of the tab', () => diffTab() === undefined || undefined);
  });

  test('a proposal of several files opens a tab for each, and one decision closes them all', async () => {
    const added = path.join(folder, 'src/added.js');
    proposals.keep(CALL, [
      { type: 'diff', path: file, oldText: 'let total = 1;', newText: 'let total = 0;' },
      { type: 'diff', path: added, oldText: null, newText: 'let added = 1;\n' },
    ]);
    assert.equal(await proposals.open(CALL, false), true);
    await until('two diff tabs', () => diffTabs().length === 2 || undefined);
    const active = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    assert.ok(active instanceof vscode.TabInputTextDiff);
    assert.equal(active.original.fsPath, file);
    await proposals.closeDiffs(CALL);
    await until('the end of both tabs', () => diffTabs().length === 0 || undefined);
  });

  test('a call that proposed nothing shows nothing', async () => {
    assert.equal(await proposals.show({ ...CALL, toolCallId: 'call-2' }, file, false), false);
  });
});

function diffTab(): vscode.TabInputTextDiff | undefined {
  return diffTabs()[0];
}

function diffTabs(): readonly vscode.TabInputTextDiff[] {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .map(({ input }) => input)
    .filter((input) => input instanceof vscode.TabInputTextDiff);
}
