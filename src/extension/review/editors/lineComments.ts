import * as vscode from 'vscode';
import { isRecord } from '../../../base/json.ts';
import type { Translate } from '../../text/translate.ts';
import type { ProposedFile } from '../proposal/proposedFile.ts';
import { parseReviewUri } from '../proposal/reviewUri.ts';
import { type Review, toUri } from './reviewTabs.ts';

/** The id of the comment controller, as the menus in `package.json` name it. */
const CONTROLLER = 'gatehouse-review';

export interface LineCommentParts {
  /** The file of a proposal's document, while its request is pending. */
  find(uri: vscode.Uri): ProposedFile | undefined;
  readonly t: Translate;
}

/** What the user writes beside lines of a proposal, with VS Code's own comments. */
export interface LineComments extends vscode.Disposable {
  /** *Add Comment* in a comment box. The argument comes from the menu. */
  add(reply: unknown): void;
  /** *Delete Comment* in the title of a thread. */
  remove(thread: unknown): void;
  /** The comments on a review's files, one a line; undefined if there are none. Removes them. */
  take(review: Review): string | undefined;
}

export function createLineComments({ find, t }: LineCommentParts): LineComments {
  const controller = vscode.comments.createCommentController(CONTROLLER, t('Proposal Comments'));
  const threads = new Set<vscode.CommentThread>();
  controller.options = { prompt: t('Sent as the reason when you deny the change') };
  controller.commentingRangeProvider = {
    provideCommentingRanges: (document) =>
      parseReviewUri(document.uri)?.side === 'proposed' && find(document.uri) !== undefined
        ? [new vscode.Range(0, 0, Math.max(0, document.lineCount - 1), 0)]
        : [],
  };
  const drop = (thread: vscode.CommentThread) => {
    threads.delete(thread);
    thread.dispose();
  };
  return {
    add(reply) {
      if (!isReply(reply) || reply.text.trim() === '') return;
      const { thread, text } = reply;
      const mode = vscode.CommentMode.Preview;
      const comment = { body: new vscode.MarkdownString().appendText(text), mode };
      const own = { ...comment, author: { name: t('You') }, label: text };
      thread.comments = [...thread.comments, own];
      thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
      threads.add(thread);
    },
    remove: (thread) => {
      if (isThread(thread)) drop(thread);
    },
    take(review) {
      const lines = review.files.flatMap((file) => {
        const uri = toUri(file.change, 'proposed').toString();
        const own = [...threads].filter((thread) => thread.uri.toString() === uri);
        for (const thread of own) drop(thread);
        return own.sort((a, b) => getLine(a) - getLine(b)).flatMap((each) => toLines(file, each));
      });
      return lines.length === 0 ? undefined : lines.join('\n');
    },
    dispose: () => controller.dispose(),
  };
}

function toLines({ change }: ProposedFile, thread: vscode.CommentThread): readonly string[] {
  // The label holds the text as the user wrote it; the body is escaped for display.
  return thread.comments.map(({ label }) => `${change.path}:${getLine(thread)}: ${label ?? ''}`);
}

/** 1-based, in the proposal. */
function getLine({ range }: vscode.CommentThread): number {
  return (range?.start.line ?? 0) + 1;
}

function isThread(value: unknown): value is vscode.CommentThread {
  return isRecord(value) && typeof value['dispose'] === 'function';
}

function isReply(value: unknown): value is vscode.CommentReply {
  return isRecord(value) && typeof value['text'] === 'string' && isRecord(value['thread']);
}
