import * as vscode from 'vscode';
import { showLocation } from '../review/follow.ts';
import { linkedFiles, parseLink } from '../text/links.ts';
import type { Translate } from '../text/translate.ts';

/** Opens a link of the chat: a page in the browser, a file of the workspace in an editor. */
export async function openLink(href: string, t: Translate): Promise<void> {
  const link = parseLink(href);
  if (link?.kind === 'web') {
    await vscode.env.openExternal(vscode.Uri.parse(link.href, true));
    return;
  }
  if (link === undefined) return;
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  for (const file of linkedFiles(link.path, folders)) {
    if (!(await isFile(file))) continue;
    await showLocation(file, link.line, true);
    return;
  }
  const message = t('{0} is no file of this workspace.', link.path);
  void vscode.window.showInformationMessage(message);
}

async function isFile(file: string): Promise<boolean> {
  const stat = await vscode.workspace.fs.stat(vscode.Uri.file(file)).then(
    (found) => found,
    () => undefined,
  );
  return stat !== undefined && (stat.type & vscode.FileType.File) !== 0;
}
