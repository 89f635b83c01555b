import * as vscode from 'vscode';
import { parseOpenUri } from './openUri.ts';
import type { Composing } from './outbox.ts';

/** A view that a link can show. */
export interface LinkedView extends Composing {
  focus(): Thenable<unknown>;
}

/** The views of the window. */
export interface LinkedViews {
  readonly current: LinkedView;
  open(sessionId: string): Promise<LinkedView>;
}

/** Opens `vscode:` links. A link fills the message of a chat and never sends it. */
export function openLinks(views: LinkedViews): vscode.Disposable {
  return vscode.window.registerUriHandler({
    async handleUri({ path, query }) {
      const request = parseOpenUri(path, query);
      if (request === undefined) return;
      const { session, prompt } = request;
      const view = session === undefined ? views.current : await views.open(session);
      await view.focus();
      view.addToMessage([], prompt);
    },
  });
}
