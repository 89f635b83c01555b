import * as vscode from 'vscode';
import { systemClock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';

export interface EditorWatchParts {
  /** Called when any content of the configuration snapshot has changed. */
  configurationChanged(): void;
  readonly secretsChanged: vscode.Event<vscode.SecretStorageChangeEvent>;
}

/** Debounce delay in milliseconds, because tabs open and close in bursts. */
const SETTLE = 100;

/**
 * Watches settings, folders, open files and trust, which the host's folders and rules depend on.
 */
export function watchEditor({
  configurationChanged,
  secretsChanged,
}: EditorWatchParts): vscode.Disposable {
  let timer: Disposable | undefined;
  const changed = () => {
    timer?.dispose();
    timer = systemClock.after(SETTLE, configurationChanged);
  };
  return vscode.Disposable.from(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('gatehouse')) changed();
    }),
    vscode.workspace.onDidChangeWorkspaceFolders(changed),
    vscode.workspace.onDidGrantWorkspaceTrust(changed),
    vscode.window.tabGroups.onDidChangeTabs(({ opened, closed }) => {
      if (opened.length > 0 || closed.length > 0) changed();
    }),
    secretsChanged(changed),
    { dispose: () => timer?.dispose() },
  );
}
