import type { Chunk, ToolDisplay } from '../base/stream/chunk.ts';
import type { WatchdogAnswer, WatchdogCall } from '../permissions/evaluate/watchdog.ts';
import type { Decision, Policy } from '../permissions/rules/policy.ts';
import type { Gate, Runtime } from '../runtime/runtime.ts';
import type { Preview } from './contract.ts';
import type { Registry } from './registry.ts';

/** What the model (or a script) asked for. */
export interface ToolRequest {
  readonly toolCallId: string;
  readonly tool: string;
  /** Not validated yet. */
  readonly input: unknown;
}

/** What `callTool` needs of its session. It never records; the recorder listens to `emit`. */
export interface CallContext {
  readonly sessionId: string;
  readonly registry: Registry;
  /** The rules, capabilities and places in force now; read for each call. */
  policy(): Policy;
  /** A fresh runtime for one call; `emit` shows the call's progress. */
  runtime(
    toolCallId: string,
    signal: AbortSignal,
    emit: (chunk: Chunk) => void,
    gate: Gate,
  ): Runtime;
  /** Absent = headless: ask is deny (C-56). */
  readonly ask?: Ask;
  /** Runs before every call, after the capability check (C-58). Absent: none is configured. */
  readonly watchdog?: (call: WatchdogCall, signal: AbortSignal) => Promise<WatchdogAnswer>;
}

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
