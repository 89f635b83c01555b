import { isDeepStrictEqual } from 'node:util';
import {
  type AgentContext,
  type ClientRequestParamsByMethod,
  type ClientRequestResponsesByMethod,
  type InitializeRequest,
  RequestError,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import type { ClientView } from '../../acp/clientView.ts';
import { readClientExtensions } from '../../acp/gatehouse/capabilities.ts';
import type { Disposable } from '../../base/disposable.ts';
import { type Asking, createMoves } from './moves.ts';

/** The capabilities that the client advertised. Others are never used. */
export interface ClientFacts extends ClientView {
  readonly name: string | undefined;
  readonly readTextFile: boolean;
  readonly writeTextFile: boolean;
  /** ACP's own `terminal/*`. */
  readonly clientTerminals: boolean;
  /** Panes that show the host's own child processes. */
  readonly terminalView: boolean;
  readonly form: boolean;
  readonly configure: boolean;
  readonly secret: boolean;
  readonly saveRule: boolean;
  readonly problems: boolean;
  readonly documents: boolean;
  /** It mirrors the queue of each session. */
  readonly queue: boolean;
  /** It shows that a queue is paused, and resumes it. */
  readonly resumeQueue: boolean;
  /** It shows reviews of several calls' changes. */
  readonly review: boolean;
  /** It continues turns that broke off. */
  readonly continue: boolean;
  /** It shows changes that are on disk and await a review. */
  readonly unreviewed: boolean;
  /** It shows the tools. */
  readonly toolChanges: boolean;
  /** It lists the stored sessions. */
  readonly sessions: boolean;
  /** It shows the state of the sandbox. */
  readonly sandbox: boolean;
  /** It offers the user that commands run in a copy. */
  readonly sandboxOffer: boolean;
  /** It serves the editor's language models. */
  readonly languageModels: boolean;
  /** It asks the user for values that MCP servers need. */
  readonly serverInput: boolean;
  /** It serves the tools of the editor's other extensions. */
  readonly editorTools: boolean;
  /** It answers questions about code by the editor's language features. */
  readonly language: boolean;
  /** It opens pages in the user's browser, and stores what a sign-in left. */
  readonly signIn: boolean;
  /** It supports our extension, so it can show many "always" choices. */
  readonly gatehouse: boolean;
}

/** The client of the host, on the newest connection. */
export interface Client {
  readonly facts: ClientFacts;
  /** A lost connection is not an error: what was recorded is replayed to the next one (spec CS-78). */
  update(sessionId: string, update: SessionUpdate): Promise<void>;
  /** For everything except updates. Flushes held-back updates first, so that the client sees events in order. */
  readonly peer: Pick<AgentContext, 'request' | 'notify'>;
  /** Registers `show`, which publishes held-back updates before anything else is sent, until disposed. */
  holdBack(show: () => void): Disposable;
  /** Call when the client has opened the session: what is asked there moves to the newest connection. */
  opened(sessionId: string): void;
  /** Where the user of the session is asked at the moment. */
  asking(sessionId: string): Asking;
}

/** The client, which may come back on another connection to the same process. */
export interface ReconnectingClient extends Client {
  /** Uses this connection from now on. False if its client has other capabilities. */
  reconnect(peer: Client['peer'], request: InitializeRequest): boolean;
}

/**
 * Asks the user through the client, which is told to cancel once the signal aborts. Rejects when the client answers with an error. A lost connection is
 * no answer: the request then stays open until the signal aborts, or until a newer connection has opened
 * the session, which is asked again.
 */
export async function requestAnswer<
  Method extends 'session/request_permission' | 'elicitation/create',
>(
  client: Pick<Client, 'peer' | 'asking'>,
  method: Method,
  params: ClientRequestParamsByMethod[Method],
  signal: AbortSignal,
): Promise<ClientRequestResponsesByMethod[Method]> {
  for (;;) {
    const { ready, moved } = client.asking(getSessionId(params));
    const either = AbortSignal.any([signal, moved]);
    try {
      if (ready) {
        const options = { cancellationSignal: either, stopWaitingOnCancel: true };
        return await client.peer.request(method, params, options);
      }
      await aborted(either);
    } catch (error) {
      if (signal.aborted) throw error;
      if (!moved.aborted && error instanceof RequestError) throw error;
      await aborted(either);
    }
    signal.throwIfAborted();
  }
}

/** Forms that belong to no session stay on their connection. */
function getSessionId(params: object): string {
  return 'sessionId' in params && typeof params.sessionId === 'string' ? params.sessionId : '';
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
}

export function createClient(
  first: Client['peer'],
  request: InitializeRequest,
): ReconnectingClient {
  const held = new Set<() => void>();
  const facts = toFacts(request);
  const moves = createMoves();
  let peer = first;
  return {
    facts,
    // Flush pending updates first: the caller is about to send something.
    get peer() {
      for (const show of held) show();
      return peer;
    },
    holdBack(show) {
      held.add(show);
      return { dispose: () => void held.delete(show) };
    },
    update: (sessionId, update) =>
      peer.notify('session/update', { sessionId, update }).catch(() => undefined),
    opened: moves.opened,
    asking: moves.asking,
    reconnect(newer, params) {
      const { name: _, ...wanted } = toFacts(params);
      const { name: __, ...had } = facts;
      if (!isDeepStrictEqual(wanted, had)) return false;
      peer = newer;
      moves.next();
      return true;
    },
  };
}

function toFacts({ clientCapabilities, clientInfo }: InitializeRequest): ClientFacts {
  const own = readClientExtensions(clientCapabilities);
  const terminalView = own !== undefined && own.terminal !== false;
  const clientTerminals = clientCapabilities?.terminal === true;
  return {
    name: clientInfo?.name,
    readTextFile: clientCapabilities?.fs?.readTextFile === true,
    writeTextFile: clientCapabilities?.fs?.writeTextFile === true,
    clientTerminals,
    terminalView,
    terminals: terminalView || clientTerminals,
    form: Boolean(clientCapabilities?.elicitation?.form),
    notices: Boolean(clientCapabilities?.session?.notices),
    compaction: Boolean(clientCapabilities?.session?.compaction),
    configure: own?.configure === true,
    secret: own?.secret === true,
    saveRule: own?.saveRule === true,
    problems: own?.problems === true,
    documents: own?.documents === true,
    queue: own?.queue === true,
    resumeQueue: own?.resumeQueue === true,
    review: own?.review === true,
    continue: own?.continue === true,
    unreviewed: own?.unreviewed === true,
    toolChanges: own?.toolChanges === true,
    sessions: own?.sessions === true,
    sandbox: own?.sandbox === true,
    sandboxOffer: own?.sandbox === true && own.sandboxOffer === true,
    languageModels: own?.languageModels === true,
    serverInput: own?.serverInput === true,
    editorTools: own?.editorTools === true,
    language: own?.language === true,
    signIn: own?.secret === true && own.signIn === true,
    gatehouse: own !== undefined,
  };
}
