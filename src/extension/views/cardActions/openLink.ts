import * as vscode from 'vscode';
import { showLocation } from '../../review/follow.ts';
import { findLinked, parseLink } from '../../text/links.ts';
import type { Translate } from '../../text/translate.ts';

/** Opens a link of the chat: a page in the browser, a file of the workspace in an editor. */
export async function openLink(href: string, t: Translate): Promise<void> {
  const link = parseLink(href);
  if (link?.kind === 'web') {
    await vscode.env.openExternal(vscode.Uri.parse(link.href, true));
    return;
  }
  if (link === undefined) return;
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const file = await findLinked(link.path, folders);
  if (file !== undefined) await showLocation(file, link.line, true);
  // Without the path, which the model wrote: it could be a link of the notice.
  else
    void vscode.window.showInformationMessage(
      t("This link doesn't lead to a file in the workspace."),
    );
}
