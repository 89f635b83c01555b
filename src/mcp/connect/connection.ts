import type { CallToolResult, Client, ClientOptions, Tool } from '@modelcontextprotocol/client';
import { atMostEvery, type Clock, systemClock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import { getMessage } from '../../base/faults.ts';
import { fieldAt } from '../../base/json.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { McpServer } from '../../base/tools/mcpServer.ts';
import { LONGEST_TIMER } from '../../base/units.ts';
import { UserWaiting } from '../../runtime/waiting.ts';
import type { HiddenFiles } from '../../tools/toolSource.ts';
import { answerServer } from './answerServer.ts';
import { type Caller, Callers } from './callers.ts';
import { createCallLimit } from './callLimit.ts';
import { type OpenedTransport, openTransport, type TransportParts } from './openTransport.ts';
import { SignInNeeded } from './signInNeeded.ts';

export interface ConnectionParts extends TransportParts {
  readonly version: string;
  readonly clock?: Clock;
  /** The folders that the server is told of. Absolute. */
  readonly roots: readonly string[];
  /** What rules hide from the server. Absent: nothing. */
  readonly hidden?: HiddenFiles;
}

export type ConnectionState =
  | { readonly type: 'starting' }
  | { readonly type: 'ready'; readonly tools: readonly Tool[]; readonly client: Client }
  /** A server that the user has to sign in to is not tried again by itself. */
  | { readonly type: 'down'; readonly why: string; readonly needsSignIn: boolean };

/** A server that changes its list all the time is asked for it so often, in milliseconds. */
const RELIST_MS = 300;
/** The library would wait until a server is silent, which one that tells of changes all the time never is. */
const UNPACED = { autoRefresh: false, debounceMs: 0 } as const;

/** Seconds until a server that is down is tried again; the last one repeats (spec CS-57, VC-64). */
const BACK_OFF_S = [1, 2, 5, 15, 60] as const;
/** A server that was up for so long is tried again as if it had never failed. */
const STEADY_MS = 60_000;

/**
 * One MCP server from its start to its end (spec CS-56). It is started once, tried again when it is down,
 * and never within a call. Nothing that it does rejects or throws into a turn.
 */
export class McpConnection {
  /** As configured now; what was started is the same. */
  server: McpServer;
  /** The ids of the tools that it offered last. */
  lastIds: readonly string[] = [];
  /** What the next start hides from it. */
  hidden: HiddenFiles | undefined;
  readonly #parts: ConnectionParts;
  readonly #clock: Clock;
  readonly #changed = new Emitter<void>();
  #state: ConnectionState = { type: 'starting' };
  #settled = Promise.withResolvers<void>();
  #opened: OpenedTransport | undefined;
  #client: Client | undefined;
  #retry: Disposable | undefined;
  #pace: Disposable | undefined;
  /** The attempt that runs or has succeeded; what became of others doesn't count. */
  #attempt: symbol | undefined;
  #failures = 0;
  readonly #callers = new Callers();
  #readySince = 0;
  #closed = false;

  constructor(server: McpServer, parts: ConnectionParts) {
    this.server = server;
    this.#parts = parts;
    this.hidden = parts.hidden;
    this.#clock = parts.clock ?? systemClock;
    void this.#connect();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  readonly onDidChange = this.#changed.event;

  /** Resolves when the first attempt has succeeded or failed. */
  settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** Calls a tool. A failure is an answer for the model (spec VC-63). */
  async call(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    caller: Caller,
  ): Promise<Outcome<CallToolResult>> {
    const state = this.#state;
    const { name, timeoutMs } = this.server;
    const unavailable = `mcp server ${name} is unavailable`;
    if (state.type !== 'ready') return failure(unavailable);
    if (!(await this.covers(caller.hidden))) return failure(`mcp server ${name} ${RESTARTS}`);
    const waiting = new UserWaiting();
    const called = this.#callers.begin(caller, waiting);
    const limit = createCallLimit(timeoutMs, waiting);
    try {
      const options = {
        ...{ signal: AbortSignal.any([caller.signal, limit.signal]), timeout: LONGEST_TIMER },
        onprogress: limit.renew,
      };
      return success(await state.client.callTool({ name: tool, arguments: { ...input } }, options));
    } catch (fault) {
      if (this.#client !== state.client) return failure(unavailable);
      if (fault instanceof SignInNeeded) void this.#fail(this.#attempt, fault);
      if (limit.signal.aborted) {
        return failure(`mcp server ${name} did not answer within ${timeoutMs} ms`);
      }
      return failure(toCallError(name, fault));
    } finally {
      limit.stop();
      called.dispose();
    }
  }

  /** Whether it sees nothing that is hidden now. If it does, it is started anew, which the caller doesn't wait for. */
  async covers(hidden: HiddenFiles | undefined): Promise<boolean> {
    const opened = this.#opened;
    if (hidden === undefined || opened === undefined) return true;
    if (await opened.covers(hidden)) return true;
    if (this.#opened !== opened || this.#closed) return false;
    this.hidden = hidden;
    // First, so that the end of this one is no failure.
    this.#attempt = undefined;
    this.#set({ type: 'starting' });
    void this.#end().then(() => (this.#closed ? undefined : this.#connect()));
    return false;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#attempt = undefined;
    this.#retry?.dispose();
    this.#pace?.dispose();
    this.#settled.resolve();
    await this.#end();
    this.#changed.dispose();
  }

  async #connect(): Promise<void> {
    const attempt = Symbol();
    this.#attempt = attempt;
    this.#set({ type: 'starting' });
    try {
      const client = await this.#open(attempt);
      const tools = await listTools(client, this.server);
      if (this.#attempt !== attempt) return;
      this.#readySince = this.#clock.now();
      this.#set({ type: 'ready', tools, client });
    } catch (fault) {
      await this.#fail(attempt, fault);
    } finally {
      this.#settled.resolve();
    }
  }

  async #open(attempt: symbol): Promise<Client> {
    const { Client } = await import('./sdk.ts');
    const { version, roots } = this.#parts;
    this.#pace?.dispose();
    const relist = atMostEvery(this.#clock, RELIST_MS, () => void this.#listAgain(attempt, client));
    this.#pace = relist;
    const client = new Client(
      { name: 'gatehouse', title: 'Gatehouse', version },
      {
        capabilities: { roots: {}, elicitation: {}, sampling: {} },
        jsonSchemaValidator: TRUSTING,
        listChanged: {
          tools: { ...UNPACED, onChanged: relist.call },
          prompts: { ...UNPACED, onChanged: () => this.#tellChange(attempt) },
        },
      },
    );
    const { asker, sampler } = this.#callers;
    answerServer(client, this.server, { roots, asker, sampler });
    const opened = await openTransport(this.server, this.#parts, this.hidden);
    if (this.#attempt !== attempt) throw new Error('It was stopped.');
    this.#opened = opened;
    this.#client = client;
    await client.connect(opened.transport, { timeout: this.server.timeoutMs });
    // Before, what connects says why it failed.
    client.onclose = () => void this.#fail(attempt, undefined);
    return client;
  }

  /** What lists the prompts lists them again. */
  #tellChange(attempt: symbol): void {
    if (this.#attempt === attempt && !this.#closed) this.#changed.fire();
  }

  /** The turn in flight keeps its list (spec CS-59). */
  async #listAgain(attempt: symbol, client: Client): Promise<void> {
    try {
      const tools = await listTools(client, this.server);
      if (this.#attempt === attempt && this.#state.type === 'ready') {
        this.#set({ type: 'ready', tools, client });
      }
    } catch (fault) {
      await this.#fail(attempt, fault);
    }
  }

  async #fail(attempt: symbol | undefined, fault: unknown): Promise<void> {
    if (attempt === undefined || this.#attempt !== attempt) return;
    this.#attempt = undefined;
    const needsSignIn = fault instanceof SignInNeeded;
    const end = this.#opened?.describeEnd() ?? '';
    const wasUp = this.#state.type === 'ready' && this.#clock.now() - this.#readySince;
    if (wasUp !== false && wasUp >= STEADY_MS) this.#failures = 0;
    const seconds = BACK_OFF_S[Math.min(this.#failures, BACK_OFF_S.length - 1)] ?? 60;
    this.#failures += 1;
    const words = [...new Set([toStartError(fault), end])].join(' ').trim();
    this.#set({ type: 'down', why: words.slice(0, 1000), needsSignIn });
    this.#settled.resolve();
    // Who learns of it may close the connection at once.
    if (!needsSignIn && !this.#closed) {
      this.#retry = this.#clock.after(seconds * 1000, () => void this.#connect());
    }
    await this.#end();
  }

  async #end(): Promise<void> {
    const [client, opened] = [this.#client, this.#opened];
    this.#client = undefined;
    this.#opened = undefined;
    await client?.close().catch(() => undefined);
    await opened?.transport.close().catch(() => undefined);
  }

  #set(state: ConnectionState): void {
    if (this.#closed) return;
    this.#state = state;
    this.#changed.fire();
  }
}

/** Why a call is not made: a server that runs already would show what is hidden since. */
export const RESTARTS =
  'is started again, because rules hide other files since it started. Try again.';

/** Results are data for the model; a server's own schema of them must not occupy the host. */
const TRUSTING: NonNullable<ClientOptions['jsonSchemaValidator']> = {
  getValidator: () => (data) => ({ valid: true, data: Object(data), errorMessage: undefined }),
};

const MOST_TOOLS = 2000;

async function listTools(client: Client, { timeoutMs }: McpServer): Promise<readonly Tool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const { tools } = await client.listTools(undefined, { timeout: timeoutMs, cacheMode: 'refresh' });
  return tools.slice(0, MOST_TOOLS);
}

/** Why a start failed, for the user. Nothing is known of a connection that just ended. */
function toStartError(fault: unknown): string {
  if (fault === undefined) return '';
  const message = getMessage(fault);
  if (fieldAt(fault, 'status') !== 401) return message;
  return `It refuses this client (401). Give its entry an Authorization header, or sign in to it in VS Code.`;
}

function toCallError(name: string, fault: unknown): string {
  const message = getMessage(fault);
  const isRefused = fault instanceof SignInNeeded || REFUSED.test(message);
  // What a sign-in fails with may hold what nobody should read (spec CS-58). A server's own error is its answer.
  if (isRefused && !isAnswer(fault)) return `mcp server ${name}: authentication failed`;
  return `mcp server ${name}: ${message.slice(0, 2000)}`;
}

const REFUSED = /unauthori[sz]ed|authentication/i;

/** Whether the server itself answered the call with an error, whose code is a number. */
function isAnswer(fault: unknown): boolean {
  return typeof fieldAt(fault, 'code') === 'number' && fieldAt(fault, 'status') === undefined;
}
