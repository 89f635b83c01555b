import type { WatchdogAnswer, WatchdogCall } from '../permissions/evaluate/watchdog.ts';
import type { ExactArguments } from '../permissions/rules/exactCall.ts';
import type { Policy } from '../permissions/rules/policy.ts';
import type { PolicyCompiler } from '../permissions/rules/policyCompiler.ts';
import type { Rule } from '../permissions/rules/rule.ts';
import type { AskUser } from './ask.ts';
import type { DecisionEvent } from './decisionEvent.ts';
import type { Operation } from './operation.ts';

/** The part of a session that the gate uses. */
export interface GateContext {
  readonly sessionId: string;
  /** The current rules, capabilities and folders; computed for each call. */
  policy(): Policy;
  /** Compiles what `policy` returns; calls and sessions share it. */
  readonly compiler: PolicyCompiler;
  /** Absent means headless: an ask becomes a deny (spec C-56). */
  readonly ask?: AskUser;
  /** Runs before every call, after the capability check (spec C-58). Absent: none is configured. */
  readonly watchdog?: (call: WatchdogCall, signal: AbortSignal) => Promise<WatchdogAnswer>;
  /** The user's answer for exactly this call, kept for the session. Absent: answers are not kept. */
  exactRule?(tool: string, given: ExactArguments): Rule | undefined;
  /** All rules of the user's answers for exact calls. */
  exactRules?(): readonly Rule[];
  /** Set while the user reviews file changes together, so that calls which only change files don't ask. */
  collects?(): CollectedIn | undefined;
  /**
   * Whether calls that no rule decides may run in a copy of the workspace at the moment, as far as the
   * rules about `copy` allow it. Absent: there is no copy.
   */
  copies?(): boolean;
  /** The text of a document of the editor that isn't saved, by its file's real path. Undefined: the file is what counts. */
  unsavedText?(path: string): Promise<string | undefined>;
  /** Called with each decision as soon as it is made. Must not throw. */
  readonly onDecision?: (event: DecisionEvent) => void;
}

/**
 * Where file changes are while the user has not reviewed them. `overlay`: nothing reaches the files before
 * the review. `disk`: they are written at once, which only replaces the ask about what no rule covers.
 */
export type CollectedIn = 'overlay' | 'disk';

/** One call of an operation, on its way through the gate. */
export interface GateCall {
  readonly toolCallId: string;
  readonly operation: Operation;
  /** The exact text of the arguments; absent once the user has edited them. */
  readonly inputText?: string | undefined;
  readonly context: GateContext;
  readonly signal: AbortSignal;
  /** Asks where the call would run in a copy of the workspace: the copy can't do what it does. */
  readonly forReal?: true;
}
