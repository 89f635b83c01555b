import type { ToolDisplay } from '../base/stream/chunk.ts';
import type { Decision } from '../permissions/rules/policy.ts';
import type { Preview } from './preview.ts';

/** Asks the user about one call. */
export type Ask = (request: AskRequest, signal: AbortSignal) => Promise<AskReply>;

export interface AskRequest {
  readonly toolCallId: string;
  readonly tool: string;
  readonly title: string;
  readonly input: unknown;
  readonly decision: Decision;
  readonly preview?: Preview;
  /** The files it is about. */
  readonly locations?: NonNullable<ToolDisplay['locations']>;
}

export type AskReply =
  | {
      readonly outcome: 'allow';
      /** The user changed the arguments: the call starts again at validation (CA-41). */
      readonly editedInput?: unknown;
      /** The user changed the proposed text. */
      readonly approvedText?: string;
    }
  | { readonly outcome: 'reject'; readonly reason?: string }
  | { readonly outcome: 'cancelled' };

/** Resolves to `cancelled` when the turn is aborted: a later click has no effect (VC-39). */
export function settle(reply: Promise<AskReply>, signal: AbortSignal): Promise<AskReply> {
  const aborted = new Promise<AskReply>((resolve) => {
    const cancel = () => resolve({ outcome: 'cancelled' });
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  });
  return Promise.race([reply, aborted]);
}
