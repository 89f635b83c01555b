import { Emitter } from '../../base/event.ts';
import { type Connection, type ConnectOptions, connect } from './connect.ts';
import { BusyError, explainFault, isDamage, isMalformedJson } from './faults.ts';
import { identify } from './parts.ts';
import { describeFailure, describeMended, describeRepair, mendRows, repair } from './repair.ts';
import type { StatementSync } from './sqlite.ts';

/** How often a path is looked at outside of transactions, in milliseconds. */
const LOOK_MS = 250;

/** Damage within this time after a check that found none is believed without another check. */
const BELIEVED_MS = 60_000;

/**
 * The open database file. Where it turns out to be damaged, a worker thread replaces it by what can be
 * read; until then every use is a `BusyError`. When another host has replaced it, or it was removed, the
 * file that its path now names is opened.
 */
export class LiveFile {
  /** What the user has to know. */
  readonly notices: string[] = [];
  readonly noticed = new Emitter<string>();
  /** Fires after the file was replaced: rows that were stored may be missing. */
  readonly replaced = new Emitter<void>();
  readonly #file: string;
  readonly #options: Omit<ConnectOptions, 'notice'>;
  readonly #statements = new Map<string, StatementSync>();
  readonly #ended = new AbortController();
  #connection: Connection | undefined;
  #repairing: Promise<void> | undefined;
  #failed: string | undefined;
  #lookedAt = 0;
  #soundAt = Number.NEGATIVE_INFINITY;

  /** Throws, with a message for the user, when the file cannot be used. A damaged one is being repaired then. */
  constructor(file: string, options: Omit<ConnectOptions, 'notice'>) {
    this.#file = file;
    this.#options = options;
    try {
      this.#connection = this.#connect();
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#startRepair('certain');
    }
  }

  get journal(): string {
    return this.#connection?.journal ?? '';
  }

  get isTransaction(): boolean {
    return this.#connection?.sqlite.isTransaction ?? false;
  }

  /** Resolves when the repair that runs has ended; undefined when none does. */
  get repairing(): Promise<void> | undefined {
    return this.#repairing;
  }

  /** Runs `work` on the open file. Throws a `BusyError` while it is repaired, and when it is found damaged. */
  use<Result>(work: (prepare: (sql: string) => StatementSync) => Result): Result {
    if (this.#ended.signal.aborted) throw new Error('The history is closed.');
    if (this.#failed !== undefined) throw new Error(this.#failed);
    if (this.#repairing !== undefined) throw new BusyError(REPAIRING);
    try {
      if (!this.isTransaction && performance.now() - this.#lookedAt > LOOK_MS) this.follow();
      return work((sql) => this.#prepare(sql));
    } catch (error) {
      // Each use is one statement, which has done nothing then.
      if (isMalformedJson(error) && this.#mend()) return work((sql) => this.#prepare(sql));
      if (!isDamage(error)) throw explainFault(this.#file, error);
      this.#startRepair(performance.now() - this.#soundAt < BELIEVED_MS ? 'certain' : 'repair');
      throw new BusyError(REPAIRING);
    }
  }

  #mend(): boolean {
    const { busyTimeoutMs } = this.#options;
    const rows = this.#connection ? mendRows(this.#connection.sqlite, busyTimeoutMs) : 0;
    if (rows > 0) this.notice(describeMended(this.#file, rows));
    return rows > 0;
  }

  /** Whether the path names another file than the open one, or none. */
  isMoved(): boolean {
    this.#lookedAt = performance.now();
    return this.#connection !== undefined && identify(this.#file) !== this.#connection.identity;
  }

  /** Opens the file that the path now names, if it is another one. */
  follow(): void {
    if (!this.isMoved()) return;
    const now = identify(this.#file);
    const text =
      now === undefined
        ? `The history ${this.#file} was removed while Gatehouse was running. A new one was begun. Open sessions go on without their earlier messages; if you have a backup, close all windows before you restore it.`
        : describeRepair(this.#file, { kind: 'replaced' });
    this.#close();
    this.#connection = this.#connect();
    if (text !== undefined) this.notice(text);
    this.replaced.fire();
  }

  /** Checks the whole file in a worker thread, and repairs it if it is damaged. */
  async check(): Promise<void> {
    const found = await repair(this.#job('check'), this.#ended.signal);
    if (found.kind === 'damaged' && !this.#ended.signal.aborted) this.#startRepair('repair');
    await this.#repairing;
  }

  /** Rolls back what is open, whatever state the file is in. */
  rollBack(): void {
    try {
      if (this.isTransaction) this.#connection?.sqlite.exec('ROLLBACK');
    } catch (error) {
      // It ends when the file is closed.
      if (!isDamage(error)) throw error;
    }
  }

  close(): void {
    this.#ended.abort();
    this.#close();
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    // It is closed when another file that took its place could not be opened.
    this.#connection ??= this.#connect();
    const statement = this.#connection.sqlite.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #connect(): Connection {
    try {
      return connect(this.#file, { ...this.#options, notice: (text) => this.notice(text) });
    } catch (error) {
      throw explainFault(this.#file, error);
    }
  }

  #close(): void {
    this.#statements.clear();
    this.#connection?.sqlite.close();
    this.#connection = undefined;
  }

  notice(text: string): void {
    this.notices.push(text);
    this.noticed.fire(text);
  }

  #job(mode: 'check' | 'repair' | 'certain') {
    const identity = this.#connection?.identity ?? identify(this.#file);
    const { now, migrations } = this.#options;
    return { file: this.#file, identity, migrations, now: now(), mode };
  }

  #startRepair(mode: 'repair' | 'certain'): void {
    if (this.#repairing !== undefined) return;
    const repairing = this.#repair(mode).finally(() => {
      if (this.#repairing === repairing) this.#repairing = undefined;
    });
    this.#repairing = repairing;
  }

  /** Never rejects. */
  async #repair(mode: 'repair' | 'certain'): Promise<void> {
    // The transaction that found the damage ends first.
    await new Promise((resolve) => setImmediate(resolve));
    const job = this.#job(mode);
    if (this.#ended.signal.aborted) return;
    this.#close();
    const repaired = await repair(job, this.#ended.signal);
    if (this.#ended.signal.aborted) return;
    if (repaired.kind === 'sound') this.#soundAt = performance.now();
    const text = describeRepair(this.#file, repaired);
    if (repaired.kind === 'failed') this.#failed = text;
    else this.#reopen();
    if (text !== undefined) this.notice(text);
    if (this.#failed === undefined && repaired.kind !== 'sound') this.#afterReplaced();
  }

  #reopen(): void {
    try {
      this.#connection = this.#connect();
    } catch (error) {
      this.#failed = describeFailure(this.#file, error instanceof Error ? error.message : '');
      this.notice(this.#failed);
    }
  }

  /** The listeners write, which is allowed again. */
  #afterReplaced(): void {
    this.#repairing = undefined;
    this.replaced.fire();
  }
}

const REPAIRING =
  'The history is damaged and is being repaired. Nothing that you sent was lost; try again in a moment.';
