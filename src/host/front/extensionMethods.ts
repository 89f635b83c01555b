import path from 'node:path';
import { RequestError } from '@agentclientprotocol/sdk';
import type { TerminalInput } from '../../base/terminalInput.ts';
import type { OpenHost } from '../session/openHost.ts';

type Params = Readonly<Record<string, unknown>>;
type Method = (host: OpenHost, params: Params) => object | Promise<object>;

export type ExtensionMethods = Readonly<
  Record<
    | '_gatehouse/configure'
    | '_gatehouse/explain'
    | '_gatehouse/pending'
    | '_gatehouse/accept'
    | '_gatehouse/terminal_input'
    | '_gatehouse/tools'
    | '_gatehouse/new_tool'
    | '_gatehouse/try_tool',
    Method
  >
>;

/** The requests of `_gatehouse/*` that a client may send (contract §3). */
export const EXTENSION_METHODS: ExtensionMethods = {
  '_gatehouse/configure': configure,
  '_gatehouse/explain': explain,
  '_gatehouse/pending': pending,
  '_gatehouse/accept': accept,
  '_gatehouse/terminal_input': terminalInput,
  '_gatehouse/tools': tools,
  '_gatehouse/new_tool': async (host, params) =>
    (await import('../authoring/toolAuthoring.ts')).newTool(host, params),
  '_gatehouse/try_tool': async (host, params) =>
    (await import('../authoring/toolAuthoring.ts')).tryTool(host, params),
};

function configure({ services }: OpenHost, params: Params): object {
  const problems = services.configuration.configure(params);
  if (problems === undefined) {
    throw RequestError.invalidParams({ workspace: 'A snapshot names the workspace.' });
  }
  return { problems };
}

/** The decision that a call of this tool would get now, without making it. */
async function explain(host: OpenHost, params: Params): Promise<object> {
  const { sessionId, tool, input } = {
    sessionId: undefined,
    tool: undefined,
    input: {},
    ...params,
  };
  if (typeof tool !== 'string') throw RequestError.invalidParams({ tool: 'It must be a text.' });
  const { explainCall } = await import('../session/explainCall.ts');
  const named = typeof sessionId === 'string' ? sessionId : undefined;
  return explainCall(host, { sessionId: named, tool, input });
}

async function tools(host: OpenHost, params: Params): Promise<object> {
  const { sessionId } = { sessionId: undefined, ...params };
  if (sessionId !== undefined && typeof sessionId !== 'string') {
    throw RequestError.invalidParams({ sessionId: 'It must be a text.' });
  }
  const { listTools } = await import('../authoring/toolList.ts');
  return listTools(host, sessionId);
}

function pending({ services }: OpenHost): object {
  return {
    asks: services.pending.list().map(({ kind: _, ...ask }) => ask),
  };
}

function accept({ services }: OpenHost, params: Params): object {
  const {
    path: file,
    hash,
    accepted,
  } = { path: undefined, hash: undefined, accepted: undefined, ...params };
  if (typeof file !== 'string' || !path.isAbsolute(file)) {
    throw RequestError.invalidParams({ path: 'It must be absolute.' });
  }
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) {
    throw RequestError.invalidParams({ hash: 'It must be a SHA-256 in hex.' });
  }
  if (typeof accepted !== 'boolean') {
    throw RequestError.invalidParams({ accepted: 'It must be true or false.' });
  }
  services.acceptances.accept(file, hash, accepted);
  services.configuration.refresh();
  return {};
}

async function terminalInput({ services }: OpenHost, params: Params): Promise<object> {
  const { terminalId, data, signal, background } = { ...NO_INPUT, ...params };
  if (typeof terminalId !== 'string') {
    throw RequestError.invalidParams({ terminalId: 'It must be a text.' });
  }
  const known = SIGNALS.find((each) => each === signal);
  const input: TerminalInput = {
    terminalId,
    ...(typeof data === 'string' ? { data } : {}),
    ...(known === undefined ? {} : { signal: known }),
    ...(background === true ? { background } : {}),
  };
  const runtimes = await services.runtimes();
  const outcome = await runtimes.input(input);
  if (!outcome.ok) throw RequestError.invalidParams({ terminalId }, outcome.error);
  return {};
}

const NO_INPUT: Readonly<Record<keyof TerminalInput, unknown>> = {
  terminalId: undefined,
  data: undefined,
  signal: undefined,
  background: undefined,
};
const SIGNALS = ['SIGINT', 'EOF', 'kill'] as const;
