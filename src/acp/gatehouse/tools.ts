import path from 'node:path';
import { DIALECT_IDS, type DialectId } from '../../base/tools/dialectFacts.ts';
import {
  type CodeEdit,
  type CodeLocation,
  type CodePosition,
  type CodeRange,
  LANGUAGE_OPERATIONS,
  type LanguageAnswer,
  type LanguageQuery,
  type RenamedFile,
} from '../../base/tools/languageQuery.ts';
import { SERVER_ACTIONS, type ServerAction } from '../../base/tools/mcpServer.ts';
import type {
  CompletionRequest,
  ContentPart,
  ContentRequest,
  PromptArgument,
  ServerContent,
  ServerPrompt,
  ServerResource,
  ServerTemplate,
} from '../../base/tools/serverContent.ts';
import type { PendingManifest, ToolListing, ToolRow } from '../../base/tools/toolRow.ts';
import {
  anything,
  boolean,
  integer,
  list,
  matching,
  object,
  optional,
  type Parser,
  parseOneOf,
  record,
  string,
  text,
  variants,
  withDefault,
} from './parse.ts';

/** Describes a tool to scaffold below an open workspace folder. */
export interface NewToolParams {
  /** An open workspace folder. */
  readonly root: string;
  readonly dialect: DialectId;
  /** Of the tool; where tools belong to an agent, of the agent, and `tool` is the tool's. */
  readonly name: string;
  readonly description: string;
  /** Example arguments from which the schema is derived. */
  readonly example?: unknown;
  readonly tool?: string;
  readonly command?: string;
  readonly url?: string;
  readonly method?: string;
}

export interface NewToolResult {
  /** Absolute paths of the written files. */
  readonly files: readonly string[];
  readonly error?: string;
}

/** A test call of a declared tool through the gate, for its author. */
export interface TryTool {
  readonly sessionId: string;
  /** Absolute path of the manifest. */
  readonly file: string;
  /** JSON pointer (RFC 6901) to the entry in the file. */
  readonly pointer: string;
  readonly input?: unknown;
}

/** The call's envelope, or why the tool is not offered. */
export interface TryToolResult {
  readonly envelope?: Readonly<Record<string, unknown>>;
  readonly why?: string;
}

/** Accepts or rejects a workspace file in its current state. */
export interface Acceptance {
  readonly path: string;
  /** SHA-256 in hex. */
  readonly hash: string;
  readonly accepted: boolean;
}

export interface ToolsQuery {
  /** Default: the tools of the open folders. */
  readonly sessionId?: string;
}

export interface ServerActionQuery extends ToolsQuery {
  /** As in rules. */
  readonly server: string;
  readonly action: ServerAction;
}

export const parseServerAction: Parser<ServerActionQuery> = object<ServerActionQuery>({
  sessionId: optional(string),
  server: text,
  action: parseOneOf(...SERVER_ACTIONS),
});

export const parseToolsQuery: Parser<ToolsQuery> = object<ToolsQuery>({
  sessionId: optional(string),
});

export const parseToolListing: Parser<ToolListing> = object<ToolListing>({
  tools: list(
    object<ToolRow>({
      id: string,
      formerId: optional(string),
      source: string,
      server: optional(string),
      signIn: optional(parseOneOf('needed', 'done')),
      kind: string,
      description: string,
      requires: record,
      parameters: record,
      state: parseOneOf('offered', 'disabled', 'not offered'),
      why: optional(string),
      lastError: optional(string),
      file: optional(string),
      pointer: optional(string),
    }),
  ),
  pending: list(
    object<PendingManifest>({
      file: string,
      server: optional(string),
      hash: string,
      tools: list(
        object<PendingManifest['tools'][number]>({
          ...{ id: string, runs: string, reachesAnyHost: boolean, description: string },
          ...{ hosts: optional(list(string)), parameters: optional(record) },
        }),
      ),
    }),
  ),
});

export const parseNewTool: Parser<NewToolParams> = object<NewToolParams>({
  root: text,
  dialect: parseOneOf(...DIALECT_IDS),
  name: text,
  description: text,
  example: optional(anything),
  tool: optional(string),
  command: optional(string),
  url: optional(string),
  method: optional(string),
});

