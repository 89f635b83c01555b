import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseJson } from '../../base/json.ts';
import { MB } from '../../base/units.ts';

/** What validation may read besides the document. Nothing is run or fetched. */
export interface Surroundings {
  readonly platform: NodeJS.Platform;
  /** The file's bytes; undefined if it doesn't exist or is not a file. */
  read(file: string): Uint8Array | undefined;
  /** Whether the file exists and is executable. */
  program(file: string): 'there' | 'missing' | 'not executable';
  /** Whether a variable or, by the env provider's name, a secret is set. */
  variable(name: string): boolean;
}

/** Larger neighbours (a manifest, a schema) are treated as absent. Bytes. */
const NEIGHBOUR_BYTES = 4 * MB;

/** The disk and the given environment. */
export function diskSurroundings(env: Readonly<NodeJS.ProcessEnv>): Surroundings {
  return {
    platform: process.platform,
    read: readNeighbour,
    program: programState,
    variable: (name) => env[name] !== undefined,
  };
}

function readNeighbour(file: string): Uint8Array | undefined {
  try {
    const stat = statSync(file);
    return stat.isFile() && stat.size <= NEIGHBOUR_BYTES ? readFileSync(file) : undefined;
  } catch {
    // Missing or unreadable files are treated as absent.
    return undefined;
  }
}

function programState(file: string): 'there' | 'missing' | 'not executable' {
  try {
    if (!statSync(file).isFile()) return 'missing';
  } catch {
    return 'missing';
  }
  if (process.platform === 'win32') return 'there';
  try {
    accessSync(file, constants.X_OK);
    return 'there';
  } catch {
    return 'not executable';
  }
}

/** The text of a neighbour, or undefined when it is absent or not UTF-8. */
export function readText(surroundings: Surroundings, file: string): string | undefined {
  const bytes = surroundings.read(file);
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The folder and its parents, nearest first, up to and including the one with `.git`, at most 32. */
export function ancestors(folder: string, surroundings: Surroundings): readonly string[] {
  const list: string[] = [];
  for (let at = folder; list.length < 32; at = path.dirname(at)) {
    list.push(at);
    const isRoot =
      surroundings.read(path.join(at, '.git', 'HEAD')) ?? surroundings.read(path.join(at, '.git'));
    if (isRoot !== undefined || path.dirname(at) === at) break;
  }
  return list;
}

/**
 * The workspace's schema registry: `schemas/<id>.json` in the manifest's folder or one above it.
 * An id never leaves the folder.
 */
export function registrySchema(folder: string, id: string, surroundings: Surroundings): unknown {
  const file = registryFile(folder, id, surroundings);
  const text = file === undefined ? undefined : readText(surroundings, file);
  return text === undefined ? undefined : parseJson(text);
}

export function registryFile(
  folder: string,
  id: string,
  surroundings: Surroundings,
): string | undefined {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$/.test(id)) return undefined;
  return ancestors(folder, surroundings)
    .map((each) => path.join(each, 'schemas', `${id}.json`))
    .find((file) => surroundings.read(file) !== undefined);
}
