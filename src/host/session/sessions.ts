import {
  type LoadSessionRequest,
  type LoadSessionResponse,
  type NewSessionRequest,
  type NewSessionResponse,
  type PromptRequest,
  type PromptResponse,
  RequestError,
  type ResumeSessionRequest,
  type SessionUpdate,
  type SetSessionConfigOptionRequest,
  type SetSessionConfigOptionResponse,
  type SetSessionModeRequest,
  type SetSessionModeResponse,
} from '@agentclientprotocol/sdk';
import type { HistoryPage, HistoryQuery } from '../../acp/gatehouse/history.ts';
import { toMeta } from '../../acp/gatehouse/parse.ts';
import {
  readPromptMeta,
  readSessionLoadQuery,
  type SessionLoadMeta,
} from '../../acp/gatehouse/session.ts';
import { orInvalidParams } from '../../acp/invalidParams.ts';
import { findPromptFault } from '../../acp/prompt.ts';
import { replay } from '../../acp/replay.ts';
import { BUILT_IN_AGENT } from '../../agentDefinitions/builtIn.ts';
import { systemClock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { getMessage } from '../../base/faults.ts';
import { canUnrewind } from '../../recorder/library/rewind.ts';
import type { StoredSession } from '../../recorder/records.ts';
import type { HostServices } from '../services/hostServices.ts';
import { type Agents, createAgents, getDefaultAgent, pickAgent } from './agents/agents.ts';
import { noteShown } from './noteShown.ts';
import { Session } from './session.ts';
import { parseStart, parseTerms, type SessionStart, type SessionTerms } from './start.ts';
import { tellLostTasks } from './tasks/completion.ts';
import type { ChildOpener } from './tasks/startingSession.ts';
import type { OpenDriver } from './turn/driver.ts';
import { toBadPrompt, toRequestError } from './turn/promptError.ts';
import { Replays, sendAtOnce } from './turn/replays.ts';

export interface SessionParts {
  readonly services: HostServices;
  readonly agents: Agents;
  /** Prepares the driver that runs the session's turns. */
  readonly openDriver: OpenDriver;
  /** The open session with this id. */
  find(sessionId: string): Session | undefined;
  /** Opens the sessions of subagents. */
  readonly children: ChildOpener;
}

/** Loaded lazily: the loop and the tools are the slowest part of the host to load. */
const openBuiltIn: OpenDriver = async (services, session) => {
  const { openBuiltInDriver } = await import('./turn/builtInDriver.ts');
  return openBuiltInDriver(services, session);
};

/** The open sessions of one connection, with ACP's lifecycle methods (spec CS-66). */
export class Sessions {
  readonly #parts: SessionParts;
  readonly #open = new Map<string, Session>();
  readonly #replays: Replays;
  #preloading: Disposable | undefined;

  constructor(services: HostServices, openDriver: OpenDriver = openBuiltIn) {
    const find = (sessionId: string) => this.#open.get(sessionId);
    const children: ChildOpener = {
      start: (start, own) => this.start(start, own),
      close: (sessionId) => this.close(sessionId),
    };
    this.#replays = new Replays(services);
    this.#parts = { services, openDriver, agents: createAgents(services), find, children };
  }

  async create(request: NewSessionRequest): Promise<NewSessionResponse> {
    const session = await this.start(parseStart(request));
    return { sessionId: session.id, ...(await session.choices()) };
  }

  /** Starts a session as an agent. Rejects with a request error that lists the agents when the name is unknown. */
  async start(start: SessionStart, services = this.#parts.services): Promise<Session> {
    const { cwd, parent, parentMessage, approval, task } = start;
    const agent = await this.#findAgent(start);
    const stored = services.recorder.createSession({
      ...{ agent, cwd, metadata: { approval, ...(task && { task }) } },
      ...(parent === undefined ? {} : { parent }),
      ...(parentMessage === undefined ? {} : { parentMessage }),
    });
    const session = this.#attach(stored, start, services);
    await session.loadAgent();
    services.sessionsChanged();
    return session;
  }

  /** Sends the history as updates, or the part of it that the client wants first, then answers. */
  async load(request: LoadSessionRequest): Promise<LoadSessionResponse> {
    const { tail } = readSessionLoadQueryOrRefuse(request);
    const session = this.#reopen(request);
    const { recorder, client } = this.#parts.services;
    const page = tail === undefined ? undefined : recorder.messagePage(session.id, { limit: tail });
    const before = page?.ok ? page.data.before : undefined;
    if (page?.ok) await sendAtOnce(client, session.id, page.data.messages);
    else await this.#replays.run(session);
    if (session.title !== undefined) {
      const { title } = session;
      await client.update(session.id, { sessionUpdate: 'session_info_update', title });
    }
    return this.#afterReopen(session, before);
  }

  /** Attaches without replay. */
  resume(request: ResumeSessionRequest): Promise<LoadSessionResponse> {
    return this.#afterReopen(this.#reopen(request));
  }

  /** One page of the history that `load` would send. The session may be open or only stored. */
  history({ sessionId, ...query }: HistoryQuery): HistoryPage {
    const { recorder, client } = this.#parts.services;
    if (recorder.session(sessionId) === undefined) throw RequestError.resourceNotFound(sessionId);
    const page = recorder.messagePage(sessionId, query);
    if (!page.ok) throw RequestError.invalidParams({ before: page.error }, page.error);
    const { messages, before } = page.data;
    return {
      updates: [...replay(messages, client.facts)].map((update) => ({ ...update })),
      ...(before === undefined ? {} : { before }),
    };
  }

  /** Rejects attachments that cannot be accepted, before the prompt is queued or stored. */
  async prompt(request: PromptRequest, withdrawn?: AbortSignal): Promise<PromptResponse> {
    const { sessionId, prompt } = request;
    const { queueId } = readPromptMetaOrRefuse(request);
    const fault = findPromptFault(prompt);
    if (fault !== undefined) throw toRequestError(toBadPrompt(fault));
    const { search, sessionsChanged } = this.#parts.services;
    const session = this.get(sessionId);
    if (session.parent !== undefined) throw RequestError.invalidParams({ sessionId }, NOT_AGAIN);
    // What the answer says comes after the history that is being sent.
    const sent = this.#replays.ended(sessionId);
    if (sent !== undefined && !(await sent)) return { stopReason: 'cancelled' };
    // It may have been closed meanwhile.
    if (this.#open.get(sessionId) !== session) throw RequestError.resourceNotFound(sessionId);
    const turn = session.prompt(prompt, queueId, withdrawn);
    sessionsChanged();
    try {
      return await turn;
    } finally {
      sessionsChanged();
      search.later();
    }
  }

  /** Does nothing when the session is not open. */
  cancel(sessionId: string): void {
    this.#replays.cancelWaiting(sessionId);
    this.#open.get(sessionId)?.cancel();
  }

  /** Closes the session; its stored rows stay. */
  async close(sessionId: string): Promise<void> {
    const session = this.get(sessionId);
    this.#open.delete(sessionId);
    await session.close();
  }

  /**
   * Leaves every session when the host ends, so that none is found after its database is closed.
   * Resolves with how each ended.
   */
  leaveAll(): Promise<readonly PromiseSettledResult<unknown>[]> {
    this.#preloading?.dispose();
    const open = this.all();
    this.#open.clear();
    return Promise.allSettled(open.map((session) => session.leave()));
  }

  async setConfigOption(
    request: SetSessionConfigOptionRequest,
  ): Promise<SetSessionConfigOptionResponse> {
    const session = this.get(request.sessionId);
    const { configId, value } = request;
    const fault = await session.setConfigOption(configId, value);
    if (fault !== undefined) throw RequestError.invalidParams({ configId, value }, fault);
    const { configOptions, modes } = await session.choices();
    if (configId === 'agent') {
      const { currentModeId } = modes;
      await this.#announce(session.id, { sessionUpdate: 'current_mode_update', currentModeId });
    }
    return { configOptions };
  }

  /** A mode is an agent (spec CS-66). */
  async setMode({ sessionId, modeId }: SetSessionModeRequest): Promise<SetSessionModeResponse> {
    const session = this.get(sessionId);
    const fault = await session.setConfigOption('agent', modeId);
    if (fault !== undefined) throw RequestError.invalidParams({ modeId }, fault);
    const { configOptions } = await session.choices();
    await this.#announce(sessionId, { sessionUpdate: 'config_option_update', configOptions });
    return {};
  }

  /** The option is set already, so an update that can't be sent must not fail its request. */
  async #announce(sessionId: string, update: SessionUpdate): Promise<void> {
    const { client, warn } = this.#parts.services;
    await client.update(sessionId, update).catch((fault) => warn(getMessage(fault)));
  }

  /** The open session. Throws -32002 when no session with that id is open. */
  get(sessionId: string): Session {
    const session = this.#open.get(sessionId);
    if (session === undefined) throw RequestError.resourceNotFound(sessionId);
    return session;
  }

  /** The open session; undefined when no session with that id is open. */
  find(sessionId: string): Session | undefined {
    return this.#open.get(sessionId);
  }

  /** Loads what the first turn needs, while the user is still typing, but not while the window draws what was opened. */
  preload(): void {
    const { runtimes, warn } = this.#parts.services;
    this.#preloading ??= systemClock.after(DRAWING_MS, () => {
      Promise.all([import('./turn/builtInDriver.ts'), runtimes()]).catch((fault) =>
        warn(String(fault)),
      );
    });
  }

  all(): readonly Session[] {
    return [...this.#open.values()];
  }

  #reopen(request: ResumeSessionRequest): Session {
    const { recorder } = this.#parts.services;
    const stored = recorder.session(request.sessionId);
    const terms = parseTerms(request, stored?.metadata['approval']);
    const known = this.#open.get(request.sessionId);
    if (known !== undefined) return known;
    if (stored === undefined) throw RequestError.resourceNotFound(request.sessionId);
    if (stored.cwd === '') throw RequestError.invalidParams({ sessionId: stored.id }, NO_FOLDER);
    // Calls that a crashed host left open are closed before anything is replayed or run (spec CS-80).
    recorder.closeOrphans(stored.id);
    tellLostTasks(recorder, stored.id);
    return this.#attach(stored, terms);
  }

  /** A missing agent must not block the history: the next prompt reports it. */
  async #afterReopen(session: Session, before?: string): Promise<LoadSessionResponse> {
    if (session.status === 'idle') await session.loadAgent();
    await session.checkApproval();
    const { unfinished } = session;
    const { recorder } = this.#parts.services;
    const meta: SessionLoadMeta = {
      ...(unfinished && { unfinished }),
      ...(before !== undefined && { before }),
      ...(canUnrewind(recorder.store, session.id) && { rewound: true }),
    };
    return {
      ...(await session.choices()),
      ...(Object.keys(meta).length > 0 && toMeta(meta)),
    };
  }

  #attach(stored: StoredSession, terms: SessionTerms, services = this.#parts.services): Session {
    const session = new Session({ ...this.#parts, services }, stored, terms);
    this.#open.set(session.id, session);
    if (stored.parent === undefined) noteShown(services, session.id);
    return session;
  }

  /** The name of an agent that can be started with these terms. */
  async #findAgent({ agent, parent, ...start }: SessionStart): Promise<string> {
    const { agents, services } = this.#parts;
    const { client, configuration, env } = services;
    const name = agent ?? getDefaultAgent(env);
    // The built-in agent needs no file, so there is nothing to read.
    if (name === BUILT_IN_AGENT.name) return name;
    if (client.facts.configure) await configuration.ready();
    const scope = { ...start, configuration: () => configuration.current(start.cwd) };
    const picked = pickAgent(await agents.discover(scope), name, parent);
    if (!picked.ok) throw RequestError.invalidParams({ agent: name }, picked.error);
    return name;
  }
}

/** How long a window gets to draw a session that was opened, in milliseconds. */
const DRAWING_MS = 300;

const readPromptMetaOrRefuse = orInvalidParams(readPromptMeta);
const readSessionLoadQueryOrRefuse = orInvalidParams(readSessionLoadQuery);

/** Its limits are those of the session that started it, which may not be open (spec CS-34). */
const NOT_AGAIN =
  'This is the session of a subagent, which takes one task only. Write to the session that started it.';

const NO_FOLDER =
  "This session's own entry in the history was damaged, so its folder is unknown and it cannot go on. Its messages are kept and can be read.";
