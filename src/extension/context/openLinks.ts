import * as vscode from 'vscode';
import { getMessage } from '../../base/faults.ts';
import { plainNotice } from '../text/plainNotice.ts';
import type { Translate } from '../text/translate.ts';
import { followLink, type LinkedViews, parseOpenUri } from './openUri.ts';

/** Opens `vscode:` links. A link fills the message of a chat and never sends it. */
export function openLinks(
  views: LinkedViews,
  isKnown: (sessionId: string) => Promise<boolean>,
  t: Translate,
): vscode.Disposable {
  const tell = () =>
    void vscode.window.showInformationMessage(
      t('The session that this link names does not exist. Nothing was opened.'),
    );
  return vscode.window.registerUriHandler({
    async handleUri({ path, query }) {
      const request = parseOpenUri(path, query);
      if (request === undefined) return;
      try {
        await followLink(request, { views, isKnown, tell });
      } catch (error) {
        void vscode.window.showErrorMessage(plainNotice(getMessage(error)));
      }
    },
  });
}
