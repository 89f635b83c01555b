import type * as vscode from 'vscode';
import { askActions } from '../webview/messages/askActions.ts';
import type { AskAnswer, PermissionAsk } from '../webview/messages/asks.ts';
import type { Asks } from './asks/asks.ts';
import type { Actions } from './commands.ts';
import type { ConnectedReviews } from './review/connectReviews.ts';
import type { Translate } from './text/translate.ts';

export interface ReviewActionParts {
  readonly review: ConnectedReviews;
  readonly asks: Asks;
  readonly window: Pick<typeof vscode.window, 'showInputBox'>;
  readonly t: Translate;
  /** Shows a request with everything that it proposes, not only its differences of texts. */
  showWhole(askId: string): void;
  /** Opens the review of the current request, or its card if it has none. */
  showCurrent(): unknown;
}

export type ReviewActions = Pick<
  Actions,
  | 'reviewProposal'
  | 'allowProposal'
  | 'denyProposal'
  | 'nextProposal'
  | 'keepChange'
  | 'rejectChange'
  | 'rejectChangeWithReason'
  | 'editChange'
  | 'keepSelectedLines'
  | 'rejectSelectedLines'
  | 'nextChange'
  | 'previousChange'
  | 'undoChangeDecision'
  | 'addComment'
  | 'deleteComment'
>;

/** The commands of a review: about the request of the active diff, and about single hunks of it. */
export function createReviewActions(parts: ReviewActionParts): ReviewActions {
  const { comments, decisions } = parts.review;
  return {
    reviewProposal: () => parts.showCurrent(),
    allowProposal: () => allow(parts),
    denyProposal: () => deny(parts),
    nextProposal: () => showNext(parts),
    keepChange: (hunk) => decisions.keep(hunk),
    rejectChange: (hunk) => decisions.reject(hunk),
    rejectChangeWithReason: (hunk) => decisions.rejectWithReason(hunk),
    editChange: (hunk) => decisions.edit(hunk),
    keepSelectedLines: () => decisions.decideSelection('keep'),
    rejectSelectedLines: () => decisions.decideSelection('reject'),
    nextChange: () => decisions.go(1),
    previousChange: () => decisions.go(-1),
    undoChangeDecision: (hunk) => decisions.undo(hunk),
    addComment: (reply) => comments.add(reply),
    deleteComment: (thread) => comments.remove(thread),
  };
}

/** Changes that no diff shows, such as those of binary files, aren't allowed there: the user may not know of them. */
function allow(parts: ReviewActionParts): void {
  const ask = findAsk(parts);
  if (ask?.entries?.some(({ kept }) => kept)) {
    parts.showWhole(ask.id);
    return;
  }
  const action = ask && askActions(ask).find(({ button }) => button === 'allow');
  if (ask !== undefined && action?.needs === 'nothing') {
    answer(parts, ask, { kind: 'option', optionId: action.optionId });
  }
}

/** Escape leaves the request pending. */
async function deny(parts: ReviewActionParts): Promise<void> {
  const ask = findAsk(parts);
  const action = ask && askActions(ask).find(({ needs }) => needs === 'reason');
  if (ask === undefined || action?.needs !== 'reason') return;
  const { window, t } = parts;
  const reason = await window.showInputBox({
    title: t('Deny: {0}', ask.title),
    placeHolder: t('Reason (optional)'),
    prompt: t('Explain why, or what to do instead. This is sent to the agent.'),
    ignoreFocusOut: true,
  });
  if (reason === undefined) return;
  const { optionId } = action;
  answer(parts, ask, { kind: 'option', optionId, ...(reason.trim() && { reason }) });
}

function answer({ review, asks }: ReviewActionParts, ask: PermissionAsk, reply: AskAnswer): void {
  // A double click in the editor's title must not answer two requests.
  if (!asks.accepts(ask.id)) return;
  review.reviews.answering(ask.id);
  asks.answer(ask.id, reply);
}

/** Goes to the request after the current one; after the last one, to the first. */
function showNext({ asks, showCurrent }: ReviewActionParts): void {
  asks.selectNext();
  showCurrent();
}

function findAsk({ review, asks }: ReviewActionParts): PermissionAsk | undefined {
  const id = review.active()?.id;
  const ask = id === undefined ? undefined : asks.get(id)?.ask;
  return ask?.kind === 'permission' ? ask : undefined;
}
