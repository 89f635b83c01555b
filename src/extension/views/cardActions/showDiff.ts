import * as vscode from 'vscode';
import type { ToolItem } from '../../../webview/messages/chatState.ts';
import type { AskPresenter } from '../../asks/askPresenter.ts';
import type { Asks } from '../../asks/asks.ts';
import type { ChatSession } from '../../chat/chatSession.ts';
import { findNestedCall } from '../../chat/subagents/nestedCall.ts';
import { keepDiffs } from '../../chat/subagents/readSubagent.ts';
import type { HostLink } from '../../host/hostLink.ts';
import type { CallDiffs } from '../../review/callDiffs.ts';
import type { Reviews } from '../../review/editors/reviews.ts';
import type { CallKey } from '../../review/proposal/proposedFile.ts';
import type { Translate } from '../../text/translate.ts';

export interface DiffParts {
  readonly asks: Asks;
  readonly presenter: AskPresenter;
  readonly diffs: CallDiffs;
  readonly link: Pick<HostLink, 'connection'>;
  readonly reviews: Reviews;
  readonly t: Translate;
}

/** Opens the review of a request, which becomes the current one. False if it has none. */
export async function openReview(
  { asks, presenter, reviews }: DiffParts,
  askId: string,
): Promise<boolean> {
  if (reviews.get(askId) === undefined) return false;
  const opened = reviews.open(askId, true);
  asks.select(askId);
  // A quick pick would cover the diff. It doesn't open again for this request.
  presenter.leave();
  return opened;
}

/** Opens what can be shown of a proposal that has no review. False if there is nothing. */
export async function showFragments(
  { diffs, t }: DiffParts,
  call: CallKey,
  path?: string,
): Promise<boolean> {
  if (!(await diffs.show(call, path, false))) return false;
  void vscode.window.showInformationMessage(
    t(
      'Only the changed lines are shown, because the file is too large to review or changed after the proposal. Allow or deny it in the chat.',
    ),
  );
  return true;
}

/** Opens the diff of a card: the review while its request is pending, or else what was changed. */
export async function showDiff(
  parts: DiffParts,
  session: ChatSession,
  itemId: string,
  index: number,
): Promise<void> {
  const nested = findNestedCall(session, itemId);
  const item = session.tool(itemId) ?? nested?.item;
  const path = item?.diffs[index]?.path;
  const { id: sessionId } = session;
  if (item === undefined || path === undefined || sessionId === undefined) return;
  const call = { sessionId, toolCallId: itemId };
  const pending = parts.reviews.withCall(call);
  if (pending !== undefined) await openReview(parts, pending.id);
  else if (isAsked(parts, call)) await showFragments(parts, call, path);
  else await showCall(parts, nested?.call ?? call, path, item, nested !== undefined);
}

/** What a subagent changed is only read when it is shown. */
async function showCall(
  { diffs, link }: DiffParts,
  call: CallKey,
  path: string,
  { status }: ToolItem,
  nested: boolean,
): Promise<void> {
  if (nested) await keepDiffs(await link.connection(), call, diffs);
  await diffs.show(call, path, status === 'completed');
}

function isAsked({ asks }: DiffParts, { sessionId, toolCallId }: CallKey): boolean {
  return asks.pending.some(
    (each) =>
      each.sessionId === sessionId &&
      each.ask.kind === 'permission' &&
      each.ask.toolCallId === toolCallId,
  );
}
