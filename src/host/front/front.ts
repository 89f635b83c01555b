import * as acp from '@agentclientprotocol/sdk';
import type { Clock } from '../../base/clock.ts';
import { getMessage } from '../../base/faults.ts';
import type { Recorder } from '../../recorder/recorder.ts';
import { type Client, createClient, type ReconnectingClient } from '../client/client.ts';
import { toInitializeResponse } from './initialize.ts';
import { type LoadedHost, registerExtensions, type Ways } from './registerExtensions.ts';

/** The ACP agent app that editors connect to, with its lifetime. */
export interface Front {
  readonly app: acp.AgentApp;
  /** Ends the turns, their processes and the database. */
  dispose(): Promise<void>;
}

export interface FrontOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  /** For a locked history, and for what is done some time after the start. */
  readonly clock?: Clock;
  warn(message: string): void;
}

/**
 * Wires ACP's methods to the host. Only the SDK is loaded before `initialize` is answered; the rest
 * loads right after the answer, so that the first session does not wait for it.
 */
export function createFront(options: FrontOptions): Front {
  let client: ReconnectingClient | undefined;
  let opened: Promise<LoadedHost> | undefined;

  /** Opens the one host of the connection, on first use. */
  function open(): Promise<LoadedHost> {
    if (client === undefined) throw acp.RequestError.invalidRequest();
    opened ??= openHost(client, options).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  }

  const app = acp
    .agent({ name: 'gatehouse' })
    .onRequest('initialize', ({ params, client: peer }) => {
      // A client that comes back finds its sessions as they are, running turns too (spec CS-78).
      if (client === undefined) client = createClient(peer, params);
      else if (!client.reconnect(peer, params)) throw otherCapabilities();
      setImmediate(() => void open().catch((error) => options.warn(String(error))));
      return toInitializeResponse(options.version);
    });
  const ways: Ways = {
    open,
    toRead: async () => waitFor(await open(), ({ repaired }) => repaired()),
    toWrite: async () => waitFor(await open(), ({ free }) => free()),
  };
  registerSessions(app, ways);
  registerExtensions(app, ways);
  return {
    app,
    async dispose() {
      const host = await opened?.catch(() => undefined);
      if (host === undefined) return;
      host.stored.dispose();
      host.commands.dispose();
      const left = await host.sessions.leaveAll();
      await host.services.dispose();
      for (const each of left)
        if (each.status === 'rejected') options.warn(getMessage(each.reason));
    },
  };
}

function otherCapabilities(): acp.RequestError {
  return acp.RequestError.invalidRequest(
    undefined,
    'This host serves a client with other capabilities. Connect with the same ones, or start another host.',
  );
}

/** Loads all modules together, so that requests are handled in the order of their arrival. */
async function openHost(client: Client, options: FrontOptions): Promise<LoadedHost> {
  const [
    { openHostServices },
    { Sessions },
    { EXTENSION_METHODS: extensions },
    { publishCommands },
    stored,
  ] = await Promise.all([
    import('../services/hostServices.ts'),
    import('../session/sessions.ts'),
    import('./extensionMethods.ts'),
    import('./publishCommands.ts'),
    import('../session/stored/watchStored.ts'),
  ]);
  const services = openHostServices({
    ...{ client, env: options.env, warn: options.warn },
    ...(options.clock && { clock: options.clock }),
  });
  const host = { services, sessions: new Sessions(services) };
  const commands = publishCommands(host);
  return { ...host, extensions, commands, stored: stored.watchStored(host) };
}

async function waitFor(
  host: LoadedHost,
  wait: (recorder: Recorder) => Promise<void> | undefined,
): Promise<LoadedHost> {
  try {
    // Requests that need not wait keep their order.
    const waiting = wait(host.services.recorder);
    if (waiting !== undefined) await waiting;
  } catch (error) {
    const data = { kind: 'busy', retryable: true };
    throw new acp.RequestError(INTERNAL_ERROR, getMessage(error), data);
  }
  return host;
}

const INTERNAL_ERROR = -32603;

function registerSessions(app: acp.AgentApp, { open, toRead, toWrite }: Ways): void {
  app
    .onRequest('session/new', async ({ params }) => {
      const host = await toWrite();
      const reply = await host.sessions.create(params);
      afterReply(host, reply.sessionId);
      return reply;
    })
    .onRequest('session/load', async ({ params }) => {
      const host = await toWrite();
      const reply = await host.sessions.load(params);
      afterReply(host, params.sessionId);
      return reply;
    })
    .onRequest('session/resume', async ({ params }) => {
      const host = await toWrite();
      const reply = await host.sessions.resume(params);
      afterReply(host, params.sessionId);
      return reply;
    })
    .onRequest('session/list', async ({ params }) => {
      const host = await toRead();
      return (await import('../session/stored/sessionEntries.ts')).listSessions(host, params);
    })
    .onRequest('session/delete', async ({ params }) => {
      const host = await toWrite();
      return (await import('../session/stored/deleteSessions.ts')).deleteSession(
        host,
        params.sessionId,
      );
    })
    .onRequest('session/close', async ({ params }) =>
      (await open()).sessions.close(params.sessionId),
    )
    .onRequest('session/set_config_option', async ({ params }) =>
      (await toWrite()).sessions.setConfigOption(params),
    )
    .onRequest('session/set_mode', async ({ params }) => (await toWrite()).sessions.setMode(params))
    .onRequest('session/prompt', async ({ params, signal }) => {
      // The client may cancel the request itself; a closed connection is not an abort (spec CS-78).
      const withdrawn = new AbortController();
      const onAbort = () => isCancelledByClient(signal) && withdrawn.abort();
      signal.addEventListener('abort', onAbort, { once: true });
      return (await toRead()).sessions.prompt(params, withdrawn.signal);
    })
    .onNotification('session/cancel', async ({ params }) =>
      (await open()).sessions.cancel(params.sessionId),
    );
}

function isCancelledByClient({ reason }: AbortSignal): boolean {
  return reason instanceof acp.RequestError && reason.code === REQUEST_CANCELLED;
}

const REQUEST_CANCELLED = -32800;

/**
 * Clients drop updates of sessions that they do not know yet, so the available commands are sent after
 * the reply. Large modules load while the user is still typing.
 */
function afterReply({ services, sessions, commands }: LoadedHost, sessionId: string): void {
  const { client, warn } = services;
  setImmediate(() => {
    commands.opened(sessionId);
    // Changes that were not reviewed when the last host ended are asked about again.
    const session = sessions.find(sessionId);
    client.opened(sessionId);
    services.historyNotices.opened(sessionId);
    session?.review.open();
    session?.review.publishUnreviewed();
    if (session !== undefined) {
      const folders = [session.cwd, ...session.additionalDirectories];
      const told = services.runtimes().then(() => services.kept.tell(sessionId, folders));
      told.catch((error) => warn(getMessage(error)));
    }
    // Our own editor continues the turn itself, so that it can show it.
    if (!client.facts.continue) {
      session
        ?.continueWaiting()
        .catch((error) => warn(`The turn was not continued: ${getMessage(error)}`));
    }
    sessions.preload();
  });
}
