import { type BigIntStats, readdirSync, readlinkSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getCode } from '../../../base/faults.ts';
import { MB } from '../../../base/units.ts';
import type { CopyChange, EntryKind } from './changes.ts';
import { createFolderMoves, type FolderMoves } from './folderMoves.ts';
import { findEntry, toOwnStamp } from './meanwhile.ts';
import type { Unneeded } from './refreshCopy.ts';
import { hasSameContent } from './sameContent.ts';

/** One workspace folder and the upper folder of its copy. */
export interface CopiedFolder {
  readonly folder: string;
  readonly upper: string;
  /** Nanoseconds since the epoch, by the file system's clock: what changed later is a conflict. */
  readonly since: bigint;
  /** The same of the first command since the copy was leased. */
  readonly first: bigint;
  /** By how many nanoseconds that clock was set back since; `since` and `first` are earlier by these already. */
  readonly setBack?: bigint;
  /** When the copy took over what it kept of earlier commands, by `toTakenKey`. */
  readonly taken?: ReadonlyMap<string, bigint>;
  /** Whether the workspace had this file, or the folder with this `toFolderId`, when the command began. Undefined: not known. */
  had(file: string, id?: string): boolean | undefined;
  /** Lists what the copy shows in these folders, absolute, each ended by a NUL. Undefined: unknown. */
  listMerged(folders: readonly Buffer[]): Promise<Buffer | undefined>;
}

/** More changes than anyone can review. */
export const CHANGE_LIMIT = 200_000;

/**
 * Lists what differs, parents first. Undefined when there is too much, or the signal aborts. Rejects when something
 * can't be read, such as a folder without permissions. The event loop is never blocked for long.
 */
export async function readChanges(
  copied: CopiedFolder,
  signal: AbortSignal,
): Promise<ReadChanges | undefined> {
  const walk = new Walk(copied, signal);
  if (!(await walk.readAll())) return undefined;
  const { same, merged, hiding, modes } = walk;
  const hidden = new Set(hiding.map((folder) => toKey(join(copied.folder, folder))));
  const changes = walk.changes.map((change) =>
    change.type === 'mode' && hidden.has(toKey(change.file))
      ? { ...change, hides: true as const }
      : change,
  );
  return { changes, unneeded: { entries: same, merged, hiding, modes }, taken: walk.taken };
}

/** Names an entry of the workspace, one character a byte. */
export function toTakenKey({ file }: Pick<CopyChange, 'file'>): string {
  return toKey(file);
}

export interface ReadChanges {
  readonly changes: readonly CopyChange[];
  /** What lies in the upper folder and doesn't differ. */
  readonly unneeded: Unneeded;
  /** When the copy took over each of the changed entries, by `toTakenKey`. */
  readonly taken: ReadonlyMap<string, bigint>;
}

class Walk {
  readonly changes: CopyChange[] = [];
  readonly taken = new Map<string, bigint>();
  /** Entries that don't differ, and marks of deleted ones that the workspace doesn't have, relative. */
  readonly same: Buffer[] = [];
  /** Folders that both sides have, relative. The command may have removed and made one anew. */
  readonly merged: Buffer[] = [];
  /** Those of them that hide something. */
  readonly hiding: Buffer[] = [];
  /** Those of them that have another mode. */
  readonly modes: Buffer[] = [];
  readonly #copied: CopiedFolder;
  readonly #signal: AbortSignal;
  readonly #moves: FolderMoves;
  readonly #changed = new Map<string, bigint>();
  #looked = 0;
  #comparable = MOST_COMPARED;

  constructor(copied: CopiedFolder, signal: AbortSignal) {
    this.#copied = copied;
    this.#signal = signal;
    this.#moves = createFolderMoves(copied);
  }

