import type { Readable, Writable } from 'node:stream';
import {
  type ClientExtensions,
  readHostExtensions,
  toExtensions,
} from '../../acp/gatehouse/capabilities.ts';
import type { ConfigurationSnapshot, ReportedProblem } from '../../acp/gatehouse/configure.ts';
import { Emitter } from '../../base/event.ts';
import type { AcpConnection, ClientMethods } from './connection.ts';
import type { HostExit, RunningHost } from './hostProcess.ts';

export interface HostLinkParts {
  /** Starts the host process, unless it runs; `started` is called with its pipes. */
  start(): void;
  /** Loads the protocol library, on first use only. */
  connect(stdin: Writable, stdout: Readable, methods: ClientMethods): AcpConnection;
  readonly methods: ClientMethods;
  configuration(): ConfigurationSnapshot;
  readonly version: string;
}

/** Names what this client can do; what is not named here the host never calls. */
const CAPABILITIES = {
  fs: { readTextFile: true, writeTextFile: true },
  elicitation: { form: {} },
  ...toExtensions<ClientExtensions>({
    configure: true,
    secret: true,
    saveRule: true,
    documents: true,
    terminal: true,
    queue: true,
  }),
};

/** The connection to the host: made on first use, made anew after a restart. */
export class HostLink {
  readonly #parts: HostLinkParts;
  readonly #exited = new Emitter<HostExit>();
  readonly #connected = new Emitter<AcpConnection>();
  readonly #problems = new Emitter<readonly ReportedProblem[]>();
  #current: Promise<AcpConnection> | undefined;
  #waiting: { resolve(connection: AcpConnection): void; reject(error: unknown): void } | undefined;
  #explains = false;
  #listsTools = false;
  #queues = false;

  /** The host has ended, and said how. */
  readonly onDidExit = this.#exited.event;
  /** A host answered `initialize` and has its configuration. */
  readonly onDidConnect = this.#connected.event;
  readonly onDidFindProblems = this.#problems.event;

  constructor(parts: HostLinkParts) {
    this.#parts = parts;
  }

  get started(): boolean {
    return this.#current !== undefined;
  }

  /** Whether the host lists its tools and takes a yes to declared ones. */
  get listsTools(): boolean {
    return this.#listsTools;
  }

  /** Whether the host lists the prompts that wait and says when one runs. */
  get queues(): boolean {
    return this.#queues;
  }

  /** Whether the host can explain a decision. */
  get explains(): boolean {
    return this.#explains;
  }

  /** The connection, with the host started when it does not run. */
  connection(): Promise<AcpConnection> {
    this.#current ??= this.#expect();
    this.#parts.start();
    return this.#current;
  }

  /** To be called with every process that starts. */
  hostStarted({ stdin, stdout }: RunningHost): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    const ready = this.#open(stdin, stdout);
    if (waiting === undefined) this.#current = ready;
    // A start that fails is told by the exit of the process, with its last words.
    ready.then(waiting?.resolve, waiting?.reject ?? (() => undefined));
  }

  /** To be called with every process that ended. */
  hostExited(exit: HostExit): void {
    this.#waiting?.reject(new Error('The host ended.'));
    this.#waiting = undefined;
    this.#current = undefined;
    this.#exited.fire(exit);
  }

  /** Sends the settings again; nothing to do while no host runs. */
  async configure(): Promise<void> {
    if (this.#current === undefined) return;
    await this.#configure(await this.#current);
  }

  /** Resolves with how the host ended when a request failed because of it, or with undefined. */
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
    const connection = this.#parts.connect(stdin, stdout, this.#parts.methods);
    // `closed` only tells what the exit of the process tells better.
    connection.closed.catch(() => undefined);
    const { agentCapabilities } = await connection.initialize({
      protocolVersion: 1,
      clientInfo: { name: 'gatehouse-vscode', title: 'Gatehouse', version: this.#parts.version },
      clientCapabilities: CAPABILITIES,
    });
    const own = readHostExtensions(agentCapabilities);
    this.#explains = own?.explain === true;
    this.#listsTools = own?.tools === true;
    this.#queues = own?.queue === true;
    await this.#configure(connection);
    this.#connected.fire(connection);
    return connection;
  }

  async #configure(connection: AcpConnection): Promise<void> {
    const { problems } = await connection.call('configure', this.#parts.configuration());
    this.#problems.fire(problems);
  }
}

/** The SDK says only that the connection closed; the process knows why. */
function isClosed(error: unknown): boolean {
  return error instanceof Error && /connection closed|the host ended/i.test(error.message);
}
