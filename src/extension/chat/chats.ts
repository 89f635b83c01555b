import type { SessionQueue } from '../../acp/gatehouse/queues.ts';
import type { Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/event.ts';
import type { CurrentRequest } from '../../webview/messages/asks.ts';
import type { SessionKey } from '../../webview/messages/messages.ts';
import type { Asks } from '../asks/asks.ts';
import type { AcpConnection } from '../host/connection.ts';
import type { HostLink } from '../host/hostLink.ts';
import type { HostExit } from '../host/hostProcess.ts';
import type { Translate } from '../text/translate.ts';
import { ChatSession } from './chatSession.ts';
import type { SharedState } from './chatStates.ts';
import { describeError, hostExited, isGone, promptFailed } from './errorCard.ts';
import { Histories } from './histories.ts';
import { RunOnce } from './loading/runOnce.ts';
import { type SessionFolders, toFolderParams } from './loading/sessionFolders.ts';
import type { AttachedContent, Message, ReturnedMessage } from './message.ts';
import { type SessionChange, toUnsent, type UnsentStore } from './message.ts';
import { Prompts } from './prompts.ts';
import { RemovedMessages } from './queue/removedMessages.ts';
import { toOptionUpdate } from './sessionChoices.ts';
import type { PathLabel } from './toolItem.ts';

export interface ChatsParts {
  readonly link: HostLink;
  readonly asks: Asks;
  readonly clock: Clock;
  readonly t: Translate;
  readonly label: PathLabel;
  folders(): SessionFolders;
  shared(): SharedState;
  readonly unsent: UnsentStore;
  log(message: string): void;
}

/**
 * The sessions of this window and their turns. There is no current session: each view knows which
 * one it shows, and callers pass the session to act on.
 */
export class Chats {
  readonly #parts: ChatsParts;
  readonly #prompts: Prompts;
  readonly #sessions = new Map<SessionKey, ChatSession>();
  readonly #changed = new Emitter<SessionChange>();
  readonly #returned = new Emitter<ReturnedMessage>();
  /** The loads in progress. Their updates would mix, so a session has only one. */
  readonly #loads = new RunOnce<ChatSession, void>();
  readonly #created = new RunOnce<ChatSession, string>();
  readonly #histories: Histories;
  /** What the user removed from queues. */
  readonly removed: RemovedMessages<ChatSession, Message>;
  /** Tells the sessions of this run of the extension from those of another one. */
  readonly #run = crypto.randomUUID().slice(0, 8);
  #counter = 0;
  #held: Promise<unknown> = Promise.resolve();

  readonly onDidChange = this.#changed.event;
  readonly onDidReturnText = this.#returned.event;

  constructor(parts: ChatsParts) {
    this.#parts = parts;
    const { link, clock, t, log } = parts;
    this.#prompts = new Prompts({
      ...{ link, clock, t, log },
      held: () => this.#held,
      open: (connection, session) => this.#ensure(connection, session),
      returnMessage: (session, message) => this.putBack(session, message),
    });
    this.removed = new RemovedMessages({
      take: (session, id) => this.#takeQueued(session, id),
      queue: (session, message, before) => void this.#prompts.send(session, message, before),
      putBack: (session, message) => this.putBack(session, message),
    });
    this.#histories = new Histories(parts);
    parts.asks.onDidChange(() => this.#updateAsks());
    parts.link.onDidExit((exit) => this.#hostExited(exit));
    parts.link.onDidConnect((connection) => this.#reload(connection));
  }

  get(key: SessionKey): ChatSession | undefined {
    return this.#sessions.get(key);
  }

  /** The session with the host's id, if it is open in this window. */
  withId(id: string): ChatSession | undefined {
    return this.all.find((session) => session.id === id);
  }

  /** Whether any session runs a turn. */
  get running(): boolean {
    return this.all.some((session) => session.busy);
  }

  /** Delays the next turn until `work` settles, so that it uses settings that are being written. */
  hold(work: Promise<unknown>): void {
    this.#held = work;
  }

  /** Updates the shared state after settings, trust or folders changed. */
  refresh(): void {
    for (const session of this.all) session.set(this.#parts.shared());
  }

  /**
   * A session for a new chat: `shown` if it is blank, else a blank one that no view shows, or a new
   * one.
   */
  blank(shown?: ChatSession): ChatSession {
    const free = this.all.find(
      (session) => session.blank && (session === shown || !session.watched),
    );
    return free ?? this.#add();
  }

  /** The session with the host's id. If it is new to this window, the caller must load it. */
  open(id: string): ChatSession {
    const known = this.withId(id);
    if (known !== undefined) return known;
    const session = this.#add(id);
    this.#updateAsks();
    return session;
  }

  /** Makes the host load the session if it has not yet. The session shows a failure. */
  async load(session: ChatSession): Promise<void> {
    const { id } = session;
    if (session.stale && id !== undefined)
      await this.#loads.run(session, () => this.#show(session, id));
  }

  /** Resolves when all messages of the session are shown, or as many as could be loaded. */
  whole(session: ChatSession): Promise<void> {
    return this.#histories.whole(session);
  }

  async #show(session: ChatSession, sessionId: string): Promise<void> {
    const { link, t } = this.#parts;
    session.set({ activity: 'starting' });
    try {
      await this.#histories.load(await link.configuring(), session, sessionId);
      session.set({ activity: 'idle' });
      this.#prompts.goOn(session);
    } catch (error) {
      if (isGone(error)) {
        session.startOver(t('The session that was open here was deleted. This is a new chat.'));
        return;
      }
      if (!session.interrupted) session.fail((id) => promptFailed(error, id));
      session.note(t('Could not open this session. Your other sessions are not affected.'));
    }
  }

  /** Drops a session that was deleted, and that no view shows. */
  remove(session: ChatSession): void {
    if (session.id !== undefined) this.#parts.asks.withdraw(session.id);
    this.#sessions.delete(session.key);
  }

  /** The host's id of a session, which the host creates or loads if it doesn't have it. */
  async ensure(session: ChatSession): Promise<string> {
    return this.#ensure(await this.#parts.link.connection(), session);
  }

  /** Sends a message, after the session is loaded. During a turn, the host queues it. */
  send(
    session: ChatSession,
    text: string,
    attached: readonly AttachedContent[] = [],
  ): Promise<void> {
    this.removed.dismiss(session);
    const send = () => this.#prompts.send(session, { text, attached });
    return this.#loads.get(session)?.then(send, send) ?? send();
  }

  async retry(session: ChatSession): Promise<void> {
    if (session.busy) return;
    if (session.unfinished !== undefined) return this.#prompts.continue(session);
    if (session.lastPrompt === undefined) return;
    session.beginAgain();
    await this.#prompts.run(session, session.lastPrompt);
  }

  /** Moves a message from the queue back to the composer. False if its turn has started. */
  async removeQueued(session: ChatSession, id: string): Promise<boolean> {
    const message = await this.#takeQueued(session, id);
    if (message) this.putBack(session, message);
    return message !== undefined;
  }

  async #takeQueued(session: ChatSession, id: string): Promise<Message | undefined> {
    try {
      return await this.#prompts.remove(session, id);
    } catch (error) {
      this.#parts.log(`Could not remove a message from the queue: ${describeError(error)}`);
      return undefined;
    }
  }

  /** Updates a session's queue to the host's. */
  updateQueue(queue: SessionQueue): void {
    const session = this.withId(queue.sessionId);
    if (session !== undefined) this.#prompts.updateQueue(session, queue);
  }

  async stop(session: ChatSession): Promise<void> {
    // Between two queued turns the session is idle for a moment.
    if (!session.busy && session.state.queue.length === 0) return;
    if (session.busy) session.set({ activity: 'stopping' });
    // Queued messages are removed before the running one is cancelled, so that none of them starts.
    const dropped = this.#prompts.drop(session);
    if (session.id === undefined) return dropped;
    this.#parts.asks.withdraw(session.id);
    try {
      const connection = await this.#parts.link.connection();
      await connection.cancel({ sessionId: session.id });
    } catch (error) {
      // If the host has exited, the turn has stopped too, and the exit is reported separately.
      this.#parts.log(`Could not stop a turn: ${describeError(error)}`);
    }
    await dropped;
  }

  /** The messages that neither the host nor a page has. */
  get unsent() {
    return this.all.flatMap((session) => toUnsent(session, this.#prompts.waiting(session)));
  }

  get all(): readonly ChatSession[] {
    return [...this.#sessions.values()];
  }

  #add(id?: string): ChatSession {
    this.#counter += 1;
    const session: ChatSession = new ChatSession({
      // A page keeps how sessions were left, by key, also over a reload of the window. With the number alone
      // it would take a session of this run for another one of an earlier run.
      key: `chat-${this.#counter}-${this.#run}`,
      shared: this.#parts.shared(),
      label: this.#parts.label,
      onChange: (change) => this.#changed.fire({ session, change }),
      onUnsent: () => this.#parts.unsent.changed(),
    });
    session.id = id;
    session.stale = id !== undefined;
    this.#parts.unsent.restore(session);
    this.#sessions.set(session.key, session);
    return session;
  }

  async #ensure(connection: AcpConnection, session: ChatSession): Promise<string> {
    if (session.id !== undefined) {
      const { id } = session;
      await this.#loads.get(session)?.catch(() => undefined);
      if (session.stale) {
        await this.#loads.run(session, () => this.#histories.load(connection, session, id));
        this.#prompts.goOnFirst(connection, session, id);
      }
      return id;
    }
    return this.#created.run(session, () => this.#create(connection, session));
  }

  async #create(connection: AcpConnection, session: ChatSession): Promise<string> {
    const { sessionId, configOptions } = await connection.newSession(
      toFolderParams(this.#parts.folders()),
    );
    session.id = sessionId;
    if (configOptions) session.update(toOptionUpdate(configOptions));
    return sessionId;
  }

  /** Puts a message into the composer of a view that shows the session. */
  putBack(session: ChatSession, message: Message): void {
    // The next window has it.
    if (this.#parts.unsent.closed) return;
    session.returnMessage(message);
    this.#returned.fire({ session, ...message });
  }

  #hostExited(exit: HostExit): void {
    const { asks, t, log } = this.#parts;
    log(`The host exited: code ${exit.code}, signal ${exit.signal}. ${exit.stderrTail}`);
    asks.withdraw();
    for (const session of this.all) {
      session.stale = session.id !== undefined;
      if (session.state.queue.length > 0) session.set({ queue: [] });
      const { busy } = session;
      // Don't report the exit in idle sessions that no view shows; they are reloaded when shown.
      if (!busy && (!session.watched || exit.restartIn !== undefined)) continue;
      session.interrupted = true;
      session.fail((id) => hostExited(exit, busy, id, t));
      if (exit.restartIn !== undefined) session.set({ activity: 'restarting' });
    }
  }

  /** Reloads the visible sessions after the host was restarted. */
  #reload(connection: AcpConnection): void {
    for (const session of this.all) {
      if (session.state.activity === 'restarting') session.set({ activity: 'idle' });
      const { id } = session;
      if (!session.watched || !session.stale || id === undefined || session.busy) continue;
      this.#loads
        .run(session, () => this.#histories.load(connection, session, id))
        .then(
          () => this.#prompts.goOn(session),
          (error) => this.#parts.log(`Could not reload a session: ${describeError(error)}`),
        );
    }
  }

  /** The current request, as the chats show it. */
  #request(): CurrentRequest | null {
    const { current } = this.#parts.asks;
    if (current === undefined) return null;
    const { ask, sessionId, position, total, source } = current;
    const session = this.withId(sessionId)?.state.title ?? source.session ?? '';
    return { askId: ask.id, position, total, agent: source.agent, session };
  }

  #updateAsks(): void {
    for (const session of this.all) {
      const asks = this.#parts.asks.pending
        .filter(({ sessionId }) => sessionId === session.id)
        .map(({ ask }) => ask);
      const request = asks.length > 0 || session.watched ? this.#request() : null;
      if (asks.length > 0 || session.state.asks.length > 0 || session.state.request !== request)
        session.set({ asks, request });
    }
  }
}
