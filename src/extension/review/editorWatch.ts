import * as vscode from 'vscode';
import { systemClock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';

export interface EditorWatchParts {
  /** Anything that a configuration snapshot holds has changed. */
  configurationChanged(): void;
  readonly secretsChanged: vscode.Event<vscode.SecretStorageChangeEvent>;
}

/** Tabs open and close in bursts; one snapshot is enough for each. Milliseconds. */
const SETTLE = 100;

/** Settings, folders, open files and trust: whatever the host's folders and rules depend on. */
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
