import { RequestError } from '@agentclientprotocol/sdk';
import type { HostRequests, ParamsOf, ResultOf } from '../../acp/gatehouse/methods.ts';
import type { DropRule, ImportPreview, ImportQuery } from '../../acp/gatehouse/rules.ts';
import type { Acceptance } from '../../acp/gatehouse/tools.ts';
import type { TerminalInput } from '../../base/terminalInput.ts';
import { isTrusted } from '../config/configuration.ts';
import { keepAccepted } from '../config/workspaceRules.ts';
import type { OpenHost } from '../session/openHost.ts';
import { fork, rewindSession, unrewindSession } from '../session/stored/changeSession.ts';
import { updateSession } from '../session/stored/sessionEntries.ts';

/** One function for each extension request that a client may send. Its params are already validated. */
export type ExtensionMethods = {
  readonly [Name in keyof HostRequests]: (
    host: OpenHost,
    params: ParamsOf<HostRequests, Name>,
    /** Aborts when the client cancels the request, or is gone. */
    signal: AbortSignal,
  ) => ResultOf<HostRequests, Name> | Promise<ResultOf<HostRequests, Name>>;
};

export const EXTENSION_METHODS: ExtensionMethods = {
  configure: ({ services }, snapshot) => {
    const problems = services.configuration.configure(snapshot);
    services.sandbox.publish();
    return { problems };
  },
  explain: async (host, call) =>
    (await import('../session/explainCall.ts')).explainCall(host, call),
  rulesDocument: async (host, query) =>
    (await import('../session/rulesDocument.ts')).rulesDocument(host, query),
  promptDocument: async (host, query) =>
    (await import('../session/turn/promptDocument.ts')).promptDocument(host, query),
  commitMessage: async (host, query, signal) =>
    (await import('../authoring/commitMessage.ts')).commitMessage(host, query, signal),
  pending: ({ services }) => ({ asks: services.pending.list() }),
  accept,
  dropRule,
  decisions: async ({ services }, query) =>
    (await import('../session/listDecisions.ts')).listDecisions(services, query),
  rules: async (host, query) => (await import('../session/listRules.ts')).listRules(host, query),
  importRules,
  terminalInput,
  callOutput: async (host, query) =>
    (await import('../session/callOutput.ts')).callOutput(host, query),
  tools: async (host, { sessionId }) =>
    (await import('../authoring/toolList.ts')).listTools(host, sessionId),
  serverAction: async (host, query) =>
    (await import('../authoring/toolList.ts')).actOnServer(host, query),
  serverContent: async (host, { sessionId }) =>
    (await import('../authoring/serverContent.ts')).listContent(host, sessionId),
  readContent: async (host, query) =>
    (await import('../authoring/serverContent.ts')).readContent(host, query),
  completeContent: async (host, query) =>
    (await import('../authoring/serverContent.ts')).completeContent(host, query),
  newTool: async (host, tool) =>
    (await import('../authoring/toolAuthoring.ts')).newTool(host, tool),
  tryTool: async (host, call) =>
    (await import('../authoring/toolAuthoring.ts')).tryTool(host, call),
  history: ({ sessions }, query) => sessions.history(query),
  updateSession,
  clearSessions: async (host, query) =>
    (await import('../session/stored/deleteSessions.ts')).clearStored(host, query),
  searchSessions: async ({ services }, query) =>
    (await import('../session/stored/searchSessions.ts')).searchSessions(services, query),
  forkSession: fork,
  rewind: rewindSession,
  unrewind: (host, { sessionId }) => unrewindSession(host, sessionId),
  exportSession: async (host, query) =>
    (await import('../session/stored/transferSession.ts')).exportStored(host, query),
  importSession: async (host, query) =>
    (await import('../session/stored/transferSession.ts')).importStored(host, query),
  continue: ({ sessions }, { sessionId }) => sessions.get(sessionId).continueTurn(),
  compact: ({ sessions }, { sessionId }) => sessions.get(sessionId).compact(),
  retryNow: ({ services }, { sessionId }) => {
    services.retryNow.fire(sessionId);
    return {};
  },
  waitingSessions: ({ services }, { cwd }) => ({
    sessionIds: services.recorder.waitingSessions(cwd),
  }),
  queue: ({ sessions }, { sessionId }) => sessions.get(sessionId).prompts.listed,
  removeQueued: ({ sessions }, { sessionId, id, withAttachments }) => {
    const removed = sessions.get(sessionId).prompts.remove(id);
    if (removed === undefined) return { changed: false };
    return { changed: true, ...(withAttachments && { attachments: removed }) };
  },
  moveQueued: ({ sessions }, { sessionId, id, before }) => ({
    changed: sessions.get(sessionId).prompts.move(id, before),
  }),
  steer: ({ sessions }, { sessionId, queueId }) => ({
    changed: sessions.get(sessionId).prompts.steer(queueId),
  }),
  resumeQueue: ({ sessions }, { sessionId }) => ({
    changed: sessions.get(sessionId).prompts.resume(),
  }),
  review: ({ sessions }, { sessionId }) => sessions.get(sessionId).review.ask(),
  revert: async (host, { sessionId, toolCallId }) => {
    const { review } = host.sessions.get(findOpen(host, sessionId));
    const reverted = await review.revert(toolCallId, sessionId);
    if (reverted.ok) return reverted.data;
    throw RequestError.invalidParams({ toolCallId }, reverted.error);
  },
  unreviewed: ({ sessions }, { sessionId, path }) =>
    sessions.get(sessionId).review.unreviewed.texts(path),
  resolveChanges: async ({ sessions }, { sessionId, decision, files }) => {
    const resolved = await sessions.get(sessionId).review.resolve(decision, files);
    if (resolved.ok) return resolved.data;
    throw RequestError.invalidParams({ sessionId }, resolved.error);
  },
  models: async ({ services }, query) =>
    (await import('../modelRequests/listModels.ts')).listModels(services, query),
  tryModel: async ({ services }, query) =>
    (await import('../modelRequests/tryModel.ts')).tryModel(services, query),
  languageModelPart: async ({ services }, part) => {
    await (await services.models()).answers.receive(part);
    return {};
  },
  editQueued: ({ sessions }, { sessionId, id, text }) => ({
    changed: sessions.get(sessionId).prompts.edit(id, text),
  }),
};

