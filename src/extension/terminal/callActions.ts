import type { Outputs } from './outputs.ts';
import type { UseCommand } from './runInTerminal.ts';

/** What a chat does with the calls of a session, and the requests to its model. */
export interface CallActions {
  /** Copies or opens what a call put out. */
  readonly output: Outputs['use'];
  /** Acts on the command of a call. */
  readonly command: UseCommand;
  /** Ends the wait for a retry of the model. */
  retryNow(sessionId: string | undefined): void;
}
