import type { Readable, Writable } from 'node:stream';
import {
  type ClientExtensions,
  readHostExtensions,
  toExtensions,
} from '../../acp/gatehouse/capabilities.ts';
import type { ConfigurationSnapshot, ReportedProblem } from '../../acp/gatehouse/configure.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { Emitter } from '../../base/event.ts';
import type { AcpConnection, ClientMethods } from './connection.ts';
import type { HostExit, RunningHost } from './hostProcess.ts';

export interface HostLinkParts {
  /** Starts the host process unless it runs. `hostStarted` must be called with its pipes. */
  start(): void;
  /** Connects over the pipes. Loads the ACP SDK on first use. */
  connect(stdin: Writable, stdout: Readable, methods: ClientMethods): AcpConnection;
  /** Ends a process that does not answer. Its exit is reported like that of a crash. */
  end(): void;
  readonly clock?: Clock;
  readonly methods: ClientMethods;
  configuration(): ConfigurationSnapshot;
  readonly version: string;
  /** Whether the user is offered that commands run in a copy. Default: no. */
  wantsSandboxOffer?(): boolean;
}

/** How long a host may take to answer `initialize`, in milliseconds: nothing can be done with it before. */
export const ANSWER_MS = 30_000;

const NO_ANSWER =
  'The host started, but did not answer for 30 s, so it was ended. Nothing was sent. It starts again by itself, or with "Gatehouse: Restart Host".';

/** The client capabilities. The host only calls methods that are listed here. */
const toCapabilities = (sandboxOffer: boolean) => ({
  fs: { readTextFile: true, writeTextFile: true },
  elicitation: { form: {} },
  session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
  ...toExtensions<ClientExtensions>({
    configure: true,
    secret: true,
    saveRule: true,
    documents: true,
    terminal: true,
    queue: true,
    resumeQueue: true,
    review: true,
    unreviewed: true,
    sessions: true,
    toolChanges: true,
    sandbox: true,
    problems: true,
    languageModels: true,
    serverInput: true,
    editorTools: true,
    language: true,
    signIn: true,
    ...(sandboxOffer && { sandboxOffer }),
    continue: true,
  }),
});

/** The connection to the host, created on first use and again after a restart. */
export class HostLink {
  readonly #parts: HostLinkParts;
  readonly #exited = new Emitter<HostExit>();
  readonly #connected = new Emitter<AcpConnection>();
  readonly #configured = new Emitter<void>();
  readonly #problems = new Emitter<readonly ReportedProblem[]>();
  readonly #sessions = new Emitter<void>();
  readonly #tools = new Emitter<void>();
  #current: Promise<AcpConnection> | undefined;
  /** Settled once the settings were sent to the host that runs, or to the next one. */
  #sent = Promise.withResolvers<AcpConnection>();
  #waiting: { resolve(connection: AcpConnection): void; reject(error: unknown): void } | undefined;
  #explains = false;
  #listsTools = false;
  #listsRules = false;
  #queues = false;

  /** Fires when the host has exited. */
  readonly onDidExit = this.#exited.event;
  /** Fires when a host has answered `initialize` and received its configuration. */
  readonly onDidConnect = this.#connected.event;
  readonly onDidFindProblems = this.#problems.event;
  /** Fires when a stored session changed in any window. */
  readonly onDidChangeSessions = this.#sessions.event;
  /** Fires when the tools, or what awaits a review, may be others. */
  readonly onDidChangeTools = this.#tools.event;
  /** Fires when a host has received the settings. */
  readonly onDidConfigure = this.#configured.event;

  constructor(parts: HostLinkParts) {
    this.#parts = parts;
  }

  get started(): boolean {
    return this.#current !== undefined;
  }

  /** Whether the host can list tools and accept declared ones. */
  get listsTools(): boolean {
    return this.#listsTools;
  }

  /** Whether the host lists the rules in force. */
  get listsRules(): boolean {
    return this.#listsRules;
  }

  /** Whether the host reports queued prompts and when one starts. */
  get queues(): boolean {
    return this.#queues;
  }

