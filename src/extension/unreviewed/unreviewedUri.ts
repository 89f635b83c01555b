import * as vscode from 'vscode';
import { type ReviewAddress, toReviewParts } from '../review/proposal/reviewUri.ts';
import type { UnreviewedEntry } from './unreviewedStore.ts';

/** Stands for the calls of a session in the addresses of unreviewed files. */
const CALL = 'unreviewed';

/** The read-only text of a file without its unreviewed changes. */
export function toBeforeUri({ sessionId, path }: UnreviewedEntry): vscode.Uri {
  const call = { sessionId, toolCallId: CALL };
  return vscode.Uri.from(toReviewParts({ call, path, side: 'before' }));
}

export function isUnreviewed({ call }: ReviewAddress): boolean {
  return call.toolCallId === CALL;
}
