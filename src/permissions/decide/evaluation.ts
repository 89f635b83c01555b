import type { Look } from '../disk/lookBelow.ts';
import type { LinkCache } from '../patterns/paths.ts';
import type { CompiledPolicy } from '../rules/compiledPolicy.ts';

/**
 * One decision in progress: the compiled policy, and what was looked up on disk for this decision.
 */
export interface Evaluation extends CompiledPolicy {
  readonly links: LinkCache;
  /**
   * The other names of files with several hard links; built when the first such file is evaluated.
   */
  readonly otherNames: { index?: InodeIndex };
  /** What lies below the folders that a command line sweeps (`lookBelowSweeps`). */
  readonly looks: Map<string, Look>;
  /** What looks for protected files have taken of the time and entries for the whole line. */
  readonly spent: { ms: number; entries: number };
  /** Lines that could be offered instead, but would not pass either. */
  readonly failedOffers?: ReadonlySet<string>;
}

/** An index from inode to paths, of the folders scanned so far. */
export interface InodeIndex {
  /** The path suffixes that ask and deny rules name in any folder. */
  readonly tails: ReadonlySet<string>;
  find(inode: string): readonly string[];
  /** All paths found so far, by inode. */
  readonly all: ReadonlyMap<string, ReadonlySet<string>>;
  /** Adds a file, or a folder with everything below it. */
  lookAt(path: string): void;
  /** Adds the files directly in a folder. */
  scan(folder: string): void;
}

/** Starts with empty link caches: links may change between decisions. */
export function startEvaluation(compiled: CompiledPolicy): Evaluation {
  const links = new Map(compiled.plainFolders);
  return { ...compiled, links, otherNames: {}, looks: new Map(), spent: { ms: 0, entries: 0 } };
}
