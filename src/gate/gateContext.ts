import type { WatchdogAnswer, WatchdogCall } from '../permissions/evaluate/watchdog.ts';
import type { Policy } from '../permissions/rules/policy.ts';
import type { PolicyCompiler } from '../permissions/rules/policyCompiler.ts';
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
  /**
   * Whether file changes are collected for a review at the moment: a call that only changes files is
   * not asked about then, since nothing reaches the files before the user has reviewed it.
   */
  collects?(): boolean;
  /** Called with each decision as soon as it is made. Must not throw. */
  readonly onDecision?: (event: DecisionEvent) => void;
}

/** One call of an operation, on its way through the gate. */
export interface GateCall {
  readonly toolCallId: string;
  readonly operation: Operation;
  readonly context: GateContext;
  readonly signal: AbortSignal;
}
