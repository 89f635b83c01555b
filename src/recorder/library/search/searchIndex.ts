import type { Clock } from '../../../base/clock.ts';
import type { Disposable } from '../../../base/disposable.ts';
import { getMessage } from '../../../base/faults.ts';
import { failure, type Outcome, success } from '../../../base/outcome.ts';
import { BusyError, describeDiskFault, isBusy } from '../../file/faults.ts';
import type { RecorderStore } from '../../recorder.ts';
import { numberAt, optionalTextAt, readNumber, textAt } from '../../rows.ts';
import { COMPLETE } from '../../sessions.ts';
import { type IndexFile, openIndexFile, removeIndexFile } from './indexFile.ts';
import { indexing } from './indexing.ts';
import { endPurge } from './purge.ts';
import { MARK_END, MARK_START, type Snippet, toMatch, toSnippet } from './searchText.ts';

/** The longest that a step keeps the thread, in milliseconds. */
const STEP_MS = 10;
/** How long indexing rests after each step when nobody waits for it. Milliseconds. */
const REST_MS = 60;
/** How long after a turn it begins, so that a user who goes on at once is not in its way. */
const LATER_MS = 5_000;
/** How long a search waits for the index, in milliseconds. */
const PATIENCE_MS = 2_000;

export interface SearchQuery {
  readonly query: string;
  /** Only sessions of this folder. */
  readonly cwd?: string;
  readonly limit: number;
  /** Only messages before this one. */
  readonly before?: string;
}

export interface FoundMessage extends Snippet {
  readonly sessionId: string;
  readonly title: string | undefined;
  readonly messageId: string;
  /** When the session changed. Milliseconds since the epoch. */
  readonly updatedAt: number;
}

export interface SearchPage {
  /** Newest first. */
  readonly hits: readonly FoundMessage[];
  /** The index was not up to date in time. */
  readonly indexing: boolean;
}

/**
 * Full-text search over all sessions. The index is a file beside the history, made from it in short steps
 * after turns and before searches; one that is damaged is made again, and the history is never affected.
 */
export interface SearchIndex {
  /** Fails, with a message for the user, when `before` is unknown or the index can't be used. */
  search(query: SearchQuery): Promise<Outcome<SearchPage>>;
  /** Brings the index up to date now, as far as its patience goes. Then nothing deleted is in its files. */
  update(): Promise<void>;
  /** Brings the index up to date some seconds from now, while nothing waits for it. */
  later(): void;
  close(): void;
}

export function createSearchIndex(
  store: RecorderStore,
  file: string,
  { clock, patienceMs = PATIENCE_MS }: { readonly clock: Clock; readonly patienceMs?: number },
): SearchIndex {
  return new Index(store, file, clock, patienceMs);
}

class Index implements SearchIndex {
  readonly #store: RecorderStore;
  readonly #file: string;
  readonly #clock: Clock;
  readonly #patienceMs: number;
  #index: IndexFile | undefined;
  #timer: Disposable | undefined;
  #work: Generator<void> | undefined;
  #closed = false;

  constructor(store: RecorderStore, file: string, clock: Clock, patienceMs: number) {
    this.#store = store;
    this.#file = file;
    this.#clock = clock;
    this.#patienceMs = patienceMs;
  }

  async search(query: SearchQuery): Promise<Outcome<SearchPage>> {
    const match = toMatch(query.query);
    if (match === undefined) return success({ hits: [], indexing: false });
    try {
      return await this.#trySearch(query, match);
    } catch (error) {
      if (isBusy(error)) return toBusy(error);
      // Damaged: it is made again, once.
      this.#discard();
    }
    try {
      return await this.#trySearch(query, match);
    } catch (error) {
      if (isBusy(error)) return toBusy(error);
      this.#discard();
      const why =
        describeDiskFault(error) ?? `can't be used: ${getMessage(error)}. Try again in a moment.`;
      return failure(`The search index ${this.#file} ${why} The sessions are not affected.`);
    }
  }

