import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { DIALECTS } from './dialects.ts';
import type { FindManifest, FoundManifest } from './manifest/dialectRow.ts';
import type { Surroundings } from './manifest/parseSurroundings.ts';

export interface WalkLimits {
  /** Folders below the start. */
  readonly depth: number;
  /** The most names read in total. */
  readonly names: number;
}

/** A check may search a whole repository; the start of a session must not take that long. */
export const CHECK_LIMITS: WalkLimits = { depth: 32, names: 200_000 };
export const LOAD_LIMITS: WalkLimits = { depth: 4, names: 10_000 };

/** Folders of dependencies, build output and tools. */
const SKIPPED = new Set([
  'node_modules',
  '.git',
  '.hg',
  '.svn',
  'dist',
  '.compozy',
  '.venv',
  'target',
]);

/**
 * The manifests below a folder, sorted: every file that a dialect recognizes (spec decision 40). Links to
 * folders are not followed. `onFolder` gets each folder before it is read.
 */
export function findManifests(
  folder: string,
  surroundings: Surroundings,
  limits: WalkLimits,
  onFolder: (folder: string) => void = () => undefined,
): readonly FoundManifest[] {
  const found: FoundManifest[] = [];
  let names = 0;
  const findManifest = createFinder(surroundings);
  const visit = (directory: string, depth: number): void => {
    onFolder(directory);
    const entries = listFolder(directory);
    names += entries.length;
    for (const entry of entries) {
      const file = path.join(directory, entry.name);
      if (entry.isDirectory()) {
        if (depth < limits.depth && names < limits.names && !SKIPPED.has(entry.name)) {
          visit(file, depth + 1);
        }
        continue;
      }
      const manifest = findManifest(file, entry.isSymbolicLink());
      if (manifest) found.push(manifest);
    }
  };
  visit(folder, 0);
  return found;
}

/** Recognizes the manifests of every dialect. Caches what it reads, so it serves one walk. */
export function createFinder(surroundings: Surroundings): FindManifest {
  const finders = DIALECTS.map((row) => row.createFinder(surroundings));
  return (file, isLink) => {
    for (const find of finders) {
      const manifest = find(file, isLink);
      if (manifest) return manifest;
    }
    return undefined;
  };
}

function listFolder(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    );
  } catch {
    // An unreadable folder is treated as empty.
    return [];
  }
}

export function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch {
    return false;
  }
}
