import type { Clock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { Emitter } from '../../../base/event.ts';
import { type CallKey, type ProposedChange, ProposedFile } from './proposedFile.ts';
import type { ReviewStorage, StoredFile } from './reviewStorage.ts';

export interface ReviewStoreParts {
  readonly storage: Pick<ReviewStorage, 'load' | 'create' | 'update' | 'remove' | 'settled'>;
  readonly clock: Clock;
  onError(error: unknown): void;
}

/** Milliseconds after the last change until it is written: what a crash may lose. */
export const SAVE_DELAY = 300;

/** Calls whose files are kept in memory. */
const KEPT_CALLS = 200;

/** A file of a review that changed: its text, the current file or a mark. */
export interface ReviewChange {
  readonly file: ProposedFile;
}

/**
 * The files under review, of any number of calls and sessions, by session, call and path. Restores
 * what the user typed into a proposal that is proposed again unchanged, as after a reload.
 *
 * To review files of several calls together, `propose` each call's and list their `files`: all other
 * parts (file system, lenses, keys) work by file.
 */
export class ReviewStore implements Disposable {
  readonly #parts: ReviewStoreParts;
  readonly #calls = new Map<string, Map<string, ProposedFile>>();
  readonly #watches = new Map<ProposedFile, DisposableStore>();
  readonly #unsaved = new Map<ProposedFile, Disposable>();
  readonly #stored = new WeakSet<ProposedFile>();
  readonly #changed = new Emitter<ReviewChange>();
  readonly onDidChange = this.#changed.event;

  constructor(parts: ReviewStoreParts) {
    this.#parts = parts;
  }

  /** Adds the files of a call, or returns those that it already has. */
  async propose(changes: readonly ProposedChange[]): Promise<readonly ProposedFile[]> {
    return Promise.all(changes.map((change) => this.#propose(change)));
  }

  /** The file, from storage if this window has not seen it yet. */
  async find(call: CallKey, path: string): Promise<ProposedFile | undefined> {
    const known = this.get(call, path);
    if (known !== undefined) return known;
    const stored = await this.#parts.storage.load(call, path);
    return this.get(call, path) ?? (stored && this.#add(stored.change, stored));
  }

  get(call: CallKey, path: string): ProposedFile | undefined {
    return this.#calls.get(toKey(call))?.get(path);
  }

  /** Stores a file whose documents are about to be shown, so that a reload can show them again. */
  async keep(file: ProposedFile): Promise<void> {
    if (this.#stored.has(file)) return;
    this.#stored.add(file);
    await this.#parts.storage.create(toStored(file)).catch((error) => this.#failed(file, error));
  }

  /** The files of a call, in the order in which they were proposed. */
  files(call: CallKey): readonly ProposedFile[] {
    return [...(this.#calls.get(toKey(call))?.values() ?? [])];
  }

  /** Removes what is known and stored of a call. */
  async remove(call: CallKey): Promise<void> {
    this.#drop(toKey(call));
    await this.#parts.storage.remove(call);
  }

  /** Writes what has not been written yet. */
  async flush(): Promise<void> {
    for (const file of [...this.#unsaved.keys()]) this.#save(file);
    await this.settled();
  }

  /** Resolves when what was to be written by now is on disk. */
  settled(): Promise<void> {
    return this.#parts.storage.settled();
  }

  dispose(): void {
    for (const file of [...this.#unsaved.keys()]) this.#save(file);
    for (const key of [...this.#calls.keys()]) this.#drop(key);
    this.#changed.dispose();
  }

  async #propose(change: ProposedChange): Promise<ProposedFile> {
    const known = await this.find(change.call, change.path);
    if (known !== undefined && isSame(known.change, change)) return known;
    return this.#add(change);
  }

  #add(change: ProposedChange, stored?: StoredFile): ProposedFile {
    const key = toKey(change.call);
    const files = this.#calls.get(key) ?? new Map<string, ProposedFile>();
    const replaced = files.get(change.path);
    if (replaced !== undefined) this.#unwatch(replaced);
    const file = new ProposedFile(change, stored && { ...stored.marks, text: stored.text });
    if (stored !== undefined) this.#stored.add(file);
    files.set(change.path, file);
    this.#calls.set(key, files);
    const store = new DisposableStore();
    store.add(
      file.onDidChange(() => {
        this.#schedule(file);
        this.#changed.fire({ file });
      }),
    );
    this.#watches.set(file, store);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > KEPT_CALLS && oldest !== undefined) this.#drop(oldest);
    return file;
  }

  #schedule(file: ProposedFile): void {
    this.#unsaved.get(file)?.dispose();
    this.#unsaved.set(
      file,
      this.#parts.clock.after(SAVE_DELAY, () => this.#save(file)),
    );
  }

  #save(file: ProposedFile): void {
    this.#unsaved.get(file)?.dispose();
    this.#unsaved.delete(file);
    if (!this.#stored.has(file)) void this.keep(file);
    else {
      this.#parts.storage.update(toStored(file)).catch((error) => this.#failed(file, error));
    }
  }

  /** What could not be stored is stored as a whole with the next change. */
  #failed(file: ProposedFile, error: unknown): void {
    this.#stored.delete(file);
    this.#parts.onError(error);
  }

  #drop(key: string): void {
    for (const file of this.#calls.get(key)?.values() ?? []) this.#unwatch(file);
    this.#calls.delete(key);
  }

  #unwatch(file: ProposedFile): void {
    this.#unsaved.get(file)?.dispose();
    this.#unsaved.delete(file);
    this.#watches.get(file)?.dispose();
    this.#watches.delete(file);
  }
}

function toKey({ sessionId, toolCallId }: CallKey): string {
  return JSON.stringify([sessionId, toolCallId]);
}

function toStored({ change, text, marks }: ProposedFile): StoredFile {
  return { change, text, marks };
}

function isSame(one: ProposedChange, other: ProposedChange): boolean {
  return (
    one.kind === other.kind &&
    isSameStored(one.baseText, other.baseText) &&
    isSameStored(one.proposedText, other.proposedText)
  );
}

/** Half of a character can't be stored. */
function isSameStored(one: string, other: string): boolean {
  return one === other || one.toWellFormed() === other.toWellFormed();
}
