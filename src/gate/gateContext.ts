import type { WatchdogAnswer, WatchdogCall } from '../permissions/evaluate/watchdog.ts';
import type { Policy } from '../permissions/rules/policy.ts';
import type { PolicyCompiler } from '../permissions/rules/policyCompiler.ts';
import type { AskUser } from './ask.ts';
import type { DecisionEvent } from './decisionEvent.ts';
import type { Operation } from './operation.ts';

/** What the gate needs of the session whose call it decides on. */
export interface GateContext {
  readonly sessionId: string;
  /** The rules, capabilities and folders in force now; read for each call. */
  policy(): Policy;
  /** Compiles what `policy` returns; calls and sessions share it. */
  readonly compiler: PolicyCompiler;
  /** Absent = headless: ask is deny (spec C-56). */
  readonly ask?: AskUser;
  /** Runs before every call, after the capability check (spec C-58). Absent: none is configured. */
  readonly watchdog?: (call: WatchdogCall, signal: AbortSignal) => Promise<WatchdogAnswer>;
  /** Told of each decision, as soon as it is made. Must not throw. */
  readonly onDecision?: (event: DecisionEvent) => void;
}

/** One call of an operation, on its way through the gate. */
export interface GateCall {
  readonly toolCallId: string;
  readonly operation: Operation;
  readonly context: GateContext;
  readonly signal: AbortSignal;
}