  async update(): Promise<void> {
    try {
      if (await this.#catchUp()) endPurge(this.#open());
    } catch (error) {
      // A busy one is brought up to date by the window that uses it.
      if (!isBusy(error)) this.#discard();
    }
  }

  later(): void {
    if (!this.#closed) this.#timer ??= this.#clock.after(LATER_MS, () => this.#goOn());
  }

  close(): void {
    this.#closed = true;
    this.#timer?.dispose();
    this.#leave();
  }

  async #trySearch(query: SearchQuery, match: string): Promise<Outcome<SearchPage>> {
    const isComplete = await this.#catchUp();
    const index = this.#open();
    const before = query.before === undefined ? undefined : findFirst(index, query.before);
    if (query.before !== undefined && before === undefined) {
      return failure(`There is no message "${query.before}" to go on from. Search again.`);
    }
    return success({ hits: await this.#find(query, match, before), indexing: !isComplete });
  }

  /** False when the patience ends first. */
  async #catchUp(): Promise<boolean> {
    // What is under way may have passed what changed since.
    this.#work = undefined;
    const end = performance.now() + this.#patienceMs;
    while (this.#step()) {
      if (performance.now() >= end) {
        this.later();
        return false;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    return true;
  }

  /** One step in the background, and the next one after a rest. */
  #goOn(): void {
    this.#timer = undefined;
    if (this.#closed) return;
    try {
      if (!this.#step() && endPurge(this.#open())) return;
    } catch (error) {
      // The next search reports it, if it can't mend it.
      if (!isBusy(error)) {
        this.#discard();
        return;
      }
    }
    this.#timer = this.#clock.after(REST_MS, () => this.#goOn());
  }

  /** Whether there is more to do. */
  #step(): boolean {
    if (this.#closed) return false;
    const index = this.#open();
    const work = this.#work ?? indexing(this.#store, index);
    this.#work = work;
    try {
      const isDone = index.transaction(() => runFor(work, STEP_MS));
      if (isDone) this.#work = undefined;
      return !isDone;
    } catch (error) {
      this.#work = undefined;
      // Another window indexes the same.
      if (isBusy(error)) return true;
      throw error;
    }
  }

  #open(): IndexFile {
    if (this.#closed) throw new Error('The host ends.');
    this.#index ??= openIndexFile(this.#file, this.#store.database.journal);
    return this.#index;
  }

  #leave(): void {
    this.#work = undefined;
    this.#index?.close();
    this.#index = undefined;
  }

  #discard(): void {
    this.#leave();
    // What failed was only this window's end.
    if (this.#closed) return;
    removeIndexFile(this.#file);
  }

  /** Reads the hits page by page; whatever else waits for the thread gets its turn after each. */
  async #find(query: SearchQuery, match: string, before?: bigint): Promise<FoundMessage[]> {
    const hits = new Map<string, FoundMessage>();
    let end = before ?? LAST;
    while (hits.size < query.limit) {
      await new Promise((resolve) => setImmediate(resolve));
      const index = this.#open();
      const values = query.cwd === undefined ? [match, end] : [match, end, query.cwd];
      const rows = index.all(query.cwd === undefined ? FIND : FIND_IN, ...values, PAGE);
      for (const row of rows) {
        end = BigInt(numberAt(row, 'id'));
        const messageId = textAt(row, 'message_id');
        if (hits.has(messageId) || hits.size === query.limit) continue;
        const session = this.#store.database.get(VISIBLE, messageId);
        if (session === undefined) continue;
        hits.set(messageId, {
          ...toSnippet(textAt(row, 'marked')),
          ...{ messageId, sessionId: textAt(session, 'id') },
          ...{ title: optionalTextAt(session, 'title') },
          updatedAt: readNumber(session, 'updated_at'),
        });
      }
      if (rows.length < PAGE) break;
    }
    return [...hits.values()];
  }
}

/** The history is locked or repaired, or another window writes the index: both are as they were afterwards. */
function toBusy(error: unknown): Outcome<never> {
  if (error instanceof BusyError) return failure(error.message);
  return failure('Another window is using the search index. Search again in a moment.');
}

/** Whether the work is done. */
function runFor(work: Generator<void>, ms: number): boolean {
  const started = performance.now();
  while (performance.now() - started < ms) if (work.next().done) return true;
  return false;
}

function findFirst(index: IndexFile, messageId: string): bigint | undefined {
  const row = index.get('SELECT min(id) AS id FROM doc WHERE message_id = ?', messageId);
  return typeof row?.['id'] === 'number' ? BigInt(row['id']) : undefined;
}

const LAST = 2n ** 62n;
/** Hits that are read at once: to show one of a long text takes about half a millisecond. */
const PAGE = 10;
const toFind = (more: string) => `
  SELECT doc.id AS id, doc.message_id AS message_id,
    snippet(words, 0, '${MARK_START}', '${MARK_END}', '…', 24) AS marked
  FROM words CROSS JOIN doc ON doc.id = words.rowid
  WHERE words MATCH ? AND words.rowid < ? ${more} ORDER BY words.rowid DESC LIMIT ?`;
const FIND = toFind('');
const FIND_IN = toFind('AND doc.cwd = ?');
/** A message that was hidden or deleted since it was indexed is not found. */
const VISIBLE = `
  SELECT session.id AS id, session.updated_at AS updated_at,
    json_extract(session.metadata_json, '$.title') AS title
  FROM chat_messages AS message JOIN chat_sessions AS session ON session.id = message.session_id
  WHERE message.id = ? AND json_extract(message.metadata_json, '$.hidden_at') IS NULL
    AND ${COMPLETE.replace('metadata_json', 'session.metadata_json')}`;
