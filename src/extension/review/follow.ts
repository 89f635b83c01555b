import * as vscode from 'vscode';

export interface Follower extends vscode.Disposable {
  set(following: boolean): void;
  /** Shows the agent's location without taking focus, if following is on. */
  locate(file: string, line: number | undefined): void;
}

/** *Follow Agent*: off by default in each window. */
export function createFollower(): Follower {
  let following = false;
  return {
    set(value) {
      following = value;
      void vscode.commands.executeCommand('setContext', 'gatehouse.following', value);
    },
    locate(file, line) {
      if (following) void showLocation(file, line);
    },
    dispose() {
      following = false;
    },
  };
}

/** Opens a file at a line in a preview tab, without taking focus. */
export async function showLocation(
  file: string,
  line: number | undefined,
  focus = false,
): Promise<void> {
  const at = new vscode.Position(Math.max(0, (line ?? 1) - 1), 0);
  const options = { preview: true, preserveFocus: !focus, selection: new vscode.Range(at, at) };
  try {
    await vscode.window.showTextDocument(vscode.Uri.file(file), options);
  } catch {
    // A folder, a binary file or a missing file can't be shown in a text editor. If the user asked
    // for it, reveal it in the explorer.
    if (focus) await vscode.commands.executeCommand('revealInExplorer', vscode.Uri.file(file));
  }
}
