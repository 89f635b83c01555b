import type { Isolation } from '../tools/isolation.ts';
import type { ToolKind } from '../tools/toolKind.ts';
import type { DataChunk } from './dataChunk.ts';
import type { Envelope } from './envelope.ts';

/**
 * One event of a turn, in the shape of the AI SDK's UI message chunks (spec CS-1, spec decision
 * 27). Recorder, ACP mapping and replay all consume this stream.
 */
export type Chunk =
  | { readonly type: 'start'; readonly messageId?: string }
  | { readonly type: 'text-start'; readonly id: string }
  | TextDelta<'text-delta'>
  | TextEnd<'text-end'>
  | { readonly type: 'reasoning-start'; readonly id: string }
  | TextDelta<'reasoning-delta'>
  | TextEnd<'reasoning-end'>
  | ToolChunk
  | { readonly type: 'start-step' }
  | { readonly type: 'finish-step' }
  | { readonly type: 'finish'; readonly finishReason: FinishReason }
  | { readonly type: 'abort'; readonly reason?: string }
  | { readonly type: 'error'; readonly errorText: string; readonly fault?: ModelFault }
  | DataChunk;

interface TextEnd<Type> {
  readonly type: Type;
  readonly id: string;
  readonly providerMetadata?: ProviderMetadata;
}

/**
 * What a provider wants back with the next request, by its name: the signature of reasoning, or reasoning
 * that is encrypted. Nobody else reads it.
 */
export type ProviderMetadata = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface TextDelta<Type> {
  readonly type: Type;
  readonly id: string;
  readonly delta: string;
  /** The message id from a hosted agent. Default: the part's id. */
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
      /** What the model wrote, if that isn't `JSON.stringify(input)`. */
      readonly inputText?: string;
      readonly display?: ToolDisplay;
      readonly providerMetadata?: ProviderMetadata;
    }
  | {
      /**
       * The arguments were not JSON or the tool is unknown. This error is the call's only result.
       */
      readonly type: 'tool-input-error';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: unknown;
      readonly errorText: string;
    }
  | {
      /** The call waits for the user's approval. `display` contains the proposed diff. */
      readonly type: 'tool-approval-request';
      readonly toolCallId: string;
      readonly approvalId: string;
      readonly display?: ToolDisplay;
    }
  | {
      /** The call is running; no approval is pending. */
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
      /** Shown to the user. */
      readonly reason?: string;
      /** The result sent to the model. */
      readonly output?: Envelope;
    }
  | {
      /**
       * An update from a hosted agent about its own call. Forwarded unchanged, and stored as one
       * call.
       */
      readonly type: 'tool-hosted';
      readonly toolCallId: string;
      readonly toolName: string;
      /** Absent when unchanged. */
      readonly state?: HostedState;
      readonly input?: unknown;
      readonly output?: Envelope;
      readonly errorText?: string;
      /** ACP's `tool_call` or `tool_call_update`, unchanged. */
      readonly update: Readonly<Record<string, unknown>>;
    };

export type HostedState = 'input-available' | 'output-available' | 'output-error';

/** Why the loop stopped. */
export type FinishReason = 'stop' | 'length' | 'content-filter' | 'max-steps' | 'error' | 'other';

/**
 * A model failure that the user can act on; its message says what happened, what was kept and what
 * to do.
 */
export interface ModelFault {
  readonly kind:
    | 'no-model'
    | 'unauthorized'
    | 'model-gone'
    | 'model-refused'
    | 'quota'
    | 'budget'
    | 'content-filter'
    | 'offline'
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

/** What the user sees of a tool call. Absent fields are unchanged. */
export interface ToolDisplay {
  readonly title?: string;
  readonly kind?: ToolKind;
  readonly locations?: readonly { readonly path: string; readonly line?: number }[];
  /** Replaces the previous content. */
  readonly content?: readonly DisplayContent[];
  /** The rule that allowed the call. */
  readonly rule?: unknown;
  /** All such rules, when different rules allowed parts of the call. */
  readonly rules?: readonly unknown[];
  readonly layer?: string;
  readonly isolation?: Isolation;
  /** The call changed something that is kept, so that it can be reverted, even if no diff shows it. */
  readonly revertable?: true;
  /** Milliseconds that a program ran, without what came before: the gate, and the user's answer. */
  readonly ranMs?: number;
  /** The end of an output whose beginning is the result. */
  readonly outputEnd?: string;
  /** The session of the subagent that the call started. */
  readonly subagent?: string;
}

export type DisplayContent =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'diff';
      readonly path: string;
      /** Absent for a new file. May be a hunk with context instead of the whole file. */
      readonly oldText?: string;
      /** Empty for a deleted file. */
      readonly newText: string;
      readonly deleted?: true;
      /** A document of its own, and no file. */
      readonly document?: true;
      /** The hunk's first line in the old file, 1-based. */
      readonly line?: number;
    }
  | { readonly type: 'terminal'; readonly terminalId: string };
