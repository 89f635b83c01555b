import path from 'node:path';
import * as vscode from 'vscode';
import { isReviewId } from '../webview/messages/chatState.ts';
import type { Asks, QueuedAsk } from './asks/asks.ts';
import type { HostLink } from './host/hostLink.ts';
import { plainNotice } from './text/plainNotice.ts';
import type { Translate } from './text/translate.ts';
import type { UnreviewedActions } from './unreviewed/unreviewedActions.ts';

export interface ReviewChangesParts {
  readonly asks: Asks;
  readonly link: HostLink;
  readonly written: Pick<UnreviewedActions, 'open'>;
  /** Shows the diff or the card of a request. */
  reveal(pending: QueuedAsk): void;
  readonly t: Translate;
}

/**
 * *Review Changes*: shows the review of a session's changes that are not on disk yet. The host asks for
 * it now if it has not done so.
 */
export async function reviewChanges(
  { asks, link, written, reveal, t }: ReviewChangesParts,
  sessionId: string | undefined,
): Promise<void> {
  const none = () => void vscode.window.showInformationMessage(t('No changes to review.'));
  if (sessionId === undefined) return none();
  const host = await link.connection();
  const { files, dropped = [] } = await host.call('review', { sessionId });
  for (const { path: file, why } of dropped) {
    void vscode.window.showWarningMessage(
      plainNotice(
        t(
          '{0} was not written, and no longer waits for your review. {1}',
          path.basename(file),
          why,
        ),
      ),
    );
  }
  if (files.length === 0) {
    if (!(await written.open(sessionId)) && dropped.length === 0) none();
    return;
  }
  const pending = await findReview(asks, sessionId);
  asks.select(pending.ask.id);
  reveal(pending);
}

/** The pending review; it may be on its way. */
function findReview(asks: Asks, sessionId: string): Promise<QueuedAsk> {
  const find = () => asks.pending.find((each) => each.sessionId === sessionId && isReview(each));
  return new Promise((resolve) => {
    const listener = asks.onDidChange(() => {
      const found = find();
      if (found === undefined) return;
      listener.dispose();
      resolve(found);
    });
    const found = find();
    if (found === undefined) return;
    listener.dispose();
    resolve(found);
  });
}

function isReview({ ask }: QueuedAsk): boolean {
  return ask.kind === 'permission' && isReviewId(ask.toolCallId);
}
