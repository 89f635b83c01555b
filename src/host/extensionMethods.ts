import path from 'node:path';
import { RequestError } from '@agentclientprotocol/sdk';
import type { TerminalInput } from '../base/terminalInput.ts';
import { sessionlessPolicy } from './policy.ts';
import type { Sessions } from './sessions.ts';
import type { Workshop } from './workshop.ts';

/** What a handler of `_gatehouse/*` works with. */
export interface OpenHost {
  readonly workshop: Workshop;
  readonly sessions: Sessions;
}

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
    (await import('./toolAuthoring.ts')).newTool(host, params),
  '_gatehouse/try_tool': async (host, params) =>
    (await import('./toolAuthoring.ts')).tryTool(host, params),
};

function configure({ workshop }: OpenHost, params: Params): object {
  const problems = workshop.configuration.configure(params);
  if (problems === undefined) {
    throw RequestError.invalidParams({ workspace: 'A snapshot names the workspace.' });
  }
  return { problems };
}

/** The judgement a call of this tool would get now, without making it. */
async function explain({ workshop, sessions }: OpenHost, params: Params): Promise<object> {
  const { sessionId, tool, input } = {
    sessionId: undefined,
    tool: undefined,
    input: {},
    ...params,
  };
  if (typeof tool !== 'string') throw RequestError.invalidParams({ tool: 'It must be a text.' });
  const policy =
    typeof sessionId === 'string' ? sessions.get(sessionId).policy() : sessionlessPolicy(workshop);
  const { registry: own, judge, findSchemaFault } = await workshop.loop();
  const { sessionTools } = await import('./declaredTools.ts');
  const registry =
    typeof sessionId === 'string'
      ? sessionTools(workshop, sessions.get(sessionId), own).registry
      : own;
  const known = registry.get(tool);
  const fault =
    known === undefined
      ? `There is no tool "${tool}".`
      : (known.check?.(input) ?? (await findSchemaFault(known.parameters, input)));
  // A call that is not valid is answered as `gatehouse explain` answers it: its schema refuses it.
  if (known === undefined || fault !== undefined) {
    return { id: null, decision: 'error', layer: 'schema', reason: fault, subjects: [] };
  }
  const judgement = await judge({ tool, input, subjects: known.subjects(input) }, policy);
  return { id: null, ...judgement, candidates: judgement.candidates() };
}

async function tools(host: OpenHost, params: Params): Promise<object> {
  const { sessionId } = { sessionId: undefined, ...params };
  if (sessionId !== undefined && typeof sessionId !== 'string') {
    throw RequestError.invalidParams({ sessionId: 'It must be a text.' });
  }
  const { listTools } = await import('./toolList.ts');
  return listTools(host, sessionId);
}

function pending({ workshop }: OpenHost): object {
  return {
    asks: workshop.pending.list().map(({ kind: _, ...ask }) => ask),
  };
}

function accept({ workshop }: OpenHost, params: Params): object {
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
  workshop.acceptances.accept(file, hash, accepted);
  workshop.configuration.refresh();
  return {};
}

async function terminalInput({ workshop }: OpenHost, params: Params): Promise<object> {
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
  const { runtimes } = await workshop.loop();
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
