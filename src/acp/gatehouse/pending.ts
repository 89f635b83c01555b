import { list, number, object, type Parser, parseOneOf, string, text } from './parse.ts';

/** One permission request or question that waits for the user. */
export interface PendingEntry {
  readonly sessionId: string;
  readonly toolCallId: string;
  /** With session and call it names the request; the request itself carries it as `askId`. */
  readonly askId: string;
  readonly title: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly kind: 'approval' | 'input';
}

/** Over all sessions, oldest first. */
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