  async readAll(): Promise<boolean> {
    await this.#readFolder(Buffer.alloc(0));
    if (this.#isOver()) return false;
    if (this.merged.length === 0) return true;
    const { folder, listMerged } = this.#copied;
    const listed = await listMerged(this.merged.map((name) => join(folder, name)));
    if (listed === undefined && this.#signal.aborted) return false;
    if (listed === undefined) throw new Error('The folders of the copy can not be listed.');
    const shown = new Set(listed.toString('latin1').split('\0'));
    for (const parent of this.merged) await this.#findReplaced(parent, shown);
    return !this.#isOver();
  }

  /** What the workspace has in a folder and the copy doesn't show, though nothing says it was deleted. */
  async #findReplaced(parent: Buffer, shown: ReadonlySet<string>): Promise<void> {
    const upper = new Set(names(join(this.#copied.upper, parent)).map(toKey));
    const hiding = findEntry(join(this.#copied.upper, parent));
    for (const name of names(join(this.#copied.folder, parent))) {
      const file = join(parent, name);
      if (upper.has(toKey(name)) || shown.has(toKey(join(this.#copied.folder, file)))) continue;
      this.hiding.push(parent);
      await this.#addDeleted(file, hiding);
    }
  }

  async #readFolder(parent: Buffer): Promise<void> {
    for (const name of names(join(this.#copied.upper, parent))) {
      if (this.#isOver()) return;
      await this.#readEntry(join(parent, name));
    }
  }

  async #readEntry(file: Buffer): Promise<void> {
    await this.#pause();
    const copy = findEntry(join(this.#copied.upper, file));
    const own = findEntry(join(this.#copied.folder, file));
    if (copy === undefined) return;
    if (copy.isCharacterDevice() && copy.rdev === 0n) {
      if (own === undefined) this.same.push(file);
      else await this.#addDeleted(file, copy);
      return;
    }
    const kind = toKind(copy);
    if (own?.isDirectory() && kind === 'folder') {
      if (toMode(copy) !== toMode(own)) {
        this.modes.push(file);
        this.#add(file, 'mode', copy, own);
      }
      this.merged.push(file);
      return this.#readFolder(file);
    }
    if (own === undefined) this.#add(file, 'added', copy, own);
    else if (kind !== toKind(own) || !(await this.#isSame(file, copy, own)))
      this.#add(file, 'changed', copy, own);
    else if (toMode(copy) !== toMode(own)) this.#add(file, 'mode', copy, own);
    else this.same.push(file);
    if (kind === 'folder') await this.#readFolder(file);
  }

  async #isSame(file: Buffer, copy: BigIntStats, own: BigIntStats): Promise<boolean> {
    const [upper, lower] = [join(this.#copied.upper, file), join(this.#copied.folder, file)];
    if (copy.isSymbolicLink()) return readLink(upper).equals(readLink(lower));
    if (!copy.isFile()) return false;
    if (copy.size !== own.size || copy.size > this.#comparable) return false;
    this.#comparable -= copy.size;
    return this.#hasSameContent(upper, lower);
  }

  /** A link that took the file's place meanwhile can't be opened so. */
  async #hasSameContent(upper: Buffer, lower: Buffer): Promise<boolean> {
    try {
      return await hasSameContent(upper, lower, this.#signal);
    } catch (fault) {
      if (['ELOOP', 'ENOENT', 'ENXIO'].includes(getCode(fault) ?? '')) return false;
      throw fault;
    }
  }

  /** `hiding`: what hides it in the copy, which has no entry for what lay in a deleted folder. */
  async #addDeleted(file: Buffer, hiding: BigIntStats | undefined): Promise<void> {
    await this.#pause();
    const own = findEntry(join(this.#copied.folder, file));
    if (own === undefined || this.#isOver()) return;
    this.#add(file, 'deleted', hiding, own);
    if (!own.isDirectory()) return;
    for (const name of names(join(this.#copied.folder, file))) {
      await this.#addDeleted(join(file, name), hiding);
    }
  }

  #add(
    file: Buffer,
    type: CopyChange['type'],
    copy: BigIntStats | undefined,
    own: BigIntStats | undefined,
  ): void {
    const { folder, upper } = this.#copied;
    const path = file.toString();
    const seen = type === 'deleted' ? undefined : copy;
    const described = seen ?? own;
    const taken = this.#whenTaken(file, copy);
    this.taken.set(toKey(join(folder, file)), taken);
    this.changes.push({
      folder,
      path,
      isUtf8: Buffer.from(path).equals(file),
      file: join(folder, file),
      copy: join(upper, file),
      type,
      kind: described === undefined ? 'special' : toKind(described),
      ...(own && { was: toKind(own), wasMode: toMode(own), stamp: toOwnStamp(own) }),
      ...(seen && { mode: toMode(seen) }),
      ...(seen?.isFile() && { size: Number(seen.size) }),
      ...(seen?.isSymbolicLink() && { target: readLink(join(upper, file)).toString() }),
      isConflict:
        own === undefined
          ? this.#isGone(file, taken)
          : own.ctimeNs > taken ||
            (type === 'deleted' && own.ctimeNs > this.#copied.first) ||
            this.#moves.has(file, own, taken),
    });
  }

  /** Whether somebody deleted it in the workspace meanwhile, so that it isn't new. */
  #isGone(file: Buffer, taken: bigint): boolean {
    const { since, folder, had } = this.#copied;
    if (this.#whenChanged(toParent(file)) <= taken) return false;
    return taken < since || had(join(folder, file).toString()) !== false;
  }

  /** The time when entries came to or left a folder of the workspace, or the next above it that exists. */
  #whenChanged(parent: Buffer): bigint {
    const key = toKey(parent);
    const known = this.#changed.get(key);
    if (known !== undefined) return known;
    const own = findEntry(join(this.#copied.folder, parent));
    const found =
      own !== undefined || parent.length === 0
        ? (own?.ctimeNs ?? 0n)
        : this.#whenChanged(toParent(parent));
    this.#changed.set(key, found);
    return found;
  }

  /**
   * Kept changes of earlier commands are compared with the time when the copy took the file over, also once a command
   * has put another file in its place.
   */
  #whenTaken(file: Buffer, copy: BigIntStats | undefined): bigint {
    const { folder, since, setBack = 0n, taken } = this.#copied;
    const made = copy !== undefined && copy.birthtimeNs > 0n ? copy.birthtimeNs - setBack : since;
    const known = taken?.get(toKey(join(folder, file))) ?? since;
    return [made, known].reduce((first, time) => (time < first ? time : first), since);
  }

  #isOver(): boolean {
    return this.#signal.aborted || this.changes.length > CHANGE_LIMIT;
  }

  async #pause(): Promise<void> {
    this.#looked += 1;
    if (this.#looked % ENTRIES_A_TURN === 0) await nextTurn();
  }
}

/** Bytes that are compared in all: a sparse file may be larger than any disk. What is larger counts as changed. */
const MOST_COMPARED = BigInt(2048 * MB);

/** Entries that are looked at before the event loop gets its turn: about 5 ms. */
const ENTRIES_A_TURN = 200;

function names(folder: Buffer): readonly Buffer[] {
  try {
    return readdirSync(folder, { encoding: 'buffer' }).sort(Buffer.compare);
  } catch (fault) {
    if (['ENOENT', 'ENOTDIR'].includes(getCode(fault) ?? '')) return [];
    throw fault;
  }
}

function readLink(file: Buffer): Buffer {
  return readlinkSync(file, { encoding: 'buffer' });
}

function toKind(stats: BigIntStats): EntryKind {
  if (stats.isDirectory()) return 'folder';
  if (stats.isSymbolicLink()) return 'link';
  return stats.isFile() ? 'file' : 'special';
}

function toMode(stats: BigIntStats): number {
  return Number(stats.mode & 0o7777n);
}

/** The folder itself for a file at the top. */
function toParent(file: Buffer): Buffer {
  return file.subarray(0, Math.max(file.lastIndexOf('/'), 0));
}

/** One character a byte, so that names that are not UTF-8 stay different. */
function toKey(name: Buffer): string {
  return name.toString('latin1');
}

function join(parent: string | Buffer, name: Buffer): Buffer {
  const start = typeof parent === 'string' ? Buffer.from(parent) : parent;
  if (start.length === 0) return name;
  return name.length === 0 ? start : Buffer.concat([start, Buffer.from('/'), name]);
}
