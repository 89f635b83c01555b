import type { LinkCache } from '../patterns/paths.ts';
import type { CompiledPolicy } from '../rules/compiledPolicy.ts';

/** One decision in progress: the compiled policy, and what was found on disk for this decision. */
export interface Evaluation extends CompiledPolicy {
  readonly links: LinkCache;
  /** Names of files with several hard links; made when the first such file comes up. */
  readonly otherNames: { index?: InodeIndex };
}

/** Files by their inode, of the folders looked at so far. */
export interface InodeIndex {
  /** What tightening rules name in any folder. */
  readonly tails: ReadonlySet<string>;
  find(inode: string): readonly string[];
  /** A file, or a folder with everything below it. */
  lookAt(path: string): void;
  /** The files directly in a folder. */
  scan(folder: string): void;
}

/** Links and hard links are looked up anew for each decision. */
export function startEvaluation(compiled: CompiledPolicy): Evaluation {
  return { ...compiled, links: new Map(compiled.plainFolders), otherNames: {} };
}
