import type { ToolKind } from '../tools/toolKind.ts';
import type { Envelope } from './envelope.ts';

/**
 * One event of a turn: the AI SDK's UI message chunk shape (CS-1, decision 27). Recorder, ACP
 * mapping and replay all listen to this one stream.
 */
export type Chunk =
  | { readonly type: 'start'; readonly messageId?: string }
  | { readonly type: 'text-start'; readonly id: string }
  | { readonly type: 'text-delta'; readonly id: string; readonly delta: string }
  | { readonly type: 'text-end'; readonly id: string }
  | { readonly type: 'reasoning-start'; readonly id: string }
  | { readonly type: 'reasoning-delta'; readonly id: string; readonly delta: string }
  | { readonly type: 'reasoning-end'; readonly id: string }
  | ToolChunk
  | { readonly type: 'start-step' }
  | { readonly type: 'finish-step' }
  | { readonly type: 'finish'; readonly finishReason: FinishReason }
  | { readonly type: 'abort'; readonly reason?: string }
  | { readonly type: 'error'; readonly errorText: string; readonly fault?: ModelFault }
  | {
      readonly type: `data-${string}`;
      readonly id?: string;
      readonly data: unknown;
      readonly transient?: boolean;
    };

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
    };

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
      readonly newText: string;
      /** Line of the hunk's first row in the old file, from 1. */
      readonly line?: number;
    }
  | { readonly type: 'terminal'; readonly terminalId: string };
