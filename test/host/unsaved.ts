import * as vscode from 'vscode';
import { until } from '../workbench/processes.ts';

/** Throws away all unsaved text. */
export async function revertAll(): Promise<void> {
  await until('no unsaved text', async () => {
    const unsaved = vscode.workspace.textDocuments.find(({ isDirty }) => isDirty);
    if (unsaved === undefined) return true;
    await vscode.window.showTextDocument(unsaved);
    await vscode.commands.executeCommand('workbench.action.files.revert');
    return undefined;
  });
}
