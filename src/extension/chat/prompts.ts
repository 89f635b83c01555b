import type { ContentBlock, SessionId, StopReason } from '@agentclientprotocol/sdk';
import { toMeta } from '../../acp/gatehouse/parse.ts';
import type { SessionQueue } from '../../acp/gatehouse/queues.ts';
import type { PromptMeta } from '../../acp/gatehouse/session.ts';
import type { Clock } from '../../base/clock.ts';
import { getMessage } from '../../base/faults.ts';
import { toRecord } from '../../base/json.ts';
import type { AcpConnection } from '../host/connection.ts';
import { type HostLink, isClosed } from '../host/hostLink.ts';
import type { Translate } from '../text/translate.ts';
import type { ChatSession } from './chatSession.ts';
import { describeError, isTooLarge, promptFailed } from './errorCard.ts';
import { joinMessages, type Message, toAttached, toPrompt } from './message.ts';
import {
  begin,
  noteListed,
  takeLost,
  toListed,
  toQueue,
  type WaitingMessage,
} from './queue/waiting.ts';

export interface PromptsParts {
  readonly link: HostLink;
  readonly clock: Clock;
  readonly t: Translate;
  /** Resolves when pending settings writes are done. */
  held(): Promise<unknown>;
  /** Opens the session in the host and resolves with the host's id. */
  open(connection: AcpConnection, session: ChatSession): Promise<SessionId>;
  /** Puts an unsent message back into the composer. */
  returnMessage(session: ChatSession, message: Message): void;
  log(message: string): void;
}

type Waiting = WaitingMessage<ChatSession, Message>;

/** How long to wait for the host's exit after the connection closed, in milliseconds. */
const EXIT_WAIT = 3_000;

/**
 * Sends messages to the host and shows their turns. The host owns the queue: messages are sent to
 * it immediately, even during a turn, and the chat shows the queue that the host reports.
 */
export class Prompts {
  readonly #parts: PromptsParts;
  readonly #waiting = new Map<string, Waiting>();
  /** Settles when the newest message of a session was sent, to keep messages in order. */
  readonly #sent = new WeakMap<ChatSession, Promise<boolean>>();
  /** The message whose turn runs, as the host told last. */
  readonly #running = new WeakMap<ChatSession, string | undefined>();
  #counter = 0;

  constructor(parts: PromptsParts) {
    this.#parts = parts;
  }

