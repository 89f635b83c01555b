import type { Outcome } from '../base/outcome.ts';

/** Changes entries of folders that are no texts: binary files, links, folders and modes. */
export interface Entries {
  /** Fails with a conflict when the entry is no longer as `before` says, and changes nothing then. */
  change(change: EntryChange): Promise<Outcome<void>>;
}

export interface EntryChange {
  /** Absolute; no folder of it is a link. */
  readonly path: string;
  /**
   * What is there: the stamp of a file or link, any file, or a folder. Undefined: nothing may be there.
   */
  readonly before: string | 'file' | 'folder' | undefined;
  /** The bytes of the file that is there. */
  readonly bytes?: Buffer;
  readonly after:
    | { readonly type: 'file'; readonly content: Buffer; readonly mode?: number }
    | { readonly type: 'link'; readonly target: string }
    | { readonly type: 'folder' | 'mode'; readonly mode: number }
    | { readonly type: 'none' };
}
