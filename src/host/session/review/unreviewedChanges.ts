import { createHash } from 'node:crypto';
import type {
  ResolvedFile,
  UnreviewedFile,
  UnreviewedTexts,
} from '../../../acp/gatehouse/pending.ts';
import { isInFolder } from '../../../base/disk/insideFolder.ts';
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
import { type EntryTable, isKept, type UnreviewedEntryChange } from '../../../recorder/entries.ts';
import { describeEntries, toKind } from './describeEntries.ts';
import { joinEntries } from './undoEntries.ts';

type ReviewTable = UnreviewedTable & Pick<EntryTable, 'unreviewedEntries' | 'setEntriesReviewed'>;

export interface UnreviewedParts {
  readonly table: ReviewTable;
  readonly sessionId: string;
  /** Called when the list changed. */
  onChange(): void;
}

/** A path with its unreviewed changes, as they are stored. */
interface Unreviewed {
  /** Has no texts when only entries changed. */
  readonly file: StoredUnreviewed;
  readonly entries: readonly UnreviewedEntryChange[];
}

/** A file whose review the user decides about, as it is stored. */
export interface Resolved extends Unreviewed {
  readonly revision: string;
  readonly hunks: ReadonlySet<number>;
}

/**
 * The changes of a session that are on disk and await the user's review (`gatehouse.review.mode:
 * afterwards`). Every state is read from the database, which other windows write too.
 */
export class UnreviewedChanges {
  readonly #table: ReviewTable;
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
    return this.#all().map(toFile);
  }

  texts(path: string): UnreviewedTexts {
    const found = this.#all().find(({ file }) => file.path === path);
    if (found === undefined) return { revision: '' };
    const { before, after } = found.file;
    return {
      revision: toRevision(found),
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
    };
  }

  /** The files as the user saw them; those that are others by now are `outdated`. */
  resolve(files: readonly ResolvedFile[]) {
    const found: Resolved[] = [];
    const outdated: string[] = [];
    const known = new Map(this.#all().map((each) => [each.file.path, each]));
    for (const { path, revision, hunks } of files) {
      const now = known.get(path);
      if (now === undefined || toRevision(now) !== revision) {
        outdated.push(path);
        continue;
      }
      const all = [...findUnreviewed(now.file).keys()];
      const decided = new Set(hunks ?? all);
      const isWhole = all.every((hunk) => decided.has(hunk));
      found.push({ ...now, revision, hunks: decided, entries: isWhole ? now.entries : [] });
    }
    return { found, outdated };
  }

  /**
   * The same with the deleted folders that these lay in, which have to be there again before. Those are then decided
   * about too.
   */
  withFolders(resolved: readonly Resolved[]): readonly Resolved[] {
    const known = new Set(resolved.map(({ file }) => file.path));
    const folders = this.#all().filter(
      ({ file, entries }) =>
        !known.has(file.path) &&
        entries.at(-1)?.after.type === 'none' &&
        entries[0]?.before.type === 'folder' &&
        [...known].some((path) => isInFolder(path, file.path)),
    );
    return [
      ...folders.map((each) => ({ ...each, revision: toRevision(each), hunks: new Set<number>() })),
      ...resolved,
    ];
  }

  /** The user keeps these. */
  keep(resolved: readonly Resolved[]): void {
    for (const { file, hunks, entries } of resolved) {
      if (hunks.size > 0) this.#put(file.path, keepHunks(file, hunks));
      this.#table.setEntriesReviewed(entries.map(({ id }) => id));
    }
    this.#onChange();
  }

  /**
   * Call when changes were taken out of the file. `left` is not stored over changes made meanwhile; absent: its text
   * is as it was.
   */
  undone({ file, revision, entries }: Omit<Resolved, 'hunks'>, left?: FileVersions): void {
    const now = this.#all().find((each) => each.file.path === file.path);
    if (now === undefined || toRevision(now) !== revision) return;
    if (left !== undefined) this.#put(file.path, left);
    this.#table.setEntriesReviewed(entries.map(({ id }) => id));
    this.#onChange();
  }

  /** Call when a call's changes of these paths were reverted. */
  reverted(toolCallId: string, paths: readonly string[]): void {
    const own = this.#table
      .unreviewedEntries(this.#sessionId)
      .filter((entry) => entry.toolCallId === toolCallId && paths.includes(entry.path));
    if (own.length === 0) return;
    this.#table.setEntriesReviewed(own.map(({ id }) => id));
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
    if (undone === 'conflict') return;
    this.#put(path, undone.left);
    this.#onChange();
  }

  /** Paths with changed texts come first. */
  #all(): readonly Unreviewed[] {
    const files = this.#table.unreviewed(this.#sessionId);
    const entries = Map.groupBy(this.#table.unreviewedEntries(this.#sessionId), ({ path }) => path);
    const texts = new Set(files.map(({ path }) => path));
    const others = [...entries].filter(([path, own]) => !texts.has(path) && !own.every(isOfText));
    return [
      ...files.map((file) => ({ file, entries: entries.get(file.path) ?? [] })),
      ...others.map(([path, own]) => ({ file: { path }, entries: own })),
    ];
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

/** The mode of a deleted text. */
function isOfText({ before, after }: UnreviewedEntryChange): boolean {
  return before.type === 'mode' && after.type === 'none';
}

function toFile(unreviewed: Unreviewed): UnreviewedFile {
  const { file, entries } = unreviewed;
  const { path } = file;
  const own = entries.filter((each) => !isOfText(each));
  const described = describeEntries(own);
  const entry = joinEntries(own).every(isKept) ? described : `${described} · ${NOT_KEPT}`;
  const hunks = findUnreviewed(file);
  const total = (pick: 'oldText' | 'newText') =>
    hunks.reduce((sum, hunk) => sum + countLines(hunk[pick]), 0);
  const kind = hunks.length > 0 ? toTextKind(file) : toKind(entries);
  return {
    ...{ path, kind, revision: toRevision(unreviewed), hunks: hunks.length },
    ...{ added: total('newText'), removed: total('oldText') },
    ...(entry !== undefined && { entry }),
  };
}

/** Of a change that can't be undone. */
const NOT_KEPT = 'old content not kept';

function toTextKind({ before, after }: FileVersions): UnreviewedFile['kind'] {
  return before === undefined ? 'created' : after === undefined ? 'deleted' : 'changed';
}

function countLines(text: string): number {
  const ends = countLineEnds(text, 0, text.length);
  return text === '' || text.endsWith('\n') ? ends : ends + 1;
}

function toRevision({ file: { before, after }, entries }: Unreviewed): string {
  const texts = JSON.stringify([before ?? null, after ?? null, ...entries.map(({ id }) => id)]);
  return createHash('sha256').update(texts).digest('base64url').slice(0, 22);
}
