import type * as vscode from 'vscode';
import type { CallKey } from './proposedFile.ts';

/** The scheme of the file system that holds both sides of a review. */
export const REVIEW_SCHEME = 'gatehouse-review';

/**
 * `current`: the file as it is now, with unsaved text; read-only. `proposed`: the proposal, which the
 * user may edit. `before` and `after` are the read-only sides of a change that was already made.
 */
export type ReviewSide = 'current' | 'proposed' | 'before' | 'after';

const SIDES: readonly string[] = ['current', 'proposed', 'before', 'after'];

/** What a document of a review shows. */
export interface ReviewAddress {
  readonly call: CallKey;
  /** Absolute path of the file. */
  readonly path: string;
  readonly side: ReviewSide;
}

/**
 * The URI parts of a review document. Its path is that of the file, so that both sides have the same
 * name and language; a multi-file diff draws files whose paths differ as renamed.
 */
export function toReviewParts({ call, path, side }: ReviewAddress) {
  const query = new URLSearchParams({
    ...{ session: call.sessionId, call: call.toolCallId, side },
    // The path as the host wrote it: a URI's path is normalized.
    file: path,
  });
  const slashed = path.replaceAll('\\', '/');
  return {
    scheme: REVIEW_SCHEME,
    path: slashed.startsWith('/') ? slashed : `/${slashed}`,
    query: query.toString(),
  };
}

/** Undefined for another scheme, or an address that is not valid. */
export function parseReviewUri(
  uri: Pick<vscode.Uri, 'scheme' | 'query'>,
): ReviewAddress | undefined {
  if (uri.scheme !== REVIEW_SCHEME) return undefined;
  const query = new URLSearchParams(uri.query);
  const [sessionId, toolCallId] = [query.get('session'), query.get('call')];
  const [path, side] = [query.get('file'), query.get('side')];
  if (sessionId === null || toolCallId === null || !path || !isSide(side)) return undefined;
  return { call: { sessionId, toolCallId }, path, side };
}

function isSide(side: string | null): side is ReviewSide {
  return side !== null && SIDES.includes(side);
}
