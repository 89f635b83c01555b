import type { ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { ReportedProblem } from '../acp/gatehouse/configure.ts';
import type { AskSource } from '../acp/gatehouse/pending.ts';
import {
  type PermissionMeta,
  readPermissionMeta,
  type WireRisk,
} from '../acp/gatehouse/permission.ts';
import type { WireRule } from '../acp/gatehouse/rules.ts';
import { readElicitationMeta, readWriteMeta } from '../acp/gatehouse/session.ts';
import type { TerminalEvent } from '../acp/gatehouse/terminal.ts';
import type { Clock } from '../base/clock.ts';
import type { AskAnswer, PermissionAsk } from '../webview/messages/asks.ts';
import type { ToolItem } from '../webview/messages/chatState.ts';
import type { Asks } from './asks/asks.ts';
import { type KnownCall, toPermissionAsk, toPermissionReply } from './asks/permissionAsk.ts';
import { toQuestionAsk, toQuestionReply } from './asks/questionAsk.ts';
import type { ChatSession } from './chat/chatSession.ts';
import type { Chats } from './chat/chats.ts';
import type { ClientMethods } from './host/connection.ts';
import { Refusal } from './host/refusal.ts';
import type { SandboxStore } from './host/sandboxStore.ts';
import type { CallDiffs } from './review/callDiffs.ts';
import {
  type DocumentEditor,
  listDocuments,
  readDocument,
  writeDocument,
} from './review/documents.ts';
import type { ReviewEnd, Reviews } from './review/editors/reviews.ts';
import type { SavedRules } from './rules/savedRules.ts';
import type { UnreviewedStore } from './unreviewed/unreviewedStore.ts';

export interface ClientMethodParts {
  chats(): Chats;
  readonly asks: Asks;
  readonly diffs: CallDiffs;
  readonly reviews: Reviews;
  readonly unreviewed: UnreviewedStore;
  readonly sandbox: SandboxStore;
  readonly documents: DocumentEditor;
  readonly clock: Clock;
  secret(id: string): Promise<string | undefined>;
  readonly models: Pick<ClientMethods, 'languageModels' | 'languageModel'>;
  readonly language: Pick<ClientMethods, 'language'>;
  readonly servers: Pick<
    ClientMethods,
    'serverInput' | 'storeSecret' | 'openBrowser' | 'externalUri' | 'editorTools' | 'editorTool'
  >;
  /** The display form of a path. */
  label(path: string): string;
  /** Tells the user which rules an answer stored. */
  readonly saved: Pick<SavedRules, 'answered'>;
  /** Sends the message that starts the work of an approved plan. */
  build(session: ChatSession): void;
  /** Saves a rule. Resolves with the file's path. */
  saveRule(rule: WireRule, destination: 'workspace' | 'user'): Promise<string>;
  terminal(event: TerminalEvent): void;
  /** Called with the problems of the settings that were sent. */
  foundProblems(problems: readonly ReportedProblem[]): void;
  /** Called when a stored session changed in any window. */
  sessionsChanged(): void;
  /** Called when the tools may be others. */
  toolsChanged(): void;
  /** Called when the agent works in a file (*Follow Agent*). */
  located(path: string, line: number | undefined): void;
}

/** Creates the methods that the host may call, and routes them to the parts of the extension. */
export function createClientMethods(parts: ClientMethodParts): ClientMethods {
  let counter = 0;
  const newId = () => {
    counter += 1;
    return `ask-${counter}`;
  };
  return {
    ...askMethods(parts, newId),
    ...documentMethods(parts),
    ...parts.models,
    ...parts.servers,
    ...parts.language,
    sessionUpdate({ sessionId, update }) {
      const session = parts.chats().withId(sessionId);
      session?.update(update);
      if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update')
        return;
      const call = { sessionId, toolCallId: update.toolCallId };
      if (update.content) parts.diffs.keep(call, update.content);
      if (update.status === 'completed' || update.status === 'failed')
        void parts.reviews.callEnded(call, update.status === 'completed');
      const location = update.locations?.[0];
      // An agent in the background opens no tabs.
      if (location && isLetThrough(update) && session?.busy && session.watched)
        parts.located(location.path, location.line ?? undefined);
    },
    secret: async ({ id }) => ({ value: (await parts.secret(id)) ?? null }),
    saveRule: async ({ rule, destination }) => ({ file: await parts.saveRule(rule, destination) }),
    terminal: (event) => parts.terminal(event),
    queueChanged: (queue) => parts.chats().updateQueue(queue),
    sessionsChanged: () => parts.sessionsChanged(),
    toolsChanged: () => parts.toolsChanged(),
    unreviewedChanged: (files) => parts.unreviewed.update(files),
    sandboxChanged: (status) => parts.sandbox.update(status),
    problemsChanged: ({ problems }) => parts.foundProblems(problems),
  };
}

/**
 * Whether the call runs or has run. The file of one that is asked about or refused is not opened: the folder of an
 * open file is one that the agent may reach.
 */
function isLetThrough({ status }: ToolCallUpdate): boolean {
  return status === 'in_progress' || status === 'completed';
}

/** For an agent that doesn't number its requests: they follow those that are pending. */
const UNKNOWN: AskSource = { order: Number.POSITIVE_INFINITY, agent: '' };

function knownCall(card: ToolItem | undefined, folder: (path: string) => string): KnownCall {
  if (card === undefined) return { diffs: [], folder };
  const { title, diffs, toolKind, locations, isolation } = card;
  return {
    title,
    diffs,
    folder,
    ...(isolation && { isolation }),
    ...(toolKind !== 'execute' && { locations }),
  };
}

function askMethods(
  { chats, asks, diffs, reviews, clock, label, saved, build }: ClientMethodParts,
  newId: () => string,
): Pick<ClientMethods, 'requestPermission' | 'elicit'> {
  return {
    async requestPermission(params, signal) {
      const { sessionId, toolCall } = params;
      const session = chats().withId(sessionId);
      // The request's title contains the command for other clients; the card shows the command
      // itself.
      const title = session?.tool(toolCall.toolCallId)?.title ?? toolCall.title;
      session?.call({ ...toolCall, ...(title != null && { title }) });
      const call = { sessionId, toolCallId: toolCall.toolCallId };
      diffs.keep(call, toolCall.content ?? []);
      const meta = readPermissionMeta(params);
      const { askId = newId(), source = UNKNOWN } = meta ?? {};
      const known = knownCall(session?.tool(toolCall.toolCallId), label);
      const ask = toPermissionAsk(params, known, askId, clock.now());
      if (ask.diff) await reviews.add(askId, call, toolCall.content ?? []);
      const queued = { sessionId, ask, source, risks: toRisks(meta) };
      const { name, rawInput: input } = toolCall;
      const tool = name == null ? {} : { tool: name, input };
      const answer = await asks.add({ ...queued, ...tool }, signal);
      if (answer !== undefined) saved.answered(sessionId, ask, answer);
      const review = await reviews.finish(askId, toReviewEnd(ask, answer));
      const reply = toPermissionReply(answer, { request: params, ask }, review);
      if (session && answer?.kind === 'option' && answer.build)
        queueMicrotask(() => build(session));
      return reply;
    },
    async elicit(params, signal) {
      const { askId = newId(), source = UNKNOWN } = readElicitationMeta(params);
      const ask = toQuestionAsk(params, askId, clock.now());
      if (ask === undefined) throw new Refusal('Only form elicitations are supported.');
      const sessionId = 'sessionId' in params ? String(params.sessionId) : '';
      return toQuestionReply(await asks.add({ sessionId, ask, source }, signal));
    },
  };
}

/** The distinct risks of the parts that are not allowed yet. */
function toRisks(meta: PermissionMeta | undefined): readonly WireRisk[] {
  const asked = (meta?.subjects ?? []).filter(({ decision }) => decision !== 'allow');
  return [...new Set(asked.flatMap(({ risk }) => (risk === undefined ? [] : [risk])))];
}

/** How the answer to a request ends the review of its proposal. */
function toReviewEnd({ options }: PermissionAsk, answer: AskAnswer | undefined): ReviewEnd {
  if (answer?.kind !== 'option') return 'withdrawn';
  // Edited arguments make another proposal.
  if (answer.edited !== undefined) return 'rejected';
  const { kind, outside } = options.find(({ optionId }) => optionId === answer.optionId) ?? {};
  if (outside) return 'rejected';
  return kind === 'allow_once' || kind === 'allow_always' ? 'approved' : 'rejected';
}

function documentMethods({
  documents,
}: ClientMethodParts): Pick<ClientMethods, 'readTextFile' | 'writeTextFile' | 'documents'> {
  return {
    async readTextFile({ path, line, limit }) {
      return { content: await readDocument(documents, path, line, limit) };
    },
    async writeTextFile(params) {
      const { baseVersion } = readWriteMeta(params);
      const result = await writeDocument(documents, params.path, params.content, baseVersion);
      if (!result.ok) throw new Refusal(result.error);
      return {};
    },
    async documents({ paths }) {
      return { documents: await listDocuments(documents, paths) };
    },
  };
}
