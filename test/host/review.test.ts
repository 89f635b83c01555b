import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { diffEditor } from '../../src/extension/editor.ts';
import { Proposals } from '../../src/extension/review/proposals.ts';
import { until } from '../workbench/processes.ts';

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
    proposals.keep('call-1', [
      { type: 'diff', path: file, oldText: 'let total = 1;', newText: 'let total = 0;' },
    ]);
    assert.equal(await proposals.show('call-1', file, false, false), true);
    const tab = await until('the diff tab', diffTab);
    assert.equal(tab.original.fsPath, file);
    assert.notEqual(tab.modified.scheme, 'file');
    assert.deepEqual(readFileSync(file), before);
  });

  test('a decided proposal closes its tab', async () => {
    await proposals.closeDiffs('call-1');
    await until('the end of the tab', () => diffTab() === undefined || undefined);
  });

  test('a call that proposed nothing shows nothing', async () => {
    assert.equal(await proposals.show('call-2', file, false, false), false);
  });
});

function diffTab(): vscode.TabInputTextDiff | undefined {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .map(({ input }) => input)
    .find((input) => input instanceof vscode.TabInputTextDiff);
}
