import type { Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/event.ts';
import { messageOf } from '../../base/faults.ts';
import { recordOf } from '../../base/json.ts';
import type { StateChange } from '../../webview/messages/chatState.ts';
import type { SessionKey } from '../../webview/messages/messages.ts';
import type { Asks } from '../asks/asks.ts';
import type { AcpConnection } from '../host/connection.ts';
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

export interface ChatsParts {
  readonly link: HostLink;
  readonly asks: Asks;
  readonly clock: Clock;
  readonly t: Translate;
  readonly label: PathLabel;
  folders(): SessionFolders;
  shared(): SharedState;
  log(message: string): void;
}

/** How long the process may take to tell why the connection closed. Milliseconds. */
const EXIT_WAIT = 3_000;

/** One change of one session. */
export interface SessionChange {
  readonly session: ChatSession;
  readonly change: StateChange;
}

/** Text that goes back to the composer of a view that shows the session. */
export interface ReturnedText {
  readonly session: ChatSession;
  readonly text: string;
}

/**
 * The sessions of this window and the turns that run in them. It knows no current session: a view
 * says which one it shows, and whoever acts on a session names it.
 */
export class Chats {
  readonly #parts: ChatsParts;
  readonly #sessions = new Map<SessionKey, ChatSession>();
  readonly #changed = new Emitter<SessionChange>();
  readonly #returned = new Emitter<ReturnedText>();
  #counter = 0;
  #held: Promise<unknown> = Promise.resolve();

  readonly onDidChange = this.#changed.event;
  readonly onDidReturnText = this.#returned.event;

  constructor(parts: ChatsParts) {
    this.#parts = parts;
    parts.asks.onDidChange(() => this.#updateAsks());
    parts.link.onDidExit((exit) => this.#hostExited(exit));
    parts.link.onDidConnect((connection) => this.#reload(connection));
  }

  get(key: SessionKey): ChatSession | undefined {
    return this.#sessions.get(key);
  }

  /** The session with the host's id, if this window has it open. */
  withId(id: string): ChatSession | undefined {
    return this.#all.find((session) => session.id === id);
  }

  /** Some session runs a turn. */
  get running(): boolean {
    return this.#all.some((session) => session.busy);
  }

  /** The next turn waits for this: settings that are being written are meant for it. */
  hold(work: Promise<unknown>): void {
    this.#held = work;
  }

  /** Settings, trust or folders have changed. */
  refresh(): void {
    for (const session of this.#all) session.set(this.#parts.shared());
  }

  /** A session for a new chat: `shown` while it is blank, else one that no view shows, or a new one. */
  blank(shown?: ChatSession): ChatSession {
    const free = this.#all.find(
      (session) => session.blank && (session === shown || !session.watched),
    );
    return free ?? this.#add();
  }

  /** The session with the host's id; one that this window does not know has to be loaded. */
  open(id: string): ChatSession {
    const known = this.withId(id);
    if (known !== undefined) return known;
    const session = this.#add();
    session.id = id;
    session.stale = true;
    return session;
  }

  /** Has the host load the session, unless it has already. A failure is shown in the session. */
  async load(session: ChatSession): Promise<void> {
    const { link, t } = this.#parts;
    if (!session.stale || session.id === undefined) return;
    session.set({ activity: 'starting' });
    try {
      await this.#loadWith(await link.connection(), session, session.id);
      session.set({ activity: 'idle' });
    } catch (error) {
      if (!session.interrupted) session.fail((id) => promptFailed(error, id));
      session.note(t('This session could not be opened. Your other sessions are not touched.'));
    }
  }

  /** Sends a message, or lets it wait for the end of the turn. */
  async send(session: ChatSession, text: string): Promise<void> {
    if (session.busy) {
      session.enqueue(text);
      return;
    }
    session.begin(text);
    await this.#run(session, text);
  }

  async retry(session: ChatSession): Promise<void> {
    if (session.busy || session.lastText === undefined) return;
    session.beginAgain();
    await this.#run(session, session.lastText);
  }

  async stop(session: ChatSession): Promise<void> {
    if (!session.busy) return;
    session.set({ activity: 'stopping' });
    const waiting = session.state.queue.map(({ text }) => text).join('\n\n');
    session.set({ queue: [] });
    if (waiting !== '') this.#returned.fire({ session, text: waiting });
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

  async list() {
    const connection = await this.#parts.link.connection();
    const { sessions } = await connection.listSessions({});
    return sessions;
  }

  get #all(): readonly ChatSession[] {
    return [...this.#sessions.values()];
  }

  #add(): ChatSession {
    this.#counter += 1;
    const session: ChatSession = new ChatSession({
      key: `chat-${this.#counter}`,
      shared: this.#parts.shared(),
      label: this.#parts.label,
      onChange: (change) => this.#changed.fire({ session, change }),
    });
    this.#sessions.set(session.key, session);
    return session;
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
    const { cwd, additionalDirectories } = this.#parts.folders();
    const { sessionId } = await connection.newSession({
      cwd,
      mcpServers: [],
      ...(additionalDirectories.length > 0 && {
        additionalDirectories: [...additionalDirectories],
      }),
    });
    session.id = sessionId;
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
    for (const session of this.#all) {
      session.stale = session.id !== undefined;
      const { busy } = session;
      // An idle session that nobody looks at says nothing; it is loaded again when it is shown.
      if (!busy && (!session.watched || exit.restartIn !== undefined)) continue;
      session.interrupted = true;
      session.fail((id) => hostExited(exit, busy, id, t));
      if (exit.restartIn !== undefined) session.set({ activity: 'restarting' });
    }
  }

  /** The host has been started anew: what views show is loaded again. */
  #reload(connection: AcpConnection): void {
    for (const session of this.#all) {
      if (session.state.activity === 'restarting') session.set({ activity: 'idle' });
      if (!session.watched || !session.stale || session.id === undefined || session.busy) continue;
      this.#loadWith(connection, session, session.id).catch((error: unknown) =>
        this.#parts.log(`The session could not be loaded again: ${describe(error)}`),
      );
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
      const { cwd, additionalDirectories } = this.#parts.folders();
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
    }
  }

  #updateAsks(): void {
    for (const session of this.#all) {
      const asks = this.#parts.asks.pending
        .filter(({ sessionId }) => sessionId === session.id)
        .map(({ ask }) => ask);
      if (asks.length > 0 || session.state.asks.length > 0) session.set({ asks });
    }
  }
}

function describe(error: unknown): string {
  const data = recordOf(recordOf(error)['data']);
  const message = messageOf(error);
  return Object.keys(data).length === 0 ? message : `${message} ${JSON.stringify(data)}`;
}
