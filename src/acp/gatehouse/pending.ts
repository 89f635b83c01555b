import { list, number, object, type Parser, parseOneOf, string, text } from './parse.ts';

/** A pending permission request or question. */
export interface PendingEntry {
  readonly sessionId: string;
  readonly toolCallId: string;
  /**
   * Identifies the request, together with session and call; the request itself carries the same
   * `askId`.
   */
  readonly askId: string;
  readonly title: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly kind: 'approval' | 'input';
}

/** The pending requests of all sessions, oldest first. */
export interface PendingResult {
  readonly asks: readonly PendingEntry[];
}

export const parsePendingResult: Parser<PendingResult> = object<PendingResult>({
  asks: list(
    object<PendingEntry>({
      sessionId: text,
      toolCallId: text,
      askId: text,
      title: string,
      since: number,
      kind: parseOneOf('approval', 'input'),
    }),
  ),
});
