/**
 * Called when a command reaches its time limit, with a signal that is aborted when it ends; it runs on
 * meanwhile. Undefined, or a rejection: it is killed, as without this function.
 */
export type DecideAtLimit = (over: AbortSignal) => Promise<AtLimit | undefined>;

/** What becomes of a command at its time limit: a new limit, or one of the user's choices. */
type AtLimit = { readonly moreMs: number } | Exclude<LimitChoice, 'continue'>;

export type LimitChoice = 'continue' | 'background' | 'stop';

/**
 * Asks the user what to do with a command at its time limit; undefined without an answer. Absent when nobody
 * can be asked.
 */
export type AskAtLimit = (
  command: CommandAtLimit,
  signal: AbortSignal,
) => Promise<LimitChoice | undefined>;

/** A command that has reached its time limit. All times are milliseconds. */
export interface CommandAtLimit {
  readonly title: string;
  readonly ranMs: number;
  /** How much longer it may run if it continues. */
  readonly moreMs: number;
  /** How long the user has to answer. */
  readonly answerMs: number;
  /** It may not run on in the background. */
  readonly endsWithCall?: boolean;
}