  /** Whether the host can explain decisions. */
  get explains(): boolean {
    return this.#explains;
  }

  /** Resolves with the connection. Starts the host if it does not run. */
  connection(): Promise<AcpConnection> {
    this.#current ??= this.#expect();
    this.#parts.start();
    return this.#current;
  }

  /**
   * Resolves with the connection once the settings were sent. The host handles requests in their order, so it answers
   * by these settings what is asked then. A window that opens asks for its session so, and saves a message both ways.
   */
  configuring(): Promise<AcpConnection> {
    return Promise.race([this.#sent.promise, this.connection()]);
  }

  /** Must be called for each started process. */
  hostStarted({ stdin, stdout }: RunningHost): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    const ready = this.#open(stdin, stdout);
    if (waiting === undefined) this.#current = ready;
    // A failed start is reported by the exit of the process, with the end of its stderr.
    ready.then(waiting?.resolve, waiting?.reject ?? (() => undefined));
  }

  /** Must be called for each exited process. */
  hostExited(exit: HostExit): void {
    this.#waiting?.reject(new Error('The host exited.'));
    this.#waiting = undefined;
    this.#current = undefined;
    this.#sent = Promise.withResolvers();
    this.#exited.fire(exit);
  }

  /** Sends the settings again if a host runs. */
  async configure(): Promise<void> {
    if (this.#current === undefined) return;
    await this.#configure(await this.#current);
  }

  /** Resolves with the host's exit if it caused a request to fail, or else with undefined. */
  exitAfter(error: unknown, wait: (resolve: () => void) => void): Promise<HostExit | undefined> {
    if (!isClosed(error)) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const listener = this.onDidExit((exit) => {
        listener.dispose();
        resolve(exit);
      });
      wait(() => {
        listener.dispose();
        resolve(undefined);
      });
    });
  }

  #expect(): Promise<AcpConnection> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  async #open(stdin: Writable, stdout: Readable): Promise<AcpConnection> {
    const sent = this.#sent;
    const connection = this.#parts.connect(stdin, stdout, this.#parts.methods);
    // Ignore `closed`: the exit of the process has more details.
    connection.closed.catch(() => undefined);
    const { agentCapabilities } = await this.#inTime(
      connection.initialize({
        protocolVersion: 1,
        clientInfo: { name: 'gatehouse-vscode', title: 'Gatehouse', version: this.#parts.version },
        clientCapabilities: toCapabilities(this.#parts.wantsSandboxOffer?.() === true),
      }),
    );
    const own = readHostExtensions(agentCapabilities);
    this.#explains = own?.explain === true;
    this.#listsTools = own?.tools === true;
    this.#listsRules = own?.rules === true;
    this.#queues = own?.queue === true;
    const configured = this.#configure(connection);
    sent.resolve(connection);
    await configured;
    this.#connected.fire(connection);
    return connection;
  }

  /** Call when the host says that its tools may be others. */
  toolsChanged(): void {
    this.#tools.fire();
  }

  /** The answer; rejects when it takes too long, and ends the host. */
  #inTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const { clock = systemClock, end } = this.#parts;
    const late = Promise.withResolvers<never>();
    const timer = clock.after(ANSWER_MS, () => {
      late.reject(new Error(NO_ANSWER));
      end();
    });
    return Promise.race([answer, late.promise]).finally(() => timer.dispose());
  }

  /** Call when the host says that a stored session changed. */
  sessionsChanged(): void {
    this.#sessions.fire();
  }

  /** Call with the problems of the settings that were sent. */
  foundProblems(problems: readonly ReportedProblem[]): void {
    this.#problems.fire(problems);
  }

  async #configure(connection: AcpConnection): Promise<void> {
    const { problems } = await connection.call('configure', this.#parts.configuration());
    this.foundProblems(problems);
    this.#configured.fire();
  }
}

/** Whether the SDK reports a closed connection; the process exit has the reason. */
export function isClosed(error: unknown): boolean {
  return error instanceof Error && /connection closed|the host exited/i.test(error.message);
}
