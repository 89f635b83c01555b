import assert from 'node:assert/strict';
import * as vscode from 'vscode';

suite('the workbench', () => {
  test('opens the sample on the Node that ships with the tests', () => {
    assert.equal(vscode.workspace.workspaceFolders?.[0]?.name, 'sample');
  });
});