export const parseNewToolResult: Parser<NewToolResult> = object<NewToolResult>({
  files: list(string),
  error: optional(string),
});

export const parseTryTool: Parser<TryTool> = object<TryTool>({
  sessionId: text,
  file: text,
  pointer: withDefault(string, ''),
  input: optional(anything),
});

export const parseTryToolResult: Parser<TryToolResult> = object<TryToolResult>({
  envelope: optional(record),
  why: optional(string),
});

export const parseAcceptance: Parser<Acceptance> = object<Acceptance>({
  path: matching(path.isAbsolute, 'Must be an absolute path.'),
  hash: matching((hash) => /^[0-9a-f]{64}$/.test(hash), 'Must be a SHA-256 hash in hex.'),
  accepted: boolean,
});

/** What the host asks the editor's language features, and their answer. */
const unit = integer(0, 2 ** 31);
const position: Parser<CodePosition> = object<CodePosition>({ line: unit, character: unit });
const range: Parser<CodeRange> = object<CodeRange>({ start: position, end: position });
const parseTextHash = matching((hash) => /^[0-9a-f]{64}$/.test(hash), 'Must be 64 hex digits.');

export const parseLanguageQuery: Parser<LanguageQuery> = object<LanguageQuery>({
  operation: parseOneOf(...LANGUAGE_OPERATIONS),
  path: optional(text),
  position: optional(position),
  lineText: optional(string),
  text: optional(text),
});

export const parseLanguageAnswer: Parser<LanguageAnswer> = object<LanguageAnswer>({
  locations: optional(
    list(
      object<CodeLocation>({
        path: text,
        range,
        text: optional(string),
        kind: optional(string),
        from: optional(string),
      }),
    ),
  ),
  files: optional(
    list(
      object<RenamedFile>({
        path: text,
        textHash: parseTextHash,
        edits: list(object<CodeEdit>({ range, newText: string })),
      }),
    ),
  ),
  starting: optional(boolean),
  cut: optional(boolean),
  error: optional(text),
});

export interface ContentQuery extends ToolsQuery, ContentRequest {}

export interface ContentResult {
  readonly parts: readonly ContentPart[];
}

export const parseServerContent: Parser<ServerContent> = object<ServerContent>({
  resources: list(
    object<ServerResource>({ server: text, uri: text, name: text, description: optional(string) }),
  ),
  templates: list(
    object<ServerTemplate>({
      ...{ server: text, template: text, name: text, description: optional(string) },
      completes: boolean,
    }),
  ),
  prompts: list(
    object<ServerPrompt>({
      ...{ server: text, name: text, completes: boolean },
      description: optional(string),
      arguments: list(
        object<PromptArgument>({ name: text, description: optional(string), required: boolean }),
      ),
    }),
  ),
});

export const parseContentQuery: Parser<ContentQuery> = object<ContentQuery>({
  sessionId: optional(string),
  server: text,
  uri: optional(text),
  prompt: optional(text),
  arguments: optional(texts),
});

export interface CompletionQuery extends ToolsQuery, CompletionRequest {}

export interface CompletionResult {
  readonly values: readonly string[];
}

export const parseCompletionQuery: Parser<CompletionQuery> = object<CompletionQuery>({
  ...{ sessionId: optional(string), server: text, prompt: optional(text) },
  ...{ template: optional(text), argument: text, value: string, given: optional(texts) },
});

export const parseCompletionResult: Parser<CompletionResult> = object<CompletionResult>({
  values: list(string),
});

export const parseContentResult: Parser<ContentResult> = object<ContentResult>({
  parts: list(
    variants<ContentPart>('type', {
      text: object<Extract<ContentPart, { type: 'text' }>>({
        type: parseOneOf('text'),
        text: string,
      }),
      image: object<Extract<ContentPart, { type: 'image' }>>({
        type: parseOneOf('image'),
        mimeType: text,
        data: string,
      }),
    }),
  ),
});

/** A record of strings. */
function texts(value: unknown, field = ''): Readonly<Record<string, string>> {
  const given = record(value, field);
  return Object.fromEntries(
    Object.entries(given).map(([name, each]) => [name, string(each, `${field}.${name}`)]),
  );
}
