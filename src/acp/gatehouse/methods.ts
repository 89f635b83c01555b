import {
  parseBrowserPage,
  parseBrowserResult,
  parseDocumentsQuery,
  parseDocumentsResult,
  parseEditorModels,
  parseEditorToolCall,
  parseEditorToolList,
  parseEditorToolResult,
  parseExternalUri,
  parseLanguageModelCall,
  parseLanguageModelPart,
  parseLanguageModelResult,
  parseSaveRule,
  parseSaveRuleResult,
  parseSecretQuery,
  parseSecretResult,
  parseServerInput,
  parseStoreSecret,
} from './client.ts';
import {
  parseConfigureResult,
  parseModelListing,
  parseModelsQuery,
  parseSandboxStatus,
  parseSnapshot,
  parseTriedModel,
  parseTryModel,
} from './configure.ts';
import {
  parseDecisionList,
  parseDecisionsQuery,
  parseExplained,
  parseExplainedCall,
} from './explain.ts';
import {
  parseExportQuery,
  parseExportResult,
  parseForkQuery,
  parseHistoryPage,
  parseHistoryQuery,
  parseImportSession,
  parseRewindQuery,
  parseRewindResult,
  parseSessionResult,
  parseUnrewindResult,
} from './history.ts';
import { object, type Parser } from './parse.ts';
import {
  parsePendingResult,
  parseResolveChanges,
  parseResolveResult,
  parseRevertQuery,
  parseRevertResult,
  parseReviewResult,
  parseUnreviewedFiles,
  parseUnreviewedQuery,
  parseUnreviewedTexts,
} from './pending.ts';
import {
  parseFolderQuery,
  parseQueueChange,
  parseQueueEdit,
  parseQueueMove,
  parseQueueRemoval,
  parseRemovedPrompt,
  parseSessionQuery,
  parseSessionQueue,
  parseSteerQuery,
  parseTurnEnd,
  parseWaitingSessions,
} from './queues.ts';
import {
  parseDropRule,
  parseImportPreview,
  parseImportQuery,
  parseRuleListQuery,
  parseRulesPage,
  parseRulesQuery,
  parseRulesText,
} from './rules.ts';
import { parseCommitMessage, parseCommitQuery } from './session.ts';
import {
  parseClearQuery,
  parseClearResult,
  parseSearchHits,
  parseSessionEdit,
  parseSessionEntry,
  parseSessionSearch,
} from './sessionList.ts';
import {
  parseCallOutput,
  parseCallOutputQuery,
  parseTerminalEvent,
  parseTerminalInput,
} from './terminal.ts';
import {
  parseAcceptance,
  parseCompletionQuery,
  parseCompletionResult,
  parseContentQuery,
  parseContentResult,
  parseLanguageAnswer,
  parseLanguageQuery,
  parseNewTool,
  parseNewToolResult,
  parseServerAction,
  parseServerContent,
  parseToolListing,
  parseToolsQuery,
  parseTryTool,
  parseTryToolResult,
} from './tools.ts';

/** A request beyond ACP: its method name, and the parsers for both sides. */
export interface WireRequest<Params, Result> {
  readonly method: `_gatehouse/${string}`;
  readonly params: Parser<Params>;
  readonly result: Parser<Result>;
}

export interface WireNotification<Params> {
  readonly method: `_gatehouse/${string}`;
  readonly params: Parser<Params>;
}

/** An empty result: the request succeeded. */
export type Done = Readonly<Record<never, never>>;

const parseDone: Parser<Done> = object<Done>({});
const parseNoParams: Parser<Done> = object<Done>({});

