import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import {
  CLIENT_NOTIFICATIONS,
  CLIENT_REQUESTS,
  HOST_REQUESTS,
  type HostRequests,
  type ParamsOf,
  type ResultOf,
} from '../../acp/gatehouse/methods.ts';
import { orInvalidParams } from '../../acp/invalidParams.ts';
import type { AcpConnection, ClientMethods } from './connection.ts';

/**
 * Connects an ACP client over a pair of streams. This file is a separate bundle that is loaded when
 * the host is first started, because the SDK is slow to load.
 */
export function connect(stdin: Writable, stdout: Readable, methods: ClientMethods): AcpConnection {
  // Node's and the DOM's types of web streams differ only nominally.
  const stream = acp.ndJsonStream(
    Writable.toWeb(stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(stdout) as ReadableStream<Uint8Array>,
  );
  return connectStream(stream, methods);
}

/** Connects over any ACP stream. Tests connect an agent in the same process. */
function connectStream(stream: acp.Stream, methods: ClientMethods): AcpConnection {
  const connection = createApp(methods).connect(stream);
  const { agent } = connection;
  return {
    closed: connection.closed,
    close: () => connection.close(),
    initialize: (params) => agent.request('initialize', params),
    newSession: (params) => agent.request('session/new', params),
    loadSession: (params) => agent.request('session/load', params),
    setConfigOption: (params) => agent.request('session/set_config_option', params),
    listSessions: (params) => agent.request('session/list', params),
    deleteSession: (params) => agent.request('session/delete', params),
    prompt: (params) => agent.request('session/prompt', params),
    cancel: (params) => agent.notify('session/cancel', params),
    call: async <Name extends keyof HostRequests>(
      name: Name,
      params: ParamsOf<HostRequests, Name>,
      signal?: AbortSignal,
    ) => {
      const { method, result } = HOST_REQUESTS[name];
      const options = signal && { cancellationSignal: signal, stopWaitingOnCancel: true };
      // The table maps each method to the parser of its result; TypeScript can't express that.
      const answer = await agent.request<unknown>(method, params, options);
      return result(answer) as ResultOf<HostRequests, Name>;
    },
  };
}

function createApp(methods: ClientMethods) {
  const base = addChanges(addModels(createBase(methods), methods), methods);
  return addEditorTools(addServers(base, methods), methods);
}

function addChanges(app: acp.ClientApp, methods: ClientMethods): acp.ClientApp {
  const { sessionsChanged, toolsChanged } = CLIENT_NOTIFICATIONS;
  return app
    .onNotification(sessionsChanged.method, orInvalidParams(sessionsChanged.params), () =>
      methods.sessionsChanged(),
    )
    .onNotification(toolsChanged.method, orInvalidParams(toolsChanged.params), () =>
      methods.toolsChanged(),
    );
}

function addEditorTools(app: acp.ClientApp, methods: ClientMethods): acp.ClientApp {
  const { editorTools, editorTool, language } = CLIENT_REQUESTS;
  return app
    .onRequest(editorTools.method, orInvalidParams(editorTools.params), () =>
      answer(() => methods.editorTools()),
    )
    .onRequest(editorTool.method, orInvalidParams(editorTool.params), (request) =>
      answer(() => methods.editorTool(request.params, request.signal)),
    )
    .onRequest(language.method, orInvalidParams(language.params), (request) =>
      answer(() => methods.language(request.params, request.signal)),
    );
}

function addServers(app: acp.ClientApp, methods: ClientMethods): acp.ClientApp {
  const { serverInput, storeSecret, openBrowser, externalUri } = CLIENT_REQUESTS;
  return app
    .onRequest(serverInput.method, orInvalidParams(serverInput.params), (request) =>
      answer(() => methods.serverInput(request.params, request.signal)),
    )
    .onRequest(storeSecret.method, orInvalidParams(storeSecret.params), ({ params }) =>
      answer(() => methods.storeSecret(params)),
    )
    .onRequest(openBrowser.method, orInvalidParams(openBrowser.params), ({ params }) =>
      answer(() => methods.openBrowser(params)),
    )
    .onRequest(externalUri.method, orInvalidParams(externalUri.params), ({ params }) =>
      answer(() => methods.externalUri(params)),
    );
}

function addModels(app: acp.ClientApp, methods: ClientMethods): acp.ClientApp {
  const { languageModels, languageModel } = CLIENT_REQUESTS;
  return app
    .onRequest(languageModels.method, orInvalidParams(languageModels.params), () =>
      answer(() => methods.languageModels()),
    )
    .onRequest(languageModel.method, orInvalidParams(languageModel.params), (request) =>
      answer(() => methods.languageModel(request.params, request.signal)),
    );
}

function createBase(methods: ClientMethods): acp.ClientApp {
  const { secret, saveRule, documents } = CLIENT_REQUESTS;
  const { terminal, queueChanged, unreviewedChanged, sandboxChanged, problemsChanged } =
    CLIENT_NOTIFICATIONS;
  return acp
    .client({ name: 'gatehouse-vscode' })
    .onRequest('session/request_permission', ({ params, signal }) =>
      answer(() => methods.requestPermission(params, signal)),
    )
    .onNotification('session/update', ({ params }) => methods.sessionUpdate(params))
    .onRequest('elicitation/create', ({ params, signal }) =>
      answer(() => methods.elicit(params, signal)),
    )
    .onRequest('fs/read_text_file', ({ params }) => answer(() => methods.readTextFile(params)))
    .onRequest('fs/write_text_file', ({ params }) => answer(() => methods.writeTextFile(params)))
    .onRequest(secret.method, orInvalidParams(secret.params), ({ params }) =>
      answer(() => methods.secret(params)),
    )
    .onRequest(saveRule.method, orInvalidParams(saveRule.params), ({ params }) =>
      answer(() => methods.saveRule(params)),
    )
    .onRequest(documents.method, orInvalidParams(documents.params), ({ params }) =>
      answer(() => methods.documents(params)),
    )
    .onNotification(terminal.method, orInvalidParams(terminal.params), ({ params }) =>
      methods.terminal(params),
    )
    .onNotification(queueChanged.method, orInvalidParams(queueChanged.params), ({ params }) =>
      methods.queueChanged(params),
    )
    .onNotification(
      unreviewedChanged.method,
      orInvalidParams(unreviewedChanged.params),
      ({ params }) => methods.unreviewedChanged(params),
    )
    .onNotification(sandboxChanged.method, orInvalidParams(sandboxChanged.params), ({ params }) =>
      methods.sandboxChanged(params),
    )
    .onNotification(problemsChanged.method, orInvalidParams(problemsChanged.params), ({ params }) =>
      methods.problemsChanged(params),
    );
}

/**
 * Converts refusals and parse errors to request errors, so that the host receives their messages.
 * The SDK would replace them by an internal error.
 */
async function answer<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !PASSED_ON.includes(error.name)) throw error;
    throw new acp.RequestError(INVALID_PARAMS, error.message);
  }
}

const INVALID_PARAMS = -32_602;
/** Compares by name, because the error's class may come from another bundle. */
const PASSED_ON: readonly string[] = ['Refusal', 'WireError'];
