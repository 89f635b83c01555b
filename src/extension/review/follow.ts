import * as vscode from 'vscode';

export interface Follower extends vscode.Disposable {
  set(following: boolean): void;
  /** Shows where the agent works, without taking the focus; does nothing unless it is switched on. */
  locate(file: string, line: number | undefined): void;
}

/** *Follow Agent*: off until the user switches it on, and off again in the next window. */
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

/** Opens a file at a line, in a preview tab that does not take the focus. */
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
    // A folder, a binary file or one that is gone: there is nothing to follow to. Who asked for it is
    // shown where it is.
    if (focus) await vscode.commands.executeCommand('revealInExplorer', vscode.Uri.file(file));
  }
}
