import type { UnreviewedFile, UnreviewedFiles } from '../../acp/gatehouse/pending.ts';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import type { FileVersions } from '../../diff/unreviewed.ts';

/** A file of a session with changes that are on disk and not reviewed. */
export interface UnreviewedEntry extends UnreviewedFile {
  readonly sessionId: string;
}

/** Whether a difference of texts shows the change, or a part of it. */
export function hasTexts({ hunks }: UnreviewedEntry): boolean {
  return hunks > 0;
}

/** Reads both texts of a file from the host. */
export type LoadVersions = (
  entry: UnreviewedEntry,
) => Promise<FileVersions & { readonly revision: string }>;

/** The unreviewed changes of all open sessions, as the host last listed them. */
export class UnreviewedStore implements Disposable {
  readonly #load: LoadVersions;
  readonly #sessions = new Map<string, readonly UnreviewedEntry[]>();
  readonly #loading = new Map<string, Promise<FileVersions | undefined>>();
  readonly #loaded = new Map<string, FileVersions>();
  readonly #changed = new Emitter<void>();

  /** Fires when the list changed, or the texts of a file were loaded. */
  readonly onDidChange = this.#changed.event;

  constructor(load: LoadVersions) {
    this.#load = load;
  }

  get all(): readonly UnreviewedEntry[] {
    return [...this.#sessions.values()].flat();
  }

  of(sessionId: string): readonly UnreviewedEntry[] {
    return this.#sessions.get(sessionId) ?? [];
  }

  /** Several sessions may have changed the same file. */
  at(path: string): readonly UnreviewedEntry[] {
    return this.all.filter((entry) => entry.path === path);
  }

  update({ sessionId, files }: UnreviewedFiles): void {
    if (files.length === 0 && !this.#sessions.has(sessionId)) return;
    if (files.length === 0) this.#sessions.delete(sessionId);
    else
      this.#sessions.set(
        sessionId,
        files.map((file) => ({ ...file, sessionId })),
      );
    const keys = new Set(this.all.map(toKey));
    for (const key of [...this.#loading.keys()]) {
      if (keys.has(key)) continue;
      this.#loading.delete(key);
      this.#loaded.delete(key);
    }
    this.#changed.fire();
  }

  /** The host exited. Its successor lists the changes again. */
  clear(): void {
    for (const sessionId of [...this.#sessions.keys()]) this.update({ sessionId, files: [] });
  }

  /** The texts, if they were loaded. Otherwise loads them, and `onDidChange` fires. */
  known(entry: UnreviewedEntry): FileVersions | undefined {
    const known = this.#loaded.get(toKey(entry));
    if (known === undefined) void this.versions(entry);
    return known;
  }

  /** Undefined if the changes are others by now. */
  versions(entry: UnreviewedEntry): Promise<FileVersions | undefined> {
    const key = toKey(entry);
    const loading = this.#loading.get(key) ?? this.#read(entry, key);
    this.#loading.set(key, loading);
    return loading;
  }

  dispose(): void {
    this.#sessions.clear();
  }

  async #read(entry: UnreviewedEntry, key: string): Promise<FileVersions | undefined> {
    try {
      const { revision, ...versions } = await this.#load(entry);
      if (revision !== entry.revision || !this.#loading.has(key)) return undefined;
      this.#loaded.set(key, versions);
      this.#changed.fire();
      return versions;
    } catch {
      // The host is gone, and the next one lists the changes again.
      this.#loading.delete(key);
      return undefined;
    }
  }
}

function toKey({ sessionId, path, revision }: UnreviewedEntry): string {
  return JSON.stringify([sessionId, path, revision]);
}
