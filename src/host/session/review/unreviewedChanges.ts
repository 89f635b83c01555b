import { createHash } from 'node:crypto';
import type {
  ResolvedFile,
  UnreviewedFile,
  UnreviewedTexts,
} from '../../../acp/gatehouse/pending.ts';
import { countLineEnds } from '../../../diff/context.ts';
import {
  addChange,
  type FileVersions,
  findUnreviewed,
  keepHunks,
  locateHunks,
  undoHunks,
} from '../../../diff/unreviewed.ts';
import type { StoredUnreviewed, UnreviewedTable } from '../../../recorder/changes.ts';

export interface UnreviewedParts {
  readonly table: UnreviewedTable;
  readonly sessionId: string;
  /** Called when the list changed. */
  onChange(): void;
}

/** A file whose review the user decides about, as it is stored. */
export interface Resolved {
  readonly file: StoredUnreviewed;
  readonly revision: string;
  readonly hunks: ReadonlySet<number>;
}

/**
 * The changes of a session that are on disk and await the user's review (`gatehouse.review.mode:
 * afterwards`). Every state is read from the database, which other windows write too.
 */
export class UnreviewedChanges {
  readonly #table: UnreviewedTable;
  readonly #sessionId: string;
  readonly #onChange: () => void;

  constructor({ table, sessionId, onChange }: UnreviewedParts) {
    this.#table = table;
    this.#sessionId = sessionId;
    this.#onChange = onChange;
  }

  /** Adds a change that is about to be made. The result drops it, if it was not made after all. */
  add({ path, ...change }: StoredUnreviewed): () => void {
    const known = this.#find(path);
    this.#put(path, addChange(known, change));
    this.#onChange();
    return () => {
      this.#put(path, known ?? {});
      this.#onChange();
    };
  }

  list(): readonly UnreviewedFile[] {
    return this.#table.unreviewed(this.#sessionId).map(toFile);
  }

  texts(path: string): UnreviewedTexts {
    const file = this.#find(path);
    if (file === undefined) return { revision: '' };
    const { before, after } = file;
    return {
      revision: toRevision(file),
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
    };
  }

  /** The files as the user saw them; those that are others by now are `outdated`. */
  resolve(files: readonly ResolvedFile[]) {
    const found: Resolved[] = [];
    const outdated: string[] = [];
    for (const { path, revision, hunks } of files) {
      const file = this.#find(path);
      if (file === undefined || toRevision(file) !== revision) {
        outdated.push(path);
        continue;
      }
      const all = findUnreviewed(file).keys();
      found.push({ file, revision, hunks: new Set(hunks ?? all) });
    }
    return { found, outdated };
  }

  /** The user keeps these hunks. */
  keep(resolved: readonly Resolved[]): void {
    for (const { file, hunks } of resolved) this.#put(file.path, keepHunks(file, hunks));
    this.#onChange();
  }

  /** Call when hunks were taken out of the file. `left` is not stored over changes made meanwhile. */
  undone({ file, revision }: Pick<Resolved, 'file' | 'revision'>, left: FileVersions): void {
    const now = this.#find(file.path);
    if (now === undefined || toRevision(now) !== revision) return;
    this.#put(file.path, left);
    this.#onChange();
  }

  /** Removes the hunks that a file does not have any more; `text` is its present text. */
  dropGone(path: string, text: string | undefined): void {
    const file = this.#find(path);
    if (file === undefined) return;
    const gone =
      text === undefined
        ? [...findUnreviewed(file).keys()].filter(() => file.before === undefined)
        : locateHunks(file, text).flatMap(({ state, index }) => (state === 'gone' ? [index] : []));
    if (gone.length === 0) return;
    const undone = undoHunks(file, new Set(gone), file.after);
    if (undone !== 'conflict') this.undone({ file, revision: toRevision(file) }, undone.left);
  }

  #find(path: string): StoredUnreviewed | undefined {
    return this.#table.unreviewed(this.#sessionId).find((file) => file.path === path);
  }

  #put(path: string, { before, after }: FileVersions): void {
    if (before === after) {
      this.#table.removeUnreviewed(this.#sessionId, path);
      return;
    }
    this.#table.putUnreviewed(this.#sessionId, {
      path,
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
    });
  }
}

function toFile(file: StoredUnreviewed): UnreviewedFile {
  const { path, before, after } = file;
  const hunks = findUnreviewed(file);
  const total = (pick: 'oldText' | 'newText') =>
    hunks.reduce((sum, hunk) => sum + countLines(hunk[pick]), 0);
  const kind = before === undefined ? 'created' : after === undefined ? 'deleted' : 'changed';
  return {
    ...{ path, kind, revision: toRevision(file), hunks: hunks.length },
    ...{ added: total('newText'), removed: total('oldText') },
  };
}

function countLines(text: string): number {
  const ends = countLineEnds(text, 0, text.length);
  return text === '' || text.endsWith('\n') ? ends : ends + 1;
}

function toRevision({ before, after }: FileVersions): string {
  const texts = JSON.stringify([before ?? null, after ?? null]);
  return createHash('sha256').update(texts).digest('base64url').slice(0, 22);
}
