import type { Outcome } from '../base/outcome.ts';

/** Changes entries of folders that are no texts: binary files, links, folders and modes. */
export interface Entries {
  /** Fails with a conflict when the entry is no longer as `before` says, and changes nothing then. */
  change(change: EntryChange): Promise<Outcome<void>>;
  /**
   * The change that takes a recorded one back. `undone`: the entry is as it was before; `conflict`: it was changed
   * since; `lost`: what was there is not kept. `removed`: the paths that are removed along with it; a created folder
   * with anything else in it was changed.
   */
  toUndoing(
    record: EntryRecord,
    removed?: ReadonlySet<string>,
  ): EntryChange | 'undone' | 'conflict' | 'lost';
}

export interface EntryChange {
  /** Absolute; no folder of it is a link. */
  readonly path: string;
  /**
   * What is there: the stamp of a file or link, any file, or a folder. Undefined: nothing may be there.
   */
  readonly before: string | 'file' | 'folder' | undefined;
  /** The permission bits that the entry must still have. Absent: they are not compared. */
  readonly wasMode?: number | undefined;
  /** The bytes of the file that is there. */
  readonly bytes?: Buffer;
  readonly after:
    | { readonly type: 'file'; readonly content: Buffer; readonly mode?: number }
    | { readonly type: 'link'; readonly target: string }
    | { readonly type: 'folder' | 'mode'; readonly mode: number }
    | { readonly type: 'none' };
}

/** An entry before or after a change, kept so that the change can be reverted. `mode`: only its mode counts. */
export type EntryVersion =
  | { readonly type: 'none' }
  | { readonly type: 'link'; readonly target: string }
  | { readonly type: 'folder' | 'mode'; readonly mode: number }
  | FileVersion;

export interface FileVersion {
  readonly type: 'file';
  readonly mode: number;
  /** SHA-256 of its bytes, as hex; empty when it was too large to be read. */
  readonly hash: string;
  /** Its bytes; absent when they are not kept, and for what a change made. Stored ones are read at each access. */
  readonly content?: Buffer | undefined;
}

/** A change of an entry that a call made. */
export interface EntryRecord {
  /** Absolute. */
  readonly path: string;
  readonly before: EntryVersion;
  readonly after: EntryVersion;
}
