import * as vscode from 'vscode';
import { getMessage } from '../base/faults.ts';
import type { Actions } from './commands.ts';
import { plainNotice } from './text/plainNotice.ts';

/** Registers the commands. If one throws, an error notification offers to show the log. */
export function registerCommands(
  commands: Readonly<Record<string, keyof Actions>>,
  actions: Actions,
): vscode.Disposable {
  const registered = Object.entries(commands).map(([id, action]) =>
    vscode.commands.registerCommand(id, async (...given: readonly unknown[]) => {
      try {
        // Views and menus pass what the command was run on.
        const run: (...given: readonly unknown[]) => unknown = actions[action];
        await run(...given);
      } catch (error) {
        // The user ended it.
        if (!(error instanceof vscode.CancellationError)) await showFailure(error);
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}

async function showFailure(error: unknown): Promise<void> {
  const message = getMessage(error);
  const showLog = vscode.l10n.t('Show Log');
  const chosen = await vscode.window.showErrorMessage(
    plainNotice(vscode.l10n.t('Gatehouse: {0}', message)),
    showLog,
  );
  if (chosen === showLog) await vscode.commands.executeCommand('gatehouse.showLog');
}
