import type { OpenDocument } from '../../base/openDocument.ts';
import type { InputAsk, ServerInput } from '../../base/tools/mcpServer.ts';
import {
  anything,
  boolean,
  list,
  matching,
  nullable,
  number,
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
import { parseRule, type WireRule } from './rules.ts';

/** The host's requests to the editor beyond ACP: secrets, rules to store, open documents, its language models. */

export interface SecretQuery {
  /** `model/<provider>`, `search/<provider>` or `runloop/<scope>/<name>`. */
  readonly id: string;
}

/** Must never be logged. */
export interface SecretResult {
  /** Null when none is stored. */
  readonly value: string | null;
}

export interface SaveRule {
  readonly rule: WireRule;
  readonly destination: 'workspace' | 'user';
}

export interface SaveRuleResult {
  /** Absolute path of the file that now contains the rule. */
  readonly file?: string;
}

export interface DocumentsQuery {
  /** Absolute paths. Default: all open documents, including new unsaved ones. */
  readonly paths?: readonly string[];
}

export interface DocumentsResult {
  readonly documents: readonly OpenDocument[];
}

export const parseServerInput: Parser<InputAsk> = object<InputAsk>({
  server: text,
  input: object<ServerInput>({
    id: text,
    description: optional(string),
    password: boolean,
    initial: optional(string),
    options: optional(list(string)),
  }),
  key: matching((key) => /^[0-9a-f]{64}$/.test(key), 'Must be 64 hex digits.'),
  again: boolean,
});

/** A tool that an extension of the editor registered. */
export interface WireEditorTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface EditorToolList {
  readonly tools: readonly WireEditorTool[];
}

export interface EditorToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface EditorToolResult {
  readonly texts: readonly string[];
  /** Why the call failed. */
  readonly error?: string;
}

export const parseEditorToolList: Parser<EditorToolList> = object<EditorToolList>({
  tools: list(object<WireEditorTool>({ name: string, description: string, parameters: record })),
});

export const parseEditorToolCall: Parser<EditorToolCall> = object<EditorToolCall>({
  name: text,
  input: record,
});

export const parseEditorToolResult: Parser<EditorToolResult> = object<EditorToolResult>({
  texts: list(string),
  error: optional(string),
});

/** A secret that the host stores in the editor's storage: what a sign-in left. */
export interface StoreSecret {
  readonly id: string;
  /** Null removes it. Must never be logged. */
  readonly value: string | null;
}

/** A page for the user's browser. */
export interface BrowserPage {
  /** The server that sends the user there, for the user. */
  readonly server: string;
  readonly url: string;
}

export interface BrowserResult {
  /** False: the user did not want it. */
  readonly opened: boolean;
}

/** An address on the host's machine, or where the user's browser finds it. */
export interface ExternalUri {
  readonly url: string;
}

const parseUrl = matching(
  (url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ''),
  'Must be a URL.',
);

export const parseStoreSecret: Parser<StoreSecret> = object<StoreSecret>({
  id: matching((id) => /^mcp\/oauth\/[0-9a-f]{64}$/.test(id), 'Must name a sign-in.'),
  value: nullable(text),
});

export const parseBrowserPage: Parser<BrowserPage> = object<BrowserPage>({
  server: text,
  url: parseUrl,
});

export const parseBrowserResult: Parser<BrowserResult> = object<BrowserResult>({ opened: boolean });

export const parseExternalUri: Parser<ExternalUri> = object<ExternalUri>({ url: parseUrl });

export const parseSecretQuery: Parser<SecretQuery> = object<SecretQuery>({ id: text });

export const parseSecretResult: Parser<SecretResult> = object<SecretResult>({
  value: nullable(string),
});

export const parseSaveRule: Parser<SaveRule> = object<SaveRule>({
  rule: parseRule,
  destination: parseOneOf('workspace', 'user'),
});

export const parseSaveRuleResult: Parser<SaveRuleResult> = object<SaveRuleResult>({
  file: optional(string),
});

export const parseDocumentsQuery: Parser<DocumentsQuery> = object<DocumentsQuery>({
  paths: optional(list(string)),
});

export const parseDocumentsResult: Parser<DocumentsResult> = object<DocumentsResult>({
  documents: list(
    object<OpenDocument>({
      path: nullable(string),
      uri: string,
      dirty: boolean,
      version: number,
      encoding: withDefault(string, 'utf8'),
      eol: withDefault(parseOneOf('\n', '\r\n'), '\n'),
    }),
  ),
});

/** A language model that the editor or one of its extensions serves. */
export interface EditorModel {
  /** Unique in the editor: with the vendor before it where several vendors use the same one. */
  readonly id: string;
  readonly name: string;
  /** Who serves it: `copilot`, or the name that an extension gave. */
  readonly vendor: string;
  readonly contextTokens: number;
}

export interface EditorModels {
  readonly models: readonly EditorModel[];
}

/** One request to a language model of the editor. */
export interface LanguageModelCall {
  /** Names the answer's parts. */
  readonly callId: string;
  readonly modelId: string;
  readonly messages: readonly WireModelMessage[];
  readonly tools: readonly WireModelTool[];
}

export interface WireModelMessage {
  readonly role: 'user' | 'assistant';
  readonly parts: readonly WireModelPart[];
}

export type WireModelPart =
  | { readonly type: 'text'; readonly text: string }
  /** `data`: Base64. */
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string }
  | ToolCallPart
  | { readonly type: 'result'; readonly id: string; readonly text: string };

interface ToolCallPart {
  readonly type: 'call';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface WireModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A part of an answer, sent to the host while the request runs. */
export interface LanguageModelPart {
  readonly callId: string;
  readonly part: { readonly type: 'text'; readonly text: string } | ToolCallPart;
}

/** How a request ended; without an error all of its answer has been sent. */
export interface LanguageModelResult {
  readonly error?: { readonly code: string; readonly message: string };
}

const parseText = object<{ readonly type: 'text'; readonly text: string }>({
  type: parseOneOf('text'),
  text: string,
});

const parseCall = object<ToolCallPart>({
  type: parseOneOf('call'),
  id: string,
  name: text,
  input: anything,
});

const parseModelPart = variants<WireModelPart>('type', {
  text: parseText,
  call: parseCall,
  image: object<Extract<WireModelPart, { type: 'image' }>>({
    type: parseOneOf('image'),
    mediaType: text,
    data: string,
  }),
  result: object<Extract<WireModelPart, { type: 'result' }>>({
    type: parseOneOf('result'),
    id: string,
    text: string,
  }),
});

export const parseEditorModels: Parser<EditorModels> = object<EditorModels>({
  models: list(
    object<EditorModel>({ id: text, name: string, vendor: string, contextTokens: number }),
  ),
});

export const parseLanguageModelCall: Parser<LanguageModelCall> = object<LanguageModelCall>({
  callId: text,
  modelId: text,
  messages: list(
    object<WireModelMessage>({
      role: parseOneOf('user', 'assistant'),
      parts: list(parseModelPart),
    }),
  ),
  tools: list(object<WireModelTool>({ name: text, description: string, parameters: record })),
});

export const parseLanguageModelPart: Parser<LanguageModelPart> = object<LanguageModelPart>({
  callId: text,
  part: variants<LanguageModelPart['part']>('type', { text: parseText, call: parseCall }),
});

export const parseLanguageModelResult: Parser<LanguageModelResult> = object<LanguageModelResult>({
  error: optional(
    object<NonNullable<LanguageModelResult['error']>>({ code: string, message: string }),
  ),
});
