import type { Attachment } from './attachment.ts';
import type { FinishReason, ProviderMetadata, ToolDisplay } from './chunk.ts';
import type { Envelope } from './envelope.ts';

/** A stored message, append only (spec CS-76). The shape of a row of `chat_messages`. */
export interface StoredMessage {
  /** `msg_…` (spec CS-91). */
  readonly id: string;
  readonly sessionId: string;
  readonly role: 'user' | 'assistant' | 'system';
  readonly metadata: MessageMetadata;
  readonly parts: readonly StoredPart[];
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** The content of `metadata_json`, with the specification's key names. */
export interface MessageMetadata {
  readonly usage?: Usage;
  readonly model?: { readonly provider_id: string; readonly model_id: string };
  readonly agent?: string;
  /** Milliseconds since the epoch. */
  readonly queued_at?: number;
  /** SHA-256 of the assembled system prompt. */
  readonly system_prompt_digest?: string;
  /** Set by a rewind; the message stays stored (spec CS-84). */
  readonly hidden_at?: number;
  /**
   * Set when the user cancelled the turn. Its open calls keep their state (spec CS-79) and are not
   * orphans.
   */
  readonly aborted_at?: number;
  readonly finish_reason?: FinishReason;
  /** Tokens of the last model request with its answer: the size of the conversation then. */
  readonly context_tokens?: number;
  /**
   * Of a user message: it is a command to Gatehouse, which the model is not sent. Of an answer: it is
   * that to a command.
   */
  readonly command?: 'compact';
  readonly [key: string]: unknown;
}

/** Token counts. `input` excludes cached tokens, both read and written (spec CS-89). */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cache_read: number;
  readonly cache_write: number;
}

/** One part of a message: the row's `data_json` plus its id. */
export type StoredPart =
  | StoredTextPart
  | StoredToolPart
  | { readonly id: string; readonly type: 'file'; readonly data: Attachment }
  | { readonly id: string; readonly type: `data-${string}`; readonly data: unknown };

export interface StoredTextPart {
  readonly id: string;
  readonly type: 'text' | 'reasoning';
  readonly text: string;
  readonly providerMetadata?: ProviderMetadata;
}

export type ToolState =
  | 'input-streaming'
  | 'input-available'
  | 'approval-requested'
  | 'approval-responded'
  | 'output-available'
  | 'output-error'
  | 'output-denied';

/** One row per tool call, whatever its state (spec CS-3). */
export interface StoredToolPart {
  readonly id: string;
  readonly type: `tool-${string}`;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly state: ToolState;
  /** Absent while the arguments stream, and when they are not JSON. */
  readonly input?: unknown;
  /**
   * The arguments as the model wrote them; present while they stream, when they are not JSON, and until
   * the call runs if `JSON.stringify(input)` is another text.
   */
  readonly inputText?: string;
  readonly approvalId?: string;
  /** It runs although its state doesn't say so: nobody was asked about it. */
  readonly begun?: true;
  readonly providerMetadata?: ProviderMetadata;
  /** The envelope sent to the model (spec C-43). */
  readonly output?: Envelope;
  readonly errorText?: string;
  /** All ACP fields that a hosted agent sent about its call, each with its latest value. */
  readonly hosted?: Readonly<Record<string, unknown>>;
  /** What the user last saw of the call, merged, so that replay shows the same. */
  readonly display?: ToolDisplay;
}

/** Whether a stored part is a tool call. */
export function isToolPart(part: StoredPart): part is StoredToolPart {
  return part.type.startsWith('tool-');
}

/** The error of a call that was running when its host process died (text fixed by spec CS-80). */
export const ABORTED_BY_RESTART = 'aborted by host restart';

/** The same for a call that ran in a copy of the workspace, which ends with its host, before any of its changes was written. */
export const COPY_ABORTED_BY_RESTART = `${ABORTED_BY_RESTART}. The command ran in a copy of the workspace. Nothing was written to the workspace without a rule or the user allowing it, and what was not allowed by then is discarded. Run the command again if its changes are still wanted.`;

/**
 * The same for one whose changes were being written. `paths`: those that were written, in order; each is noted right
 * before it is, so the last one may not be.
 */
export function toCopyWritingAborted(paths: readonly string[]): string {
  const shown = paths.slice(0, NAMED).join(', ');
  const more = paths.length > NAMED ? ` and ${paths.length - NAMED} more` : '';
  const last = paths.at(-1) ?? '';
  return `${ABORTED_BY_RESTART}. The command ran in a copy of the workspace, and the host ended while the changes that were allowed were being written. Written: ${shown}${more}. Whether ${last} was written, the last one, is not known. The rest was not written and is discarded. Revert on the card of the command undoes what was written. Read the files before you continue, or run the command again.`;
}

/** The most files that the sentence names. */
const NAMED = 20;
