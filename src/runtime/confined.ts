import type { ChildProcess } from 'node:child_process';
import type { Outcome } from '../base/outcome.ts';
import type { Waiting } from './waiting.ts';

/** What to start. A sandbox confines a program by rewriting this value only. */
export interface Launch {
  /** Program and arguments, passed directly to the system without a shell. */
  readonly argv: readonly [string, ...string[]];
  /** Default: the host's own folder. */
  readonly cwd?: string;
  /** The complete environment; nothing is inherited from the host. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * A descriptor that the program reads to its end, or one whose bytes the host gets. `make`: called once the program
 * was started, so that the work is done meanwhile; never rejects.
 */
export type Descriptor =
  | { readonly content: Buffer }
  | { make(): Promise<Buffer> }
  | { receive(bytes: Buffer): void };

/**
 * Confines commands: rewrites what would be started into a run of the sandbox. The function that starts
 * programs, its time limits, its output and the end of its process tree stay the same.
 */
export interface ConfinedStart {
  /** Whether what it started waits for the user, such as for an answer about a host. Absent: it never does. */
  readonly waiting?: Waiting;
  /** What it starts may not run on in the background: what it changed is looked at when its call ends. */
  readonly endsWithCall?: true;
  /** Fails with a sentence for the model when the run can't be set up. Nothing has been started then. */
  prepare(launch: ConfinedLaunch): Promise<Outcome<PreparedRun>>;
}

/** What runs inside. `cwd` is the folder as the command sees it. */
export interface ConfinedLaunch extends Required<Launch> {
  /**
   * Variables that an accepted manifest declares: a sandbox passes them on, although it drops most others.
   */
  readonly declared?: Readonly<Record<string, string>>;
  /** Files outside the workspace that the program reads, absolute. */
  readonly reads?: readonly string[];
  /** It may be a program that was started ahead: without input, in the environment of commands. */
  readonly takesAhead?: boolean;
}

/** A program that runs already and waits for what it is to do. */
export interface AheadRun {
  /** The mark that its descendants carry. */
  readonly mark: string;
  /** Gives it what it waits for. Called once. */
  take(): StartedChild;
}

export type StartedChild = ChildProcess;

/** What is started on the host instead. */
export interface PreparedRun {
  /** Argv, folder and environment on the host. Nothing secret is in argv: every user can read it. */
  readonly launch: Required<Launch>;
  /** Descriptors that the program gets besides the three usual ones, from 3 upwards. */
  readonly descriptors: readonly Descriptor[];
  /** Runs already, and waits for its command. `after` ends it if it wasn't taken. */
  readonly ahead?: AheadRun;
  /**
   * Called once when the program has ended, or did not start. Cleans up. Fails with a sentence when the
   * sandbox ended by itself before the command began, so that its output is not taken for the command's.
   */
  after(cut?: Cut): Promise<Outcome<void>>;
}

/** Why a program did not run to its end: the user stopped it, or a time limit or an abort did. */
export type Cut = 'user' | 'limit';
