import path from 'node:path';
import {
  type ContentBlock,
  type ListSessionsRequest,
  type ListSessionsResponse,
  type LoadSessionRequest,
  type LoadSessionResponse,
  type NewSessionRequest,
  type NewSessionResponse,
  type PromptResponse,
  RequestError,
  type ResumeSessionRequest,
  type SetSessionConfigOptionRequest,
  type SetSessionConfigOptionResponse,
} from '@agentclientprotocol/sdk';
import { readSessionMeta, type SessionMeta } from '../../acp/gatehouse/session.ts';
import { orInvalidParams } from '../../acp/invalidParams.ts';
import { findPromptFault } from '../../acp/prompt.ts';
import { replay } from '../../acp/replay.ts';
import type { StoredSession } from '../../recorder/records.ts';
import type { HostServices } from '../services/hostServices.ts';
import { Session } from './session.ts';
import type { OpenDriver } from './turn/driver.ts';
import { toBadPrompt, toRequestError } from './turn/promptError.ts';

/** The agent that answers when a session names none. */
const BUILT_IN_AGENT = 'gatehouse';
/** Sessions on one page of `session/list`. */
const PAGE = 50;

/** Loaded after the handshake, before it is needed: the loop and the tools are the heavy half of the host. */
const openBuiltIn: OpenDriver = async (services, session) => {
  const { openBuiltInDriver } = await import('./turn/builtInDriver.ts');
  return openBuiltInDriver(services, session);
};

/** The open sessions of one connection, by ACP's lifecycle methods (CS-66). */
export class Sessions {
  readonly #services: HostServices;
  readonly #openDriver: OpenDriver;
  readonly #open = new Map<string, Session>();

  constructor(services: HostServices, openDriver: OpenDriver = openBuiltIn) {
    this.#services = services;
    this.#openDriver = openDriver;
  }

  create(request: NewSessionRequest): NewSessionResponse {
    requireAbsolute(request.cwd);
    const meta = readMeta(request);
    const stored = this.#services.recorder.createSession({
      agent: BUILT_IN_AGENT,
      cwd: request.cwd,
    });
    const session = this.#attach(stored, request, meta);
    return { sessionId: session.id, configOptions: session.configOptions() };
  }

  /** Sends the whole history as updates, then answers. */
  async load(request: LoadSessionRequest): Promise<LoadSessionResponse> {
    const session = this.#reopen(request);
    const { recorder, client } = this.#services;
    // All at once, so that what a running turn says meanwhile comes after it (CS-78).
    const updates = [...replay(recorder.messages(session.id), client.facts)];
    await Promise.all(updates.map((update) => client.update(session.id, update)));
    if (session.title !== undefined) {
      const { title } = session;
      await client.update(session.id, { sessionUpdate: 'session_info_update', title });
    }
    return { configOptions: session.configOptions() };
  }

  /** Attaches without replay. */
  resume(request: ResumeSessionRequest): LoadSessionResponse {
    return { configOptions: this.#reopen(request).configOptions() };
  }

  list({ cwd, cursor }: ListSessionsRequest): ListSessionsResponse {
    const page = this.#services.recorder.listSessions({
      limit: PAGE,
      ...(cwd == null ? {} : { cwd }),
      ...(cursor == null ? {} : { cursor }),
    });
    return {
      sessions: page.sessions.map(toInfo),
      ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
    };
  }

  /** Rejects an attachment that cannot be accepted before anything waits for it or is stored. */
  async prompt(sessionId: string, blocks: readonly ContentBlock[]): Promise<PromptResponse> {
    const fault = findPromptFault(blocks);
    if (fault !== undefined) throw toRequestError(toBadPrompt(fault));
    return this.get(sessionId).prompt(blocks);
  }

  /** A session that is not open has nothing to cancel. */
  cancel(sessionId: string): void {
    this.#open.get(sessionId)?.cancel();
  }

  /** Drops the handle and keeps the rows. */
  async close(sessionId: string): Promise<void> {
    const session = this.get(sessionId);
    this.#open.delete(sessionId);
    await session.close();
  }

  async setConfigOption(
    request: SetSessionConfigOptionRequest,
  ): Promise<SetSessionConfigOptionResponse> {
    const session = this.get(request.sessionId);
    if (!session.setConfigOption(request.configId, request.value)) {
      throw RequestError.invalidParams({ configId: request.configId, value: request.value });
    }
    return { configOptions: session.configOptions() };
  }

  /** The open session; -32002 when there is none of that id. */
  get(sessionId: string): Session {
    const session = this.#open.get(sessionId);
    if (session === undefined) throw RequestError.resourceNotFound(sessionId);
    return session;
  }

  /** Loads what the first turn needs, while the user is still typing. */
  async preload(): Promise<void> {
    await Promise.all([import('./turn/builtInDriver.ts'), this.#services.runtimes()]);
  }

  all(): readonly Session[] {
    return [...this.#open.values()];
  }

  #reopen(request: ResumeSessionRequest): Session {
    const { recorder } = this.#services;
    const known = this.#open.get(request.sessionId);
    if (known !== undefined) return known;
    const stored = recorder.session(request.sessionId);
    if (stored === undefined) throw RequestError.resourceNotFound(request.sessionId);
    const meta = readMeta(request);
    // What a dead host left open is closed before anything is shown or run (CS-80).
    recorder.closeOrphans(stored.id);
    return this.#attach(stored, request, meta);
  }

  #attach(
    stored: StoredSession,
    request: NewSessionRequest | ResumeSessionRequest,
    { approval }: SessionMeta,
  ): Session {
    const session = new Session(this.#services, stored, {
      additionalDirectories: (request.additionalDirectories ?? []).filter((each) =>
        path.isAbsolute(each),
      ),
      approval,
      openDriver: this.#openDriver,
    });
    this.#open.set(session.id, session);
    return session;
  }
}

const readMeta = orInvalidParams(readSessionMeta);

function requireAbsolute(cwd: string): void {
  if (!path.isAbsolute(cwd)) throw RequestError.invalidParams({ cwd: 'It must be absolute.' });
}

function toInfo(session: StoredSession): ListSessionsResponse['sessions'][number] {
  return {
    sessionId: session.id,
    cwd: session.cwd,
    updatedAt: new Date(session.updatedAt).toISOString(),
    ...(session.title === undefined ? {} : { title: session.title }),
  };
}
