import type { ToolKind } from '../tools/toolKind.ts';
import type { DataChunk } from './dataChunk.ts';
import type { Envelope } from './envelope.ts';

/**
 * One event of a turn: the AI SDK's UI message chunk shape (spec CS-1, decision 27). Recorder, ACP
 * mapping and replay all listen to this one stream.
 */
export type Chunk =
  | { readonly type: 'start'; readonly messageId?: string }
  | { readonly type: 'text-start'; readonly id: string }
  | TextDelta<'text-delta'>
  | { readonly type: 'text-end'; readonly id: string }
  | { readonly type: 'reasoning-start'; readonly id: string }
  | TextDelta<'reasoning-delta'>
  | { readonly type: 'reasoning-end'; readonly id: string }
  | ToolChunk
  | { readonly type: 'start-step' }
  | { readonly type: 'finish-step' }
  | { readonly type: 'finish'; readonly finishReason: FinishReason }
  | { readonly type: 'abort'; readonly reason?: string }
  | { readonly type: 'error'; readonly errorText: string; readonly fault?: ModelFault }
  | DataChunk;

interface TextDelta<Type> {
  readonly type: Type;
  readonly id: string;
  readonly delta: string;
  /** What a hosted agent calls the message; the part's id where it is absent. */
  readonly messageId?: string;
}

export type ToolChunk =
  | {
      readonly type: 'tool-input-start';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly display?: ToolDisplay;
    }
  | {
      readonly type: 'tool-input-delta';
      readonly toolCallId: string;
      readonly inputTextDelta: string;
    }
  | {
      readonly type: 'tool-input-available';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: unknown;
      readonly display?: ToolDisplay;
    }
  | {
      /** The model's arguments were not JSON, or the tool is unknown. One error answers it. */
      readonly type: 'tool-input-error';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: unknown;
      readonly errorText: string;
    }
  | {
      /** The call waits for the user. `display` carries the proposed diff. */
      readonly type: 'tool-approval-request';
      readonly toolCallId: string;
      readonly approvalId: string;
      readonly display?: ToolDisplay;
    }
  | {
      /** The call runs now: nothing waits any more. */
      readonly type: 'tool-progress';
      readonly toolCallId: string;
      readonly display: ToolDisplay;
    }
  | {
      readonly type: 'tool-output-available';
      readonly toolCallId: string;
      readonly output: Envelope;
      readonly display?: ToolDisplay;
    }
  | {
      readonly type: 'tool-output-error';
      readonly toolCallId: string;
      readonly errorText: string;
      readonly output?: Envelope;
      readonly display?: ToolDisplay;
    }
  | {
      readonly type: 'tool-output-denied';
      readonly toolCallId: string;
      readonly display?: ToolDisplay;
      /** For a person. */
      readonly reason?: string;
      /** What the model is told. */
      readonly output?: Envelope;
    }
  | {
      /** News of a hosted agent about a call of its own: passed on unchanged, and stored as one call. */
      readonly type: 'tool-hosted';
      readonly toolCallId: string;
      readonly toolName: string;
      /** Absent while it has not changed. */
      readonly state?: HostedState;
      readonly input?: unknown;
      readonly output?: Envelope;
      readonly errorText?: string;
      /** ACP's `tool_call` or `tool_call_update` as it came. */
      readonly update: Readonly<Record<string, unknown>>;
    };

export type HostedState = 'input-available' | 'output-available' | 'output-error';

/** Why the loop stopped. */
export type FinishReason = 'stop' | 'length' | 'content-filter' | 'max-steps' | 'error' | 'other';

/** A model fault the user can act on; the message says what happened, what was kept, what to do. */
export interface ModelFault {
  readonly kind:
    | 'no-model'
    | 'unauthorized'
    | 'rate-limited'
    | 'unreachable'
    | 'stalled'
    | 'broken-stream'
    | 'server-error'
    | 'context-length'
    | 'other';
  readonly retryable: boolean;
  /** HTTP status, when there was one. */
  readonly status?: number;
}

/** What a person sees of a tool call. Fields that are absent have not changed. */
export interface ToolDisplay {
  readonly title?: string;
  readonly kind?: ToolKind;
  readonly locations?: readonly { readonly path: string; readonly line?: number }[];
  /** Replaces what was shown before. */
  readonly content?: readonly DisplayContent[];
  /** The rule that let the call pass without asking. */
  readonly rule?: unknown;
  /** All of them, where the parts of a call were allowed by more than one. */
  readonly rules?: readonly unknown[];
  readonly layer?: string;
}

export type DisplayContent =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'diff';
      readonly path: string;
      /** Absent for a new file. A hunk with context, not always the whole file. */
      readonly oldText?: string;
      /** Empty for a file that is deleted. */
      readonly newText: string;
      readonly deleted?: true;
      /** Line of the hunk's first row in the old file, from 1. */
      readonly line?: number;
    }
  | { readonly type: 'terminal'; readonly terminalId: string };
