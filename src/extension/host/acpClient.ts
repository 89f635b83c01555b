import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import type { AcpConnection, ClientHandlers, HostMethods } from './acpTypes.ts';

/**
 * The ACP side of the extension: one client over one pair of streams. It is a bundle of its own,
 * loaded when the host is first started, because the SDK takes longer to load than all the rest.
 */
export function connect(
  stdin: Writable,
  stdout: Readable,
  handlers: ClientHandlers,
): AcpConnection {
  // The streams are Node's; their web forms differ only in the types of two libraries.
  const stream = acp.ndJsonStream(
    Writable.toWeb(stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(stdout) as ReadableStream<Uint8Array>,
  );
  return connectStream(stream, handlers);
}

/** The same over any ACP stream; tests connect an agent in the same process. */
function connectStream(stream: acp.Stream, handlers: ClientHandlers): AcpConnection {
  const connection = createApp(handlers).connect(stream);
  const { agent } = connection;
  return {
    closed: connection.closed,
    close: () => connection.close(),
    initialize: (params) => agent.request('initialize', params),
    newSession: (params) => agent.request('session/new', params),
    loadSession: (params) => agent.request('session/load', params),
    listSessions: (params) => agent.request('session/list', params),
    prompt: (params) => agent.request('session/prompt', params),
    cancel: (params) => agent.notify('session/cancel', params),
    call: <Method extends keyof HostMethods>(
      method: Method,
      params: HostMethods[Method]['params'],
    ) => agent.request<HostMethods[Method]['result']>(method, params),
  };
}

function createApp(handlers: ClientHandlers) {
  return acp
    .client({ name: 'gatehouse-vscode' })
    .onRequest('session/request_permission', ({ params, signal }) =>
      answer(() => handlers.requestPermission(params, signal)),
    )
    .onNotification('session/update', ({ params }) => handlers.sessionUpdate(params))
    .onRequest('elicitation/create', ({ params, signal }) =>
      answer(() => handlers.elicit(params, signal)),
    )
    .onRequest('fs/read_text_file', ({ params }) => answer(() => handlers.readTextFile(params)))
    .onRequest('fs/write_text_file', ({ params }) => answer(() => handlers.writeTextFile(params)))
    .onRequest('_gatehouse/secret', asRecord, ({ params }) =>
      answer(() => handlers.secret(text(params, 'id'))),
    )
    .onRequest('_gatehouse/save_rule', asRecord, ({ params }) =>
      answer(() => handlers.saveRule(params)),
    )
    .onRequest('_gatehouse/documents', asRecord, ({ params }) =>
      answer(() => handlers.documents(params)),
    )
    .onNotification('_gatehouse/terminal', asRecord, ({ params }) => handlers.terminal(params));
}

/** A refusal reaches the host with its words; the library would hide them in an internal error. */
async function answer<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'Refusal') throw error;
    throw new acp.RequestError(INVALID_PARAMS, error.message);
  }
}

const INVALID_PARAMS = -32_602;

function asRecord(params: unknown): Readonly<Record<string, unknown>> {
  if (typeof params === 'object' && params !== null)
    return Object.fromEntries(Object.entries(params));
  throw acp.RequestError.invalidParams();
}

function text(params: Readonly<Record<string, unknown>>, key: string): string {
  const value = params[key];
  if (typeof value === 'string') return value;
  throw acp.RequestError.invalidParams({ missing: key });
}