  /** During a turn, the message is queued, before the one with the id `before` or last. */
  async send(session: ChatSession, message: Message, before?: string): Promise<void> {
    if (session.busy || this.#ofSession(session).length > 0)
      return this.#enqueue(session, message, before);
    session.begin(message);
    await this.run(session, toPrompt(message), message);
  }

  /**
   * Sends the prompt of the message that the session already shows. `message` is put back if the host can't
   * read it.
   */
  async run(
    session: ChatSession,
    prompt: readonly ContentBlock[],
    message?: Message,
  ): Promise<void> {
    const { link, t, held, open } = this.#parts;
    const { turn } = session;
    const sent = Promise.withResolvers<boolean>();
    this.#sent.set(session, sent.promise);
    try {
      const connection = await link.connection();
      await held().catch(() => undefined);
      // Setting changes are sent with a delay; send them now, so that this turn uses them.
      await link.configure();
      const sessionId = await open(connection, session);
      if (session.state.activity === 'stopping') {
        session.finish('cancelled', t);
        return;
      }
      session.sent();
      const answer = connection.prompt({ sessionId, prompt: [...prompt] });
      sent.resolve(true);
      this.#end(session, turn, (await answer).stopReason);
    } catch (error) {
      await this.#failed(session, error);
      if (message !== undefined && isTooLarge(error)) this.#parts.returnMessage(session, message);
    } finally {
      sent.resolve(false);
    }
  }

  /**
   * Goes on with a session that was loaded: a turn that broke off while the user was asked continues by
   * asking again, others wait for *Continue*.
   */
  goOn(session: ChatSession): void {
    const { t } = this.#parts;
    const { unfinished } = session;
    if (unfinished === 'waiting') void this.continue(session);
    if (unfinished !== 'broken') return;
    session.offerToContinue(
      t('The Gatehouse host stopped during this turn. What it had done is kept.'),
    );
  }

  /** The same before a message that is about to be sent, which the host queues behind that turn. */
  goOnFirst(connection: AcpConnection, session: ChatSession, sessionId: string): void {
    const { unfinished } = session;
    session.unfinished = undefined;
    if (unfinished !== 'waiting') return;
    connection
      .call('continue', { sessionId })
      .catch((error) => this.#parts.log(`Could not continue a turn: ${describeError(error)}`));
  }

  /** Continues the session's unfinished turn, which the host has loaded. */
  async continue(session: ChatSession): Promise<void> {
    const { id: sessionId } = session;
    if (sessionId === undefined || session.busy) return;
    session.beginAgain();
    session.sent();
    const { turn } = session;
    const sent = Promise.withResolvers<boolean>();
    this.#sent.set(session, sent.promise);
    try {
      const connection = await this.#parts.link.connection();
      const answer = connection.call('continue', { sessionId });
      sent.resolve(true);
      const { stopReason } = await answer;
      if (session.turn === turn) session.unfinished = undefined;
      this.#end(session, turn, stopReason);
    } catch (error) {
      await this.#notContinued(session, turn, error);
    } finally {
      sent.resolve(false);
    }
  }

  async #notContinued(session: ChatSession, turn: number, error: unknown): Promise<void> {
    if (toRecord(toRecord(error)['data'])['kind'] !== 'busy') return this.#failed(session, error);
    // Another window has the session, and shows its requests.
    session.unfinished = undefined;
    if (session.turn === turn) session.set({ activity: 'idle' });
  }

  /** Updates a session's queue to the host's. */
  updateQueue(session: ChatSession, { running, entries, paused = false }: SessionQueue): void {
    this.#running.set(session, running);
    const own = new Map(this.#ofSession(session));
    for (const move of noteListed(own, entries)) void this.#move(session, move);
    const begun = running === undefined ? undefined : own.get(running);
    if (begun !== undefined) begin(begun);
    session.set({ queuePaused: paused, queue: toQueue(entries, own) });
  }

  async #move(session: ChatSession, move: { readonly id: string; readonly before: string }) {
    const { link, log } = this.#parts;
    if (session.id === undefined) return;
    try {
      await (await link.connection()).call('moveQueued', { sessionId: session.id, ...move });
    } catch (error) {
      log(`Could not move a message of the queue: ${describeError(error)}`);
    }
  }

  /** Removes a message from the queue and returns it. Undefined if its turn has started. */
  async remove(session: ChatSession, id: string): Promise<Message | undefined> {
    const text = session.state.queue.find((entry) => entry.id === id)?.text;
    if (text === undefined) return undefined;
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined && !waiting.sent) {
      this.#unlist(session, id);
      this.#waiting.delete(id);
      return waiting.message;
    }
    try {
      return await this.#removeInHost(session, id, waiting?.message ?? text);
    } catch (error) {
      if (!isClosed(error)) throw error;
      this.#waiting.delete(id);
      if (waiting !== undefined) return takeLost(waiting);
      // What is attached to a message of another client is that client's.
      return this.#running.get(session) === id ? undefined : { text, attached: [] };
    }
  }

