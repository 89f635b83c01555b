import type { Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/event.ts';
import { messageOf } from '../../base/faults.ts';
import { recordOf } from '../../base/json.ts';
import type { StateChange } from '../../webview/messages/chatState.ts';
import type { Asks } from '../asks/asks.ts';
import type { AcpConnection } from '../host/acpTypes.ts';
import type { HostLink } from '../host/hostLink.ts';
import type { HostExit } from '../host/hostProcess.ts';
import type { Translate } from '../text/translate.ts';
import { ChatSession, type SharedState } from './chatSession.ts';
import { hostExited, promptFailed } from './errorCard.ts';
import type { PathLabel } from './toolItem.ts';

export interface SessionFolders {
  /** Where the host runs commands; undefined with no folder open: the host has a scratch folder. */
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
}

export interface ChatParts {
  readonly link: HostLink;
  readonly asks: Asks;
  readonly clock: Clock;
  readonly t: Translate;
  readonly label: PathLabel;
  place(): SessionFolders;
  shared(): SharedState;
  /** Keeps the id of the session to show after a reload of the window. */
  remember(sessionId: string | undefined): void;
  log(message: string): void;
}

/** How long the process may take to tell why the connection closed. Milliseconds. */
const EXIT_WAIT = 3_000;

/** The conversations of this window, one of them shown, and the turns that run in them. */
export class Chat {
  readonly #parts: ChatParts;
  readonly #sessions: ChatSession[] = [];
  readonly #changed = new Emitter<StateChange>();
  readonly #texts = new Emitter<string>();
  #active: ChatSession;
  #held: Promise<unknown> = Promise.resolve();

  /** A change of the session that is shown. */
  readonly onDidChange = this.#changed.event;
  /** Text that goes back to the composer. */
  readonly onDidReturnText = this.#texts.event;

  constructor(parts: ChatParts) {
    this.#parts = parts;
    this.#active = this.#add();
    parts.asks.onDidChange(() => this.#updateAsks());
    parts.link.onDidExit((exit) => this.#hostExited(exit));
    parts.link.onDidConnect((connection) => {
      void this.#reload(connection);
    });
  }

  get active(): ChatSession {
    return this.#active;
  }

  /** The next turn waits for this: settings that are being written are meant for it. */
  hold(work: Promise<unknown>): void {
    this.#held = work;
  }

  get running(): boolean {
    return this.#sessions.some((session) => session.busy);
  }

  session(id: string): ChatSession | undefined {
    return this.#sessions.find((session) => session.id === id);
  }

  /** Settings, trust or folders have changed. */
  refresh(): void {
    for (const session of this.#sessions) session.set(this.#parts.shared());
  }

  /** Sends a message, or lets it wait for the end of the turn. */
  async send(text: string): Promise<void> {
    const session = this.#active;
    if (session.busy) {
      session.enqueue(text);
      return;
    }
    session.begin(text);
    await this.#run(session, text);
  }

  async retry(): Promise<void> {
    const session = this.#active;
    if (session.busy || session.lastText === undefined) return;
    session.beginAgain();
    await this.#run(session, session.lastText);
  }

  async stop(): Promise<void> {
    const session = this.#active;
    if (!session.busy) return;
    session.set({ activity: 'stopping' });
    const waiting = session.state.queue.map(({ text }) => text).join('\n\n');
    session.set({ queue: [] });
    if (waiting !== '') this.#texts.fire(waiting);
    if (session.id === undefined) return;
    this.#parts.asks.withdraw(session.id);
    try {
      const connection = await this.#parts.link.connection();
      await connection.cancel({ sessionId: session.id });
    } catch (error) {
      // A host that has ended has stopped as well, and its end is told by itself.
      this.#parts.log(`A turn could not be stopped: ${describe(error)}`);
    }
  }

  newSession(): void {
    this.#show(this.#sessions.find((session) => isUntouched(session)) ?? this.#add());
  }

  /** Shows a session of the list; one that this window does not know is loaded. */
  async open(id: string): Promise<void> {
    const known = this.session(id);
    if (known !== undefined) {
      this.#show(known);
      if (known.stale) await this.#load(known);
      return;
    }
    const session = this.#add();
    session.id = id;
    this.#show(session);
    await this.#load(session);
  }

  async list() {
    const connection = await this.#parts.link.connection();
    const { sessions } = await connection.listSessions({});
    return sessions;
  }

  #add(): ChatSession {
    const session: ChatSession = new ChatSession(
      this.#parts.shared(),
      this.#parts.label,
      (change) => {
        if (session === this.#active) this.#changed.fire(change);
      },
    );
    this.#sessions.push(session);
    return session;
  }

  #show(session: ChatSession): void {
    if (session === this.#active) return;
    this.#active = session;
    this.#changed.fire({ type: 'reset', state: session.state });
    this.#parts.remember(session.id);
  }

  async #run(session: ChatSession, text: string): Promise<void> {
    const { link, t } = this.#parts;
    try {
      const connection = await link.connection();
      await this.#held.catch(() => undefined);
      // What the user set a moment ago counts for this turn: changes are sent with a delay.
      await link.configure();
      const sessionId = await this.#ensure(connection, session);
      if (session.state.activity === 'stopping') {
        session.finish('cancelled', t);
        return;
      }
      session.set({ activity: 'running' });
      const prompt = [{ type: 'text' as const, text }];
      const { stopReason } = await connection.prompt({ sessionId, prompt });
      session.finish(stopReason, t);
    } catch (error) {
      await this.#failed(session, error);
      return;
    }
    const next = session.dequeue();
    if (next === undefined) return;
    session.begin(next);
    await this.#run(session, next);
  }

  async #ensure(connection: AcpConnection, session: ChatSession): Promise<string> {
    if (session.id !== undefined) {
      if (session.stale) await this.#loadWith(connection, session, session.id);
      return session.id;
    }
    const { cwd, additionalDirectories } = this.#parts.place();
    const { sessionId } = await connection.newSession({
      cwd,
      mcpServers: [],
      ...(additionalDirectories.length > 0 && {
        additionalDirectories: [...additionalDirectories],
      }),
    });
    session.id = sessionId;
    session.set({ sessionId });
    if (session === this.#active) this.#parts.remember(sessionId);
    return sessionId;
  }

  /** The end of the host is told once, with its exit code: by `#hostExited`, or here when it is late. */
  async #failed(session: ChatSession, error: unknown): Promise<void> {
    const { link, clock, log } = this.#parts;
    if (session.interrupted) return;
    await link.exitAfter(error, (resolve) => clock.after(EXIT_WAIT, resolve));
    if (session.interrupted) return;
    log(`A prompt failed: ${describe(error)}`);
    session.fail((id) => promptFailed(error, id));
  }

  #hostExited(exit: HostExit): void {
    const { asks, t, log } = this.#parts;
    log(`The host ended: code ${exit.code}, signal ${exit.signal}. ${exit.stderrTail}`);
    asks.withdraw();
    for (const session of this.#sessions) {
      session.stale = session.id !== undefined;
      const { busy } = session;
      if (!busy && (session !== this.#active || exit.restartIn !== undefined)) continue;
      session.interrupted = true;
      session.fail((id) => hostExited(exit, busy, id, t));
      if (exit.restartIn !== undefined) session.set({ activity: 'restarting' });
    }
  }

  async #reload(connection: AcpConnection): Promise<void> {
    for (const session of this.#sessions) {
      if (session.state.activity === 'restarting') session.set({ activity: 'idle' });
    }
    const session = this.#active;
    if (!session.stale || session.id === undefined || session.busy) return;
    await this.#loadWith(connection, session, session.id).catch((error: unknown) =>
      this.#parts.log(`The session could not be loaded again: ${describe(error)}`),
    );
  }

  async #load(session: ChatSession): Promise<void> {
    const { link, t } = this.#parts;
    if (session.id === undefined) return;
    session.set({ activity: 'starting' });
    try {
      await this.#loadWith(await link.connection(), session, session.id);
      session.set({ activity: 'idle' });
    } catch (error) {
      if (!session.interrupted) session.fail((id) => promptFailed(error, id));
      session.note(t('This session could not be opened. Your other sessions are not touched.'));
    }
  }

  async #loadWith(
    connection: AcpConnection,
    session: ChatSession,
    sessionId: string,
  ): Promise<void> {
    session.beginLoad();
    let loaded = false;
    try {
      const { cwd, additionalDirectories } = this.#parts.place();
      await connection.loadSession({
        sessionId,
        cwd,
        mcpServers: [],
        ...(additionalDirectories.length > 0 && {
          additionalDirectories: [...additionalDirectories],
        }),
      });
      loaded = true;
      session.stale = false;
    } finally {
      session.endLoad(loaded);
      if (loaded) session.set({ sessionId });
    }
  }

  #updateAsks(): void {
    for (const session of this.#sessions) {
      const asks = this.#parts.asks.pending
        .filter(({ sessionId }) => sessionId === session.id)
        .map(({ ask }) => ask);
      if (asks.length > 0 || session.state.asks.length > 0) session.set({ asks });
    }
  }
}

function isUntouched(session: ChatSession): boolean {
  return session.id === undefined && session.state.items.length === 0;
}

function describe(error: unknown): string {
  const data = recordOf(recordOf(error)['data']);
  const message = messageOf(error);
  return Object.keys(data).length === 0 ? message : `${message} ${JSON.stringify(data)}`;
}