/** Requests from the client to the host. */
export const HOST_REQUESTS = {
  /** Sends the complete snapshot of settings, right after `initialize` and after every change. */
  configure: request('configure', parseSnapshot, parseConfigureResult),
  explain: request('explain', parseExplainedCall, parseExplained),
  /** Lists the decisions of a session, or of one of its calls, with the rules in force. */
  decisions: request('decisions', parseDecisionsQuery, parseDecisionList),
  pending: request('pending', parseNoParams, parsePendingResult),
  accept: request('accept', parseAcceptance, parseDone),
  /** Drops a rule that an answer stored: of a session, or until the settings are read again. */
  dropRule: request('drop_rule', parseDropRule, parseDone),
  /** Returns the shipped rules, or those that only one session has, as a document. */
  rulesDocument: request('rules_document', parseRulesQuery, parseRulesText),
  /** Returns what the agent of an open session is told, as a document. */
  promptDocument: request('prompt_document', parseSessionQuery, parseRulesText),
  /** Has the model write a message about what is staged in a repository. Changes nothing. */
  commitMessage: request('commit_message', parseCommitQuery, parseCommitMessage),
  /** Lists the rules in force in pages, with their hits and last use. */
  rules: request('rules', parseRuleListQuery, parseRulesPage),
  /** Shows what importing the rules of other products would do. Writes nothing. */
  importRules: request('import_rules', parseImportQuery, parseImportPreview),
  terminalInput: request('terminal_input', parseTerminalInput, parseDone),
  /** Returns what a call put out, of an open or stored session. */
  callOutput: request('call_output', parseCallOutputQuery, parseCallOutput),
  tools: request('tools', parseToolsQuery, parseToolListing),
  /** Does what the user wants with an MCP server. */
  serverAction: request('server_action', parseServerAction, parseDone),
  /** Lists what the MCP servers offer to the user besides tools. */
  serverContent: request('server_content', parseToolsQuery, parseServerContent),
  /** Reads a resource, or fills in a prompt. Rules that deny it hold. */
  readContent: request('read_content', parseContentQuery, parseContentResult),
  /** Lists values that an MCP server suggests for what the user types. */
  completeContent: request('complete_content', parseCompletionQuery, parseCompletionResult),
  newTool: request('new_tool', parseNewTool, parseNewToolResult),
  tryTool: request('try_tool', parseTryTool, parseTryToolResult),
  /** Returns the messages of an open or stored session in pages, newest page first. */
  history: request('history', parseHistoryQuery, parseHistoryPage),
  /** Renames, pins or archives a session, open or stored. */
  updateSession: request('update_session', parseSessionEdit, parseSessionEntry),
  /** Deletes all sessions that are not pinned and in which nothing runs or waits for the user. */
  clearSessions: request('clear_sessions', parseClearQuery, parseClearResult),
  searchSessions: request('search_sessions', parseSessionSearch, parseSearchHits),
  /** Only of an idle session. */
  forkSession: request('fork_session', parseForkQuery, parseSessionResult),
  /** Only of an idle session. Changes no files. */
  rewind: request('rewind', parseRewindQuery, parseRewindResult),
  /** Shows again what the last rewind hid, while nothing was sent since. */
  unrewind: request('unrewind', parseSessionQuery, parseUnrewindResult),
  exportSession: request('export_session', parseExportQuery, parseExportResult),
  importSession: request('import_session', parseImportSession, parseSessionResult),
  /**
   * Continues the turn that broke off with an earlier process. Answered like `session/prompt` when it
   * ends; at once if there is none.
   */
  continue: request('continue', parseSessionQuery, parseTurnEnd),
  /**
   * Compacts the session as `/compact` does, after the turns that are queued. Answered like
   * `session/prompt` when it ended.
   */
  compact: request('compact', parseSessionQuery, parseTurnEnd),
  /** Ends the wait for a retry of the model, if there is one. */
  retryNow: request('retry_now', parseSessionQuery, parseDone),
  /** Lists the stored sessions of a folder in which something waits for the user and no window runs a turn. */
  waitingSessions: request('waiting_sessions', parseFolderQuery, parseWaitingSessions),
  queue: request('queue', parseSessionQuery, parseSessionQueue),
  /** The removed prompt's pending `session/prompt` is answered with `cancelled`. */
  removeQueued: request('remove_queued', parseQueueRemoval, parseRemovedPrompt),
  /** Asks now about the changes that wait for a review. */
  review: request('review', parseSessionQuery, parseReviewResult),
  /** Takes the changes of an applied call out of its files. */
  revert: request('revert', parseRevertQuery, parseRevertResult),
  /** Returns one file's texts without and with the changes that the user reviews afterwards. */
  unreviewed: request('unreviewed', parseUnreviewedQuery, parseUnreviewedTexts),
  /** Keeps or undoes changes that are on disk and were not reviewed. */
  resolveChanges: request('resolve_changes', parseResolveChanges, parseResolveResult),
  moveQueued: request('move_queued', parseQueueMove, parseQueueChange),
  /**
   * Puts a queued prompt into the running turn at its next step. Its `session/prompt` is answered with
   * `end_turn` when the turn has it; the turn's own says how that ends. If no step follows, it runs next.
   */
  steer: request('steer', parseSteerQuery, parseQueueChange),
  /** Runs what is queued since a turn failed. */
  resumeQueue: request('resume_queue', parseSessionQuery, parseQueueChange),
  editQueued: request('edit_queued', parseQueueEdit, parseQueueChange),
  /** Lists the models that could be chosen, and what keeps the others from it. */
  models: request('models', parseModelsQuery, parseModelListing),
  /** Sends one real request to a model, and says whether it answered. */
  tryModel: request('try_model', parseTryModel, parseTriedModel),
  /** A part of the answer to `_gatehouse/language_model`. Answered when the host can take the next one. */
  languageModelPart: request('language_model_part', parseLanguageModelPart, parseDone),
} as const;

