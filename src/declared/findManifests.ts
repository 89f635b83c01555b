import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { isInFolder } from '../base/disk/insideFolder.ts';
import { DIALECT_IDS, getDialectFacts } from '../base/tools/dialectFacts.ts';
import { DIALECTS } from './dialects.ts';
import type { FindManifest, FoundManifest } from './manifest/dialectRow.ts';
import { ancestors, type Surroundings } from './manifest/parseSurroundings.ts';
import { TOOLS_FILE } from './manifest/toolList.ts';

export interface WalkLimits {
  /** Folders below the start. */
  readonly depth: number;
  /** The most names read in total. */
  readonly names: number;
}

/** A check may search a whole repository; the start of a session must not take that long. */
const CHECK_LIMITS: WalkLimits = { depth: 32, names: 200_000 };
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

/** Where a walk starts. Absolute paths. */
interface WalkStart {
  readonly folder: string;
  /** The workspace folder. */
  readonly root: string;
}

/** Where a manifest was named outside of the editor. Absolute paths. */
export interface NamedIn {
  readonly cwd: string;
  /** The folder that editors open, if the user says so. */
  readonly workspace?: string | undefined;
}

/** The manifests that a user named by a file or folder; undefined if it does not exist. */
export function findNamed(
  target: string,
  named: NamedIn,
  surroundings: Surroundings,
): readonly FoundManifest[] | undefined {
  const root = findRoot(target, named, surroundings);
  if (isFolder(target) && !isToolsFile(target))
    return findManifests({ folder: target, root }, surroundings, CHECK_LIMITS);
  if (!existsSync(target)) return undefined;
  // A bundle's other files are validated with the document they belong to.
  const isNeighbour = DIALECT_IDS.some((id) =>
    getDialectFacts(id).neighbours.includes(path.basename(target)),
  );
  const file = isNeighbour ? path.join(path.dirname(target), TOOLS_FILE) : target;
  return [{ file, root, autoloaded: false }];
}

/**
 * The workspace folder of a file or folder that was named outside of the editor: what the user says, else the
 * repository, else the current folder. An editor that opens a folder inside the repository has other ids.
 */
export function findRoot(
  target: string,
  { cwd, workspace }: NamedIn,
  surroundings: Surroundings,
): string {
  if (workspace !== undefined) return workspace;
  const folder = isFolder(target) ? target : path.dirname(target);
  const repository = ancestors(folder, surroundings).find((each) =>
    existsSync(path.join(each, '.git')),
  );
  if (repository !== undefined) return repository;
  return isInFolder(folder, cwd) ? cwd : folder;
}

/**
 * The manifests below a folder, sorted: every file that a dialect recognizes (spec decision 40). Links to
 * folders are not followed. `onFolder` gets each folder before it is read.
 */
export function findManifests(
  { folder, root }: WalkStart,
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
        // It is reported: it stands where a manifest is read.
        if (isToolsFile(file)) found.push({ file, root, autoloaded: true });
        else if (depth < limits.depth && names < limits.names && !SKIPPED.has(entry.name)) {
          visit(file, depth + 1);
        }
        continue;
      }
      const manifest = findManifest(file, entry.isSymbolicLink());
      if (manifest) found.push({ ...manifest, root });
    }
  };
  visit(folder, 0);
  return found;
}

function isToolsFile(file: string): boolean {
  return path.basename(file) === TOOLS_FILE;
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
