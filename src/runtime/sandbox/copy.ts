import type { Outcome } from '../../base/outcome.ts';
import type { ConfinedStart } from '../confined.ts';
import type { CopyChange, CopyChanges } from './changes/changes.ts';
import type { RunOptions } from './sandbox.ts';

/**
 * The workspace as the commands of one session see it: its files, with what the commands changed laid
 * over them. What a command changes is kept for the session's next command and reaches no file of the
 * workspace.
 */
export interface SessionCopy {
  /** Waits until no other command of the session has the copy. Fails only when `signal` aborts. */
  hold(signal: AbortSignal): Promise<Outcome<HeldCopy>>;
  /** Removes what the session's commands changed. Waits for the command that has the copy. */
  close(): Promise<void>;
}

/** The copy, leased to one call: from before its command starts until its changes are settled. */
export interface HeldCopy {
  /** Runs a command in the copy. Several may follow each other, such as a second try behind the proxy. */
  start(options: RunOptions): ConfinedStart;
  /** What the last command did besides changing the workspace. Undefined before one has ended. */
  report(): CopyReport | undefined;
  /**
   * What differs between the copy and the workspace, also from earlier commands of the session. Fails
   * with a sentence when there is more than can be listed; nothing is lost then. Rejects when something can't be read,
   * such as a folder without permissions.
   */
  changes(signal: AbortSignal): Promise<Outcome<CopyChanges>>;
  /**
   * Removes changes from the copy: those that were applied, and those that were rejected. The next command
   * sees the workspace's own files there. An added folder stays while something else in it stays.
   */
  drop(changes: readonly CopyChange[]): Promise<Outcome<void>>;
  /** Removes all that the session's commands changed in the copy, even what can't be listed. */
  reset(): Promise<void>;
  /** Ends the lease. Idempotent. */
  release(): void;
}

export interface CopyReport {
  /** The command tried to reach the network in vain. A hint: what runs inside could forge it. */
  readonly wantedNetwork: boolean;
  /** The sandbox of this system lets commands look only, so none of its changes were made anywhere. */
  readonly looksOnly?: true;
  /** `host:port` of each connection that the proxy refused or could not make, without duplicates. */
  readonly refusedHosts: readonly string[];
  /** Files that it wrote in its own HOME, relative to it with `/`, at most 100. They are not kept. */
  readonly homeWrites: readonly string[];
  /** Masked paths that it wrote to, as they were given. */
  readonly maskedWrites: readonly string[];
}