/** Requests from the host to a client that advertised them. */
export const CLIENT_REQUESTS = {
  /** The result must never be logged. */
  secret: request('secret', parseSecretQuery, parseSecretResult),
  /** Finds or asks for a value that an MCP server needs. The result must never be logged. */
  serverInput: request('server_input', parseServerInput, parseSecretResult),
  /** Lists the tools of the editor's other extensions. Asks the user nothing. */
  editorTools: request('editor_tools', parseNoParams, parseEditorToolList),
  /** Calls one of them. */
  editorTool: request('editor_tool', parseEditorToolCall, parseEditorToolResult),
  /** Asks the editor's language features. Changes nothing. */
  language: request('language', parseLanguageQuery, parseLanguageAnswer),
  /** The params must never be logged. */
  storeSecret: request('store_secret', parseStoreSecret, parseDone),
  openBrowser: request('open_browser', parseBrowserPage, parseBrowserResult),
  externalUri: request('external_uri', parseExternalUri, parseExternalUri),
  saveRule: request('save_rule', parseSaveRule, parseSaveRuleResult),
  documents: request('documents', parseDocumentsQuery, parseDocumentsResult),
  /** Lists the language models of the editor. Asks the user nothing. */
  languageModels: request('language_models', parseNoParams, parseEditorModels),
  /**
   * Sends one request to a language model of the editor. Its answer comes in parts, and this is answered
   * after the last one was taken.
   */
  languageModel: request('language_model', parseLanguageModelCall, parseLanguageModelResult),
} as const;

/** Notifications from the host to the client. */
export const CLIENT_NOTIFICATIONS = {
  terminal: notification('terminal', parseTerminalEvent),
  /** An entry of a session's queue was added, removed or edited. */
  queueChanged: notification('queue_changed', parseSessionQueue),
  /** A stored session was added, changed or deleted, in any window. */
  sessionsChanged: notification('sessions_changed', parseNoParams),
  /** The tools, or what awaits a review, may be others: a server has started, stopped or changed its list. */
  toolsChanged: notification('tools_changed', parseNoParams),
  /** The unreviewed changes of a session are others. Also sent when it is opened. */
  unreviewedChanged: notification('unreviewed_changed', parseUnreviewedFiles),
  /** The sandbox was tested, or the settings about it changed. */
  sandboxChanged: notification('sandbox_changed', parseSandboxStatus),
  /** The problems of the settings that were sent last, because something was accepted or revoked. */
  problemsChanged: notification('problems_changed', parseConfigureResult),
} as const;

export type HostRequests = typeof HOST_REQUESTS;
export type ClientRequests = typeof CLIENT_REQUESTS;
export type ClientNotifications = typeof CLIENT_NOTIFICATIONS;

type Requests = Readonly<Record<string, WireRequest<unknown, unknown>>>;

export type ParamsOf<
  All extends Readonly<Record<string, WireNotification<unknown>>>,
  Name extends keyof All,
> = ReturnType<All[Name]['params']>;
export type ResultOf<All extends Requests, Name extends keyof All> = ReturnType<
  All[Name]['result']
>;

function request<Params, Result>(
  name: string,
  params: Parser<Params>,
  result: Parser<Result>,
): WireRequest<Params, Result> {
  return { method: `_gatehouse/${name}`, params, result };
}

function notification<Params>(name: string, params: Parser<Params>): WireNotification<Params> {
  return { method: `_gatehouse/${name}`, params };
}