  /** @param known the message, or the text of one that another client queued */
  async #removeInHost(
    session: ChatSession,
    id: string,
    known: Message | string,
  ): Promise<Message | undefined> {
    if (session.id === undefined) return undefined;
    const connection = await this.#parts.link.connection();
    const query = { sessionId: session.id, id };
    const isOwn = typeof known !== 'string';
    const { changed, attachments = [] } = await connection.call('removeQueued', {
      ...query,
      ...(!isOwn && { withAttachments: true }),
    });
    if (!changed) return undefined;
    return isOwn ? known : { text: known, attached: toAttached(attachments) };
  }

  /**
   * Drops the queue when the turn is stopped, and puts its messages back into the composer, except for
   * messages whose turn has started meanwhile.
   */
  async drop(session: ChatSession): Promise<void> {
    const dropped = session.state.queue.map(({ id, text }) => this.#drop(session, id, text));
    session.set({ queue: [] });
    const messages = (await Promise.all(dropped)).filter((message) => message !== undefined);
    if (messages.length > 0) this.#parts.returnMessage(session, joinMessages(messages));
  }

  /** A dropped message; undefined if it runs or was returned already. */
  async #drop(session: ChatSession, id: string, text: string): Promise<Message | undefined> {
    const { link } = this.#parts;
    const waiting = this.#waiting.get(id);
    const message = waiting?.message ?? { text, attached: [] };
    const unsent = waiting !== undefined && !waiting.sent;
    if (session.id === undefined || !link.queues || unsent) {
      this.#waiting.delete(id);
      return message;
    }
    try {
      return await this.#removeInHost(session, id, waiting?.message ?? text);
    } catch {
      // The host is gone, and the failed prompt may have returned the text.
      return waiting === undefined || this.#waiting.delete(id) ? message : undefined;
    }
  }

  async #enqueue(session: ChatSession, message: Message, before?: string): Promise<void> {
    this.#counter += 1;
    const id = `queued-${this.#counter}`;
    const waiting: Waiting = { session, message, ...(before !== undefined && { before }) };
    this.#waiting.set(id, waiting);
    // Shown until the host reports its queue.
    session.set({ queue: [...session.state.queue, toListed(id, message)] });
    try {
      await this.#sendQueued(id, waiting);
    } catch (error) {
      if (waiting.turn === undefined) {
        if (isTooLarge(error)) session.note(getMessage(error));
        this.#returnMessage(id);
      } else await this.#failed(session, error);
    } finally {
      this.#waiting.delete(id);
      // The running turn may have taken it, so that no turn of its own begins.
      session.noteSettled();
    }
  }

  async #sendQueued(id: string, waiting: Waiting): Promise<void> {
    const { link } = this.#parts;
    const { session } = waiting;
    const connection = await link.connection();
    const sent = await this.#sent.get(session);
    if (!this.#waiting.has(id)) return;
    const { id: sessionId } = session;
    if (sent !== true || sessionId === undefined) return this.#returnMessage(id);
    // Not all hosts report their queue.
    if (!link.queues) {
      this.#unlist(session, id);
      begin(waiting);
    }
    waiting.sent = true;
    const { stopReason } = await connection.prompt({
      sessionId,
      prompt: [...toPrompt(waiting.message)],
      ...toMeta<PromptMeta>({ queueId: id }),
    });
    if (waiting.turn !== undefined) this.#end(session, waiting.turn, stopReason);
  }

  /** Puts back a message that never ran because the host exited or the previous turn failed. */
  #returnMessage(id: string): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    waiting.returned = true;
    const { session, message } = waiting;
    this.#unlist(session, id);
    this.#parts.returnMessage(session, message);
  }

  #unlist(session: ChatSession, id: string): void {
    session.set({ queue: session.state.queue.filter((entry) => entry.id !== id) });
  }

  /** Ends the turn unless the next one has started before its response arrived. */
  #end(session: ChatSession, turn: number, stopReason: StopReason): void {
    if (session.turn === turn) session.finish(stopReason, this.#parts.t);
  }

  /** Reports a failed prompt. A host exit is reported once, by the link if it arrives in time. */
  async #failed(session: ChatSession, error: unknown): Promise<void> {
    const { link, clock, log } = this.#parts;
    if (session.interrupted) return;
    await link.exitAfter(error, (resolve) => clock.after(EXIT_WAIT, resolve));
    if (session.interrupted) return;
    log(`Prompt failed: ${describeError(error)}`);
    session.fail((id) => promptFailed(error, id));
  }

  /** The session's messages whose turn has not begun. */
  waiting(session: ChatSession): readonly Message[] {
    const waiting = this.#ofSession(session).filter(([, { turn }]) => turn === undefined);
    return waiting.map(([, { message }]) => message);
  }

  #ofSession(session: ChatSession): readonly (readonly [string, Waiting])[] {
    return [...this.#waiting].filter(([, waiting]) => waiting.session === session);
  }
}
