import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import type { Gatehouse } from '../../src/extension/gatehouse.ts';
import { until } from '../workbench/processes.ts';

suite('a review in the background', () => {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const file = path.join(folder, 'README.md');
  const { tabGroups } = vscode.window;

  teardown(async () => {
    await vscode.commands.executeCommand('workbench.action.unlockEditorGroup');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  for (const locked of [false, true]) {
    test(`leaves a ${locked ? 'locked' : 'usual'} group active, with its file in front`, async () => {
      const extension = vscode.extensions.getExtension<Gatehouse>('gatehouse.gatehouse');
      assert.ok(extension);
      const { reviews } = (await extension.activate()).review;
      await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
      if (locked) await vscode.commands.executeCommand('workbench.action.lockEditorGroup');
      const id = `background-${locked}`;
      const _meta = { gatehouse: { beforeHash: '0' } };
      const content = [
        { type: 'diff', path: `${file}.new`, oldText: null, newText: 'new\n', _meta },
      ] as const;
      await reviews.add(id, { sessionId: 'background', toolCallId: id }, content);
      await reviews.open(id, false);
      const group = await until('the diff', () =>
        tabGroups.all.find(({ tabs }) =>
          tabs.some(({ input }) => input instanceof vscode.TabInputTextDiff),
        ),
      );
      assert.equal(group === tabGroups.activeTabGroup, !locked, 'no tab in a locked group');
      const { activeTab } = tabGroups.activeTabGroup;
      assert.ok(activeTab?.input instanceof vscode.TabInputText);
      assert.equal(activeTab.input.uri.fsPath, file);
      assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, file);
      await reviews.finish(id, 'rejected');
    });
  }
});