function accept({ services }: OpenHost, { path, hash, accepted }: Acceptance): object {
  const { acceptances, configuration } = services;
  acceptances.accept(path, hash, accepted);
  configuration.refresh();
  keepAccepted(configuration, acceptances, path);
  return {};
}

function dropRule({ services, sessions }: OpenHost, { rule, sessionId, file }: DropRule): object {
  if (sessionId !== undefined) sessions.get(sessionId).dropRule(rule);
  services.rules.drop(rule, file);
  return {};
}

async function importRules({ services }: OpenHost, query: ImportQuery): Promise<ImportPreview> {
  const { client, data, env } = services;
  const configuration = services.configuration.current(query.folder ?? data.scratch);
  const trusted = isTrusted(configuration, client.facts.configure);
  const { previewImport } = await import('../imported/previewImport.ts');
  return previewImport({ env, configuration, trusted }, query);
}

async function terminalInput({ services }: OpenHost, input: TerminalInput): Promise<object> {
  const runtimes = await services.runtimes();
  const outcome = await runtimes.input(input);
  if (outcome.ok) return {};
  throw RequestError.invalidParams({ terminalId: input.terminalId }, outcome.error);
}

/** The session itself, or the open one that started it: a subagent is closed once it has answered. */
function findOpen({ sessions, services }: OpenHost, sessionId: string): string {
  const seen = new Set<string>();
  let id: string | undefined = sessionId;
  while (id !== undefined && !seen.has(id)) {
    if (sessions.find(id) !== undefined) return id;
    seen.add(id);
    id = services.recorder.session(id)?.parent;
  }
  return sessionId;
}
