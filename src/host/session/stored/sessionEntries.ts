import {
  type ListSessionsRequest,
  type ListSessionsResponse,
  RequestError,
} from '@agentclientprotocol/sdk';
import { toMeta } from '../../../acp/gatehouse/parse.ts';
import {
  type ListedState,
  readSessionListMeta,
  type SessionEdit,
  type SessionEntry,
  type SessionInfoMeta,
} from '../../../acp/gatehouse/sessionList.ts';
import { orInvalidParams } from '../../../acp/invalidParams.ts';
import { getMessage } from '../../../base/faults.ts';
import { removePartial } from '../../../recorder/library/removeSession.ts';
import { readStoredState } from '../../../recorder/library/storedState.ts';
import type { Recorder, RecorderStore } from '../../../recorder/recorder.ts';
import type { SessionPage, StoredSession } from '../../../recorder/records.ts';
import type { OpenHost } from '../openHost.ts';
import type { SessionStatus } from '../sessionStatus.ts';

/** Sessions on one page of `session/list`. */
const PAGE = 50;

/** `session/list`: pinned sessions first, then the newest; archived ones if the client asks for them. */
export function listSessions(host: OpenHost, request: ListSessionsRequest): ListSessionsResponse {
  const { cwd, cursor } = request;
  const { archived = false } = readListMeta(request);
  removeLeftovers(host);
  const page = readPage(host.services.recorder, {
    ...{ limit: PAGE, archived },
    ...(cwd == null ? {} : { cwd }),
    ...(cursor == null ? {} : { cursor }),
  });
  return {
    sessions: page.sessions.map((session) => ({
      sessionId: session.id,
      cwd: session.cwd,
      updatedAt: new Date(session.updatedAt).toISOString(),
      ...(session.title === undefined ? {} : { title: session.title }),
      ...toMeta(toInfo(host, session)),
    })),
    ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
  };
}

const readListMeta = orInvalidParams(readSessionListMeta);

function readPage(recorder: Recorder, query: Parameters<Recorder['listSessions']>[0]): SessionPage {
  try {
    return recorder.listSessions(query);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw RequestError.invalidParams({ cursor: query.cursor }, error.message);
  }
}

/** Renames, pins or archives a session. Throws -32002 for one that is not stored. */
export function updateSession(host: OpenHost, edit: SessionEdit): SessionEntry {
  const { recorder } = host.services;
  const { sessionId, pinned, archived } = edit;
  getStored(host, sessionId);
  const title = edit.title?.replace(/\s+/g, ' ').trim();
  if (title !== undefined) setTitle(host, sessionId, title);
  if (pinned !== undefined) recorder.setPinned(sessionId, pinned);
  if (archived !== undefined) recorder.setArchived(sessionId, archived);
  host.services.sessionsChanged();
  const session = getStored(host, sessionId);
  return { ...toInfo(host, session), sessionId, cwd: session.cwd };
}

function setTitle({ services, sessions }: OpenHost, sessionId: string, title: string): void {
  const open = sessions.find(sessionId);
  if (open === undefined) {
    services.recorder.setTitle(sessionId, title);
    return;
  }
  open.setTitle(title);
  services.client
    .update(sessionId, { sessionUpdate: 'session_info_update', title })
    .catch((error) => services.warn(getMessage(error)));
}

/** Deletes once for each host what killed ones left of sessions that they copied, imported or deleted. */
function removeLeftovers({ services }: OpenHost): void {
  const { store } = services.recorder;
  if (cleaned.has(store)) return;
  cleaned.add(store);
  removePartial(store).catch((error) => services.warn(getMessage(error)));
}

const cleaned = new WeakSet<RecorderStore>();

/** The stored session. Throws -32002 when there is none. */
export function getStored({ services }: OpenHost, sessionId: string): StoredSession {
  const session = services.recorder.session(sessionId);
  if (session === undefined) throw RequestError.resourceNotFound(sessionId);
  return session;
}

/** Throws a request error that says what the session is doing, unless it is idle. */
export function requireIdle(host: OpenHost, sessionId: string): void {
  getStored(host, sessionId);
  const reason = BUSY[readState(host, sessionId)];
  if (reason !== undefined) throw RequestError.invalidParams({ sessionId }, reason);
}

const BUSY: Readonly<Record<ListedState, string | undefined>> = {
  idle: undefined,
  busy: 'The session is running a turn. Nothing was changed; wait for it to finish, or stop it.',
  retrying:
    'The session waits to repeat a request to the model. Nothing was changed; wait for it, or stop it.',
  waiting_permission:
    'The session waits for your approval. Nothing was changed; answer the request first, or stop the turn.',
  waiting_question:
    'The session waits for your answer. Nothing was changed; answer the question first, or stop the turn.',
};

function toInfo(host: OpenHost, session: StoredSession): SessionInfoMeta {
  const { forked_from: from } = session.metadata;
  const parentId = typeof from === 'string' ? from : session.parent;
  return {
    v: 1,
    state: readState(host, session.id),
    ...(session.title === undefined ? {} : { title: session.title }),
    pinned: session.pinned,
    archived: session.archived,
    updatedAt: session.updatedAt,
    ...(parentId === undefined ? {} : { parentId }),
  };
}

function readState({ services, sessions }: OpenHost, sessionId: string): ListedState {
  const status = sessions.find(sessionId)?.status ?? 'idle';
  if (status !== 'idle') return STATES[status];
  return readStoredState(services.recorder.store, sessionId);
}

const STATES: Readonly<Record<Exclude<SessionStatus, 'idle'>, ListedState>> = {
  busy: 'busy',
  retrying: 'retrying',
  waiting_on_approval: 'waiting_permission',
  waiting_on_user_input: 'waiting_question',
};
