import { readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import {
  type CompozyProject,
  findProject,
  isAutoloaded,
  isProjectFile,
} from './compozy/parseProject.ts';
import { readDocument } from './manifest/parseDocument.ts';
import { ancestors, type Surroundings } from './manifest/parseSurroundings.ts';

/** A file that may be a manifest. */
export interface FoundManifest {
  /** Absolute. */
  readonly file: string;
  readonly autoloaded: boolean;
  /** The file is a link to somewhere outside its project: it is reported, not read. */
  readonly escapes?: string;
}

export interface WalkLimits {
  /** Folders below the start. */
  readonly depth: number;
  /** Names looked at, in all. */
  readonly names: number;
}

/** A check may be told to look through a whole repository; a session's start may not take that long. */
export const CHECK_LIMITS: WalkLimits = { depth: 32, names: 200_000 };
export const LOAD_LIMITS: WalkLimits = { depth: 4, names: 10_000 };

/** Folders that hold other people's files or nobody's. */
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
 * The manifests below a folder, sorted: every `tools.json`, and every YAML file that autoload matches
 * or that names a `resource` (spec decision 40). Links to folders are not followed. `onFolder` gets each
 * folder before it is read.
 */
export function findManifests(
  folder: string,
  surroundings: Surroundings,
  limits: WalkLimits,
  onFolder: (folder: string) => void = () => undefined,
): readonly FoundManifest[] {
  const found: FoundManifest[] = [];
  let names = 0;
  const projects = new Map<string, CompozyProject>();
  const getProject = (directory: string): CompozyProject => {
    const known = projects.get(directory);
    const project =
      known ?? findProject(directory, ancestors(directory, surroundings), surroundings);
    projects.set(directory, project);
    return project;
  };
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
      } else if (entry.name === 'tools.json') found.push({ file, autoloaded: true });
      else if (/\.ya?ml$/i.test(entry.name)) {
        const tool = toolFile(file, entry.isSymbolicLink(), getProject(directory), surroundings);
        if (tool) found.push(tool);
      }
    }
  };
  visit(folder, 0);
  return found;
}

function listFolder(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    );
  } catch {
    // A folder we may not read holds no manifest for us.
    return [];
  }
}

function toolFile(
  file: string,
  isLink: boolean,
  project: CompozyProject,
  surroundings: Surroundings,
): FoundManifest | undefined {
  if (isProjectFile(file)) return undefined;
  const matched = isAutoloaded(project, file);
  if (isLink) {
    const escapes = matched ? findEscape(file, project.folder) : undefined;
    if (escapes !== undefined) return { file, autoloaded: true, escapes };
    if (!matched) return undefined;
  }
  if (matched) return { file, autoloaded: true };
  const bytes = surroundings.read(file);
  if (bytes === undefined || !Buffer.from(bytes).includes('resource')) return undefined;
  const { rootKeys } = readDocument(file, bytes);
  return rootKeys.includes('resource') ? { file, autoloaded: true } : undefined;
}

/** Where a link leads, when that is outside `folder` (spec VB-29). */
function findEscape(file: string, folder: string): string | undefined {
  try {
    const target = realpathSync(file);
    const inside = path.relative(realpathSync(folder), target);
    return inside.startsWith('..') || path.isAbsolute(inside) ? target : undefined;
  } catch {
    // A link that leads nowhere leads to no manifest either.
    return undefined;
  }
}

export function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch {
    return false;
  }
}
