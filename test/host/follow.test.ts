import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { createFollower } from '../../src/extension/review/follow.ts';
import { until } from '../workbench/processes.ts';

suite('following the agent', () => {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const file = path.join(folder, 'src/sum.js');

  suiteTeardown(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  test('nothing opens until it is switched on, and nothing after it is switched off', async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const follower = createFollower();
    follower.locate(file, 3);
    follower.set(true);
    follower.locate(path.join(folder, 'test/sum.test.js'), 1);
    await until('the followed file', () => openFiles().includes('sum.test.js') || undefined);
    assert.deepEqual(openFiles(), ['sum.test.js']);
    follower.set(false);
    follower.locate(file, 3);
    await vscode.workspace.openTextDocument(path.join(folder, 'README.md'));
    assert.deepEqual(openFiles(), ['sum.test.js']);
    follower.dispose();
  });

  test('the location is shown at its line, and a missing file is no error', async () => {
    const follower = createFollower();
    follower.set(true);
    follower.locate(path.join(folder, 'gone.js'), 2);
    follower.locate(file, 3);
    const editor = await until('the editor', () =>
      vscode.window.visibleTextEditors.find(({ document }) => document.uri.fsPath === file),
    );
    // The editor's event fires before its selection changes.
    await until('the line', () => editor.selection.active.line === 2 || undefined);
    follower.set(false);
    follower.dispose();
  });
});

/** The tabs of this folder's files. Other suites and extensions may have opened more. */
function openFiles(): readonly string[] {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []))
    .filter((uri) => uri.scheme === 'file' && vscode.workspace.getWorkspaceFolder(uri))
    .map((uri) => path.basename(uri.fsPath));
}
