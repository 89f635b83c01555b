import type { AskSource } from '../../acp/gatehouse/pending.ts';
import type { WireRisk } from '../../acp/gatehouse/permission.ts';
import type { Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/event.ts';
import { areOffered, isPlan } from '../../webview/messages/askActions.ts';
import {
  ARM_DELAY,
  type Ask,
  type AskAnswer,
  type AskEntry,
  type PermissionAsk,
} from '../../webview/messages/asks.ts';

/** A pending request and where it comes from. */
export interface QueuedAsk {
  readonly sessionId: string;
  readonly ask: Ask;
  readonly source: AskSource;
  /** The tool that is called; absent for a question. */
  readonly tool?: string;
  /** The arguments of the call. */
  readonly input?: unknown;
  /** Why the call deserves a second look. */
  readonly risks?: readonly WireRisk[];
}

/** The request that every surface shows, and its position in the queue. */
export interface CurrentAsk extends QueuedAsk {
  /** 1-based. */
  readonly position: number;
  readonly total: number;
}

/** Undefined if the ask was withdrawn because the turn was stopped or the host exited. */
type Resolve = (answer: AskAnswer | undefined) => void;

interface Open {
  readonly pending: QueuedAsk;
  readonly resolve: Resolve;
}

/**
 * The pending requests of all sessions in call order, one of which is current. Card, quick pick,
 * diff, status bar and inbox show the current one. The first answer wins and closes the request
 * everywhere; then the next one is current.
 */
export class Asks {
  readonly #clock: Clock;
  /** In call order. */
  #open: readonly Open[] = [];
  #current: Open | undefined;
  /** The user chose the current request, so an earlier call doesn't replace it. */
  #chosen = false;
  /** When the current request became current, or an answer came too early. */
  #since = Number.NEGATIVE_INFINITY;
  #deferred = false;
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get pending(): readonly QueuedAsk[] {
    return this.#open.map(({ pending }) => pending);
  }

  get current(): CurrentAsk | undefined {
    const current = this.#current;
    if (current === undefined) return undefined;
    const position = this.#open.indexOf(current) + 1;
    return { ...current.pending, position, total: this.#open.length };
  }

  /** The user put the queue off. It lasts until a new request arrives. */
  get deferred(): boolean {
    return this.#deferred;
  }

  get(id: string): QueuedAsk | undefined {
    return this.#find(id)?.pending;
  }

  /**
   * Resolves with the first answer, or with undefined if the ask is withdrawn. An ask with the id of a
   * pending one is never shown, so that an answer never settles another request.
   */
  add(pending: QueuedAsk, signal: AbortSignal): Promise<AskAnswer | undefined> {
    const { id } = pending.ask;
    if (signal.aborted || this.#find(id) !== undefined) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#insert({ pending, resolve });
      signal.addEventListener('abort', () => this.#close(id, undefined), { once: true });
      this.#changed.fire();
    });
  }

  /**
   * Answers an ask. Returns false and does nothing if it is not pending, or if the user can't have
   * read what is current now: a second click meant for the request before it answers nothing.
   */
  answer(id: string, answer: AskAnswer): boolean {
    const open = this.#find(id);
    if (open === undefined || !fits(open.pending.ask, answer) || !this.accepts(id)) return false;
    this.#close(id, withLeftOut(answer, open.pending.ask));
    return true;
  }

  /**
   * Whether an answer to a request would count now, for callers that have to do something first. One
   * that comes too early starts the delay again.
   */
  accepts(id: string): boolean {
    if (this.#find(id) === undefined) return false;
    if (!this.#isUnread()) return true;
    this.#since = this.#clock.now();
    return false;
  }

  /** Shows a pending request in another form. Its options, and so its answers, stay the same. */
  update(ask: Ask): void {
    const known = this.#find(ask.id);
    if (known === undefined) return;
    const open = { ...known, pending: { ...known.pending, ask } };
    this.#open = this.#open.with(this.#open.indexOf(known), open);
    if (this.#current === known) this.#current = open;
    this.#changed.fire();
  }

  /** Keeps the entries of a proposal that `isKept` selects, and leaves out the others, on every surface. */
  keepEntries(id: string, isKept: (entry: AskEntry) => boolean): PermissionAsk | undefined {
    const ask = this.#find(id)?.pending.ask;
    if (ask?.kind !== 'permission' || ask.entries === undefined) return undefined;
    const entries = ask.entries.map((entry) => ({ ...entry, kept: isKept(entry) }));
    const updated = { ...ask, entries };
    this.update(updated);
    return updated;
  }

  /** Makes a request current because the user chose it. False if it is not pending. */
  select(id: string): boolean {
    const open = this.#find(id);
    if (open === undefined) return false;
    this.#deferred = false;
    this.#chosen = true;
    if (open !== this.#current) this.#setCurrent(open);
    this.#changed.fire();
    return true;
  }

  /** Makes the request after the current one current; after the last one, the first. */
  selectNext(): void {
    const index = this.#current === undefined ? -1 : this.#open.indexOf(this.#current);
    const next = this.#open[index + 1] ?? this.#open[0];
    if (next !== undefined) this.select(next.pending.ask.id);
  }

  /** Puts off the whole queue until a new request arrives. Nothing is answered. */
  defer(): void {
    if (this.#open.length === 0 || this.#deferred) return;
    this.#deferred = true;
    this.#changed.fire();
  }

  /** Withdraws the asks of a session, or all asks. */
  withdraw(sessionId?: string): void {
    for (const { pending } of this.#open) {
      if (sessionId === undefined || pending.sessionId === sessionId) {
        this.#close(pending.ask.id, undefined);
      }
    }
  }

  #find(id: string): Open | undefined {
    return this.#open.find(({ pending }) => pending.ask.id === id);
  }

  #insert(open: Open): void {
    const { order } = open.pending.source;
    const after = this.#open.findIndex(({ pending }) => pending.source.order > order);
    const index = after === -1 ? this.#open.length : after;
    this.#open = this.#open.toSpliced(index, 0, open);
    this.#deferred = false;
    if (this.#current === undefined || this.#isReplacedBy(open)) this.#setCurrent(open);
  }

  /**
   * The calls of one message reach their requests in any order. An earlier call becomes current as
   * long as the current request is too new to be answered.
   */
  #isReplacedBy({ pending }: Open): boolean {
    const current = this.#current;
    if (current === undefined || this.#chosen) return false;
    return this.#isUnread() && pending.source.order < current.pending.source.order;
  }

  /** Whether the current request is too new to have been read. The system clock may be set back. */
  #isUnread(): boolean {
    const age = this.#clock.now() - this.#since;
    return age >= 0 && age < ARM_DELAY;
  }

  #close(id: string, answer: AskAnswer | undefined): void {
    const open = this.#find(id);
    if (open === undefined) return;
    const index = this.#open.indexOf(open);
    this.#open = this.#open.toSpliced(index, 1);
    if (open === this.#current) {
      this.#chosen = false;
      this.#setCurrent(this.#open[index] ?? this.#open[0]);
    }
    if (this.#open.length === 0) this.#deferred = false;
    open.resolve(answer);
    this.#changed.fire();
  }

  #setCurrent(open: Open | undefined): void {
    this.#current = open;
    this.#since = this.#clock.now();
  }
}

/** What the surfaces show as left out, whatever surface the answer comes from. */
function withLeftOut(answer: AskAnswer, ask: Ask): AskAnswer {
  if (answer.kind !== 'option' || ask.kind !== 'permission') return answer;
  const leftOut = (ask.entries ?? []).flatMap(({ id, kept }) => (kept ? [] : [id]));
  const { leftOut: _, ...own } = answer;
  return leftOut.length === 0 ? own : { ...own, leftOut };
}

/** Whether an answer was offered. Messages from the chat's page are not trusted. */
function fits(ask: Ask, answer: AskAnswer): boolean {
  if (ask.kind === 'question') return answer.kind !== 'option';
  if (answer.kind !== 'option') return false;
  const option = ask.options.find(({ optionId }) => optionId === answer.optionId);
  if (option === undefined || (answer.edited !== undefined && ask.edit === undefined)) return false;
  if (answer.build && !(isPlan(ask) && option.kind === 'allow_once')) return false;
  return answer.rules === undefined || areOffered(answer.rules, option.kind, ask);
}
