import { type MetaHolder, readDecoration, readMeta } from './meta.ts';
import {
  anything,
  boolean,
  decoration,
  integer,
  number,
  object,
  optional,
  parseOneOf,
  string,
  text,
} from './parse.ts';
import { parseRule, parseRules, type WireRule } from './rules.ts';

/** Of `session/new`, `session/load` and `session/resume`. */
export interface SessionMeta {
  /** The agent definition to start as. */
  readonly agent?: string;
  /** The approval mode to begin with. */
  readonly approval?: string;
}

/** Of a `tool_call` or `tool_call_update`. It decorates: what cannot be read is left out. */
export interface ToolCallMeta {
  /** The rule that allowed the call without asking. */
  readonly rule?: WireRule;
  /** All of them, where the parts of a call were allowed by more than one. */
  readonly rules?: readonly WireRule[];
  /** The layer that decided. */
  readonly layer?: string;
  /** The whole command line that runs. */
  readonly command?: string;
  /** How a failed call ended; ACP has no status for it. */
  readonly ended?: 'denied' | 'aborted';
}

/** Of a `diff` in a call's content. */
export interface DiffMeta {
  /** Line of the hunk's first row in the old file, from 1. */
  readonly line?: number;
  /** `oldText` and `newText` are a part of the file. */
  readonly partial?: boolean;
  /** The file is deleted; `newText` is empty. */
  readonly deleted?: boolean;
  /** Of a proposal: SHA-256 of the file's bytes that it is based on; of nothing for a new file. */
  readonly beforeHash?: string;
}

/** Of `session/prompt`. */
export interface PromptMeta {
  /** The client's name for the prompt while it waits in the queue; the host's own without one. */
  readonly queueId?: string;
}

/** Of `fs/write_text_file`. */
export interface WriteMeta {
  /** The document's version that the text is based on. */
  readonly baseVersion?: number;
}

/** Of `elicitation/create`. */
export interface ElicitationMeta {
  /** Names the question in the list of pending ones. */
  readonly askId?: string;
}

/** Of a live notice. */
export interface NoticeMeta {
  /** The model request that is tried again. */
  readonly retry?: unknown;
}

const parseSessionMeta = object<SessionMeta>({ agent: optional(text), approval: optional(string) });
const parseToolCallMeta = object<ToolCallMeta>({
  rule: decoration(parseRule),
  rules: decoration(parseRules),
  layer: decoration(string),
  command: decoration(string),
  ended: decoration(parseOneOf('denied', 'aborted')),
});
const parseDiffMeta = object<DiffMeta>({
  line: decoration(integer(1, Number.MAX_SAFE_INTEGER)),
  partial: decoration(boolean),
  deleted: decoration(boolean),
  beforeHash: decoration(string),
});
const parsePromptMeta = object<PromptMeta>({ queueId: optional(text) });
const parseWriteMeta = object<WriteMeta>({ baseVersion: optional(number) });
const parseElicitationMeta = object<ElicitationMeta>({ askId: optional(text) });
const parseNoticeMeta = object<NoticeMeta>({ retry: optional(anything) });

/** Throws `WireError`. */
export function readSessionMeta(request: MetaHolder): SessionMeta {
  return readMeta(request, parseSessionMeta) ?? {};
}

export function readToolCallMeta(update: MetaHolder): ToolCallMeta {
  return readDecoration(update, parseToolCallMeta) ?? {};
}

export function readDiffMeta(content: MetaHolder): DiffMeta {
  return readDecoration(content, parseDiffMeta) ?? {};
}

/** Throws `WireError`. */
export function readPromptMeta(request: MetaHolder): PromptMeta {
  return readMeta(request, parsePromptMeta) ?? {};
}

/** Throws `WireError`: a write whose base cannot be read must not happen. */
export function readWriteMeta(request: MetaHolder): WriteMeta {
  return readMeta(request, parseWriteMeta) ?? {};
}

/** Throws `WireError`. */
export function readElicitationMeta(request: MetaHolder): ElicitationMeta {
  return readMeta(request, parseElicitationMeta) ?? {};
}

export function readNoticeMeta(update: MetaHolder): NoticeMeta {
  return readDecoration(update, parseNoticeMeta) ?? {};
}
