import type { Untimed } from './fileClock.ts';

/** What the commands of a session changed in the copy, each with the workspace's own state beside it. */
export interface CopyChanges {
  /** A folder comes before its contents. */
  readonly files: readonly CopyChange[];
  /**
   * Changes of a repository's own data (`.git`) that mean something: a refreshed index with the same
   * entries and `FETCH_HEAD` are left out.
   */
  readonly git: readonly CopyChange[];
}

export interface CopyChange {
  /** The workspace folder it lies in, absolute. */
  readonly folder: string;
  /** Relative to `folder`, with `/`. Bytes that are not UTF-8 show as replacement characters. */
  readonly path: string;
  /** False when `path` is not the real name. `file` and `copy` are right in any case. */
  readonly isUtf8: boolean;
  /** The absolute path in the workspace, in bytes. */
  readonly file: Buffer;
  /** The absolute path of the new content on the host, in bytes. There is none when it was deleted. */
  readonly copy: Buffer;
  /** `mode`: only the permission bits differ. A link in place of a file is `changed`. */
  readonly type: 'added' | 'changed' | 'deleted' | 'mode';
  /** What it is in the copy; what it was when it is `deleted`. `special`: FIFO, socket or device. */
  readonly kind: EntryKind;
  /** What it was in the workspace; absent when it is `added`. */
  readonly was?: EntryKind;
  /** Permission bits in the copy and in the workspace, such as `0o755`. */
  readonly mode?: number;
  readonly wasMode?: number;
  /** The workspace's own entry as it was when it was listed (`toOwnStamp`); absent when it is `added`. */
  readonly stamp?: string;
  /** Bytes of a file in the copy. */
  readonly size?: number;
  /** Where a link of the copy leads, as it is written. */
  readonly target?: string;
  /** The workspace's own entry changed or was deleted after the command began, or after the copy took it over. */
  readonly isConflict: boolean;
  /** A folder that the command removed and made anew, so that it hides what the workspace has there. */
  readonly hides?: true;
  /** Why that can't be told by the times in the workspace. */
  readonly untimed?: Untimed;
}

export type EntryKind = 'file' | 'folder' | 'link' | 'special';
