import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';
import * as acp from '@agentclientprotocol/sdk';
import type { Clock } from '../../../src/base/clock.ts';
import { createFront, type Front } from '../../../src/host/front/front.ts';
import { type Script, startModelServer } from '../../tour/server.ts';
import { checkLines, type Side, type Wire } from '../acp/validate.ts';

/** What the client of a test says it can do, and how it answers. */
export interface ClientSetUp {
  readonly capabilities?: acp.ClientCapabilities;
  permission?(
    params: acp.RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<acp.RequestPermissionResponse> | acp.RequestPermissionResponse;
  elicit?(
    params: acp.CreateElicitationRequest,
  ): acp.CreateElicitationResponse | Promise<acp.CreateElicitationResponse>;
  /** Requests of any other method. */
  other?(method: string, params: unknown): unknown;
}

/** One real host and one client, connected by bytes in memory. */
export interface Connected {
  readonly agent: acp.ClientContext;
  /** A temporary folder, with every link resolved: the session's workspace. */
  readonly workspace: string;
  readonly data: string;
  /** Every line of both sides, in the order it was written. */
  readonly lines: readonly { readonly from: Side; readonly message: Wire }[];
  readonly updates: readonly acp.SessionNotification[];
  readonly warnings: readonly string[];
  /** Ends the host as the end of standard input does. */
  stop(): Promise<void>;
  /** Closes this connection; the host lives on. */
  drop(): void;
  /** Another connection to the same host. */
  reconnect(client?: ClientSetUp): Promise<Connected>;
}

export interface HostSetUp {
  readonly client?: ClientSetUp;
  readonly script?: Script;
  readonly env?: NodeJS.ProcessEnv;
  /** Kept from an earlier host, to open its sessions again. */
  readonly data?: string;
  readonly workspace?: string;
  readonly version?: number;
  readonly clock?: Clock;
}

/** Starts a host for one test; it is ended with it, and every line it wrote must have been valid. */
export async function connect(t: TestContext, setUp: HostSetUp = {}): Promise<Connected> {
  const data = setUp.data ?? (await temporary(t));
  const workspace = setUp.workspace ?? (await temporary(t));
  const model = await startModelServer({ script: setUp.script ?? [{ text: 'Done.' }] });
  const warnings: string[] = [];
  const front = createFront({
    version: '0.0.0',
    ...(setUp.clock && { clock: setUp.clock }),
    warn: (message) => warnings.push(message),
    env: {
      PATH: process.env['PATH'],
      HOME: workspace,
      GATEHOUSE_DATA: data,
      GATEHOUSE_CONFIG: path.join(data, 'settings.json'),
      GATEHOUSE_MODEL_BASE_URL: model.url,
      GATEHOUSE_MODEL_ID: 'scripted',
      ...setUp.env,
    },
  });
  const close = async () => {
    await front.dispose();
    await model.stop();
  };
  return open(t, { front, data, workspace, warnings, close }, setUp);
}

interface Hosted extends Pick<Connected, 'data' | 'workspace' | 'warnings'> {
  readonly front: Front;
  close(): Promise<void>;
}

/** A connection to the host. */
async function open(t: TestContext, host: Hosted, setUp: HostSetUp): Promise<Connected> {
  const wire = createWire();
  const updates: acp.SessionNotification[] = [];
  const agentSide = host.front.app.connect(wire.agent);
  const clientSide = createClientApp(setUp.client ?? {}, updates).connect(wire.client);
  const drop = () => {
    agentSide.close();
    clientSide.close();
  };
  let stopped: Promise<void> | undefined;
  const stop = () => {
    drop();
    stopped ??= host.close();
    return stopped;
  };
  t.after(async () => {
    await stop();
    assert.deepEqual(checkLines(wire.lines, 'agent'), [], 'a line of the host is not valid ACP');
  });
  await clientSide.agent.request('initialize', {
    protocolVersion: setUp.version ?? 1,
    clientCapabilities: setUp.client?.capabilities ?? {},
  });
  const { workspace, data, warnings } = host;
  const connected = { agent: clientSide.agent, workspace, data, lines: wire.lines, updates };
  return {
    ...connected,
    ...{ warnings, stop, drop },
    reconnect: (client = setUp.client ?? {}) => open(t, host, { ...setUp, client }),
  };
}

/** A session in the harness's workspace. */
export async function newSession({ agent, workspace }: Connected): Promise<string> {
  const { sessionId } = await agent.request('session/new', { cwd: workspace, mcpServers: [] });
  return sessionId;
}

export function prompt(
  { agent }: Pick<Connected, 'agent'>,
  sessionId: string,
  text = 'Go on.',
): Promise<acp.PromptResponse> {
  return agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
}

/** The texts of the agent's message chunks, joined. */
export function said({ updates }: Pick<Connected, 'updates'>): string {
  return updates
    .map(({ update }) => update)
    .filter((update) => update.sessionUpdate === 'agent_message_chunk')
    .map(({ content }) => (content.type === 'text' ? content.text : ''))
    .join('');
}

/** The updates of tool calls in the order they came: `[status, title or text]`. */
export function calls({ updates }: Pick<Connected, 'updates'>): readonly acp.ToolCallUpdate[] {
  return updates.flatMap(({ update }) =>
    update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update'
      ? [update]
      : [],
  );
}

/** The last status each call was shown in. */
export function lastStatus(connected: Pick<Connected, 'updates'>): Record<string, unknown> {
  const last: Record<string, unknown> = {};
  for (const { toolCallId, status } of calls(connected)) {
    if (status) last[toolCallId] = status;
  }
  return last;
}

export function requests(connected: Connected, method: string): readonly Wire[] {
  return connected.lines
    .filter(({ from, message }) => from === 'agent' && message.method === method)
    .map(({ message }) => message);
}

/** Turns of the event loop that `until` looks after one by one: what needs no process is done by then. */
const QUICK_TURNS = 200;
/** Between two looks later on. Without a pause, the wait would take the processor from what is awaited. */
const PAUSE_MS = 5;

/** Resolves when `condition` holds. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  // By the clock: turns are quick, and a child process on a busy machine is not.
  const end = performance.now() + 120_000;
  for (let turn = 0; performance.now() < end; turn += 1) {
    if (condition()) return;
    await (turn < QUICK_TURNS ? setImmediate() : setTimeout(PAUSE_MS));
  }
  assert.fail(`it never happened: ${what}`);
}

export async function temporary(t: TestContext): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'gatehouse-')));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

function createClientApp(setUp: ClientSetUp, updates: acp.SessionNotification[]): acp.ClientApp {
  return acp
    .client({ name: 'test' })
    .onNotification('session/update', ({ params }) => void updates.push(params))
    .onRequest('session/request_permission', async ({ params, signal }) => {
      const reply = await setUp.permission?.(params, signal);
      return reply ?? { outcome: { outcome: 'cancelled' } };
    })
    .onRequest('elicitation/create', ({ params }) => setUp.elicit?.(params) ?? { action: 'cancel' })
    .onNotification('*', ({ method, params }) => void setUp.other?.(method, params))
    .onRequest('*', ({ method, params }) => {
      const reply = setUp.other?.(method, params);
      if (reply === undefined) throw acp.RequestError.methodNotFound(method);
      return reply;
    });
}

function createWire() {
  const lines: { from: Side; message: Wire }[] = [];
  const toClient = tap('agent', lines);
  const toAgent = tap('client', lines);
  return {
    lines,
    agent: acp.ndJsonStream(toClient.writable, toAgent.readable),
    client: acp.ndJsonStream(toAgent.writable, toClient.readable),
  };
}

/** The SDK writes one line a chunk, so a chunk is a message. */
function tap(from: Side, lines: { from: Side; message: Wire }[]) {
  const decoder = new TextDecoder();
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      lines.push({ from, message: JSON.parse(decoder.decode(chunk)) });
      controller.enqueue(chunk);
    },
  });
}
