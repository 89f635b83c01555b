import type { Includes } from './acts.ts';

/** The names of files that a command prints, or passes to another one. */
export interface FileNames {
  /** The files, and the folders in which the others lie. */
  readonly targets: readonly string[];
  readonly sweep: 'all' | 'visible';
  /** The hidden files that are among them, too. */
  readonly includes?: Includes;
  /** Globs of hidden names that are among them, too. */
  readonly hidden?: readonly string[];
  /** What their last parts look like; `*` is any text. */
  readonly only?: string;
  /** Links may be among them. */
  readonly links: boolean;
  /** They end with NUL, so that no name can be read as two. */
  readonly separated: boolean;
  /** None of them can start with a dash, because the folder that was searched precedes it. */
  readonly prefixed: boolean;
  /** The arguments of the git command that prints them. */
  readonly git?: readonly string[];
}

/** What `xargs` takes for the end of a name or for a quote. */
export const SPLIT = /[\s'"\\\ufffd]/;
/** What the shell reads in a name that a substitution prints, with what only some shells do. */
export const EXPANDED = /[\s'"\\\ufffd*?[\]{}()|~]/;
/** What git writes with escapes, in quotes, unless names end with NUL. */
export const QUOTED = /[^ -~]/;
