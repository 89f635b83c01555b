import type { Outcome } from '../base/outcome.ts';

/** Copies of repositories of other hosts. */
export interface Repositories {
  /**
   * Clones a repository by https or http into a folder that must not exist. Runs nothing of it, and
   * leaves nothing behind when it fails.
   */
  clone(request: CloneRequest): Promise<Outcome<Clone>>;
}

export interface CloneRequest {
  readonly url: string;
  /** As the call named it. */
  readonly path: string;
  /** A branch or tag; default: the repository's own. */
  readonly ref?: string;
  /** How many commits of history. */
  readonly depth: number;
}

export interface Clone {
  /** Absolute. */
  readonly path: string;
  /** Undefined: the repository has no commits. */
  readonly commit?: string;
  readonly files: number;
  readonly bytes: number;
  /** Submodules, which were not fetched. */
  readonly submodules: readonly string[];
  /** Links that would lead out of the repository; if there are some, all links are plain files. */
  readonly outsideLinks: readonly string[];
}
