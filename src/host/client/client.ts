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
  /** It shows the state of the sandbox. */
  readonly sandbox: boolean;
  /** It offers the user that commands run in a copy. */
  readonly sandboxOffer: boolean;
  /** It supports our extension, so it can show many "always" choices. */
  readonly gatehouse: boolean;
}

/** The client on the other end of one connection. */
export interface Client {
  readonly facts: ClientFacts;
  update(sessionId: string, update: SessionUpdate): Promise<void>;
  /** For everything except updates. Flushes held-back updates first, so that the client sees events in order. */
  readonly peer: Pick<AgentContext, 'request' | 'notify'>;
  /** Registers `show`, which publishes held-back updates before anything else is sent, until disposed. */
  holdBack(show: () => void): Disposable;
}

/**
 * Asks the user through the client, which is told to cancel once the signal aborts. Rejects when the client answers with an error. A lost connection is
 * no answer: the request then stays open until the signal aborts, so that it can be asked again.
 */
export async function requestAnswer<
  Method extends 'session/request_permission' | 'elicitation/create',
>(
  { peer }: Pick<Client, 'peer'>,
  method: Method,
  params: ClientRequestParamsByMethod[Method],
  signal: AbortSignal,
): Promise<ClientRequestResponsesByMethod[Method]> {
  try {
    return await peer.request(method, params, {
      cancellationSignal: signal,
      stopWaitingOnCancel: true,
    });
  } catch (error) {
    if (error instanceof RequestError) throw error;
    await aborted(signal);
    throw error;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
}

export function createClient(peer: Client['peer'], request: InitializeRequest): Client {
  const held = new Set<() => void>();
  return {
    facts: toFacts(request),
    // Flush pending updates first: the caller is about to send something.
    get peer() {
      for (const show of held) show();
      return peer;
    },
    holdBack(show) {
      held.add(show);
      return { dispose: () => void held.delete(show) };
    },
    update: (sessionId, update) => peer.notify('session/update', { sessionId, update }),
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
    sandbox: own?.sandbox === true,
    sandboxOffer: own?.sandbox === true && own.sandboxOffer === true,
    gatehouse: own !== undefined,
  };
}
