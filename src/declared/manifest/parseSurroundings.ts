import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { type FileRead, readRegular, type TextRead, toText } from '../../base/disk/readRegular.ts';
import { readDocument } from './parseDocument.ts';

/** What validation may read besides the document. Nothing is run or fetched. */
export interface Surroundings {
  readonly platform: NodeJS.Platform;
  /** A neighbour's bytes. */
  read(file: string): FileRead;
  /** The folders of PATH. */
  readonly path: readonly string[];
  /** Whether the file exists and is executable. */
  program(file: string): 'there' | 'missing' | 'not executable';
  /** Whether a variable or, by the env provider's name, a secret is set. */
  variable(name: string): boolean;
}

/** The disk and the given environment. */
export function diskSurroundings(env: Readonly<NodeJS.ProcessEnv>): Surroundings {
  return {
    platform: process.platform,
    path: (env['PATH'] ?? '').split(path.delimiter).filter(path.isAbsolute),
    read: (file) => readRegular(file),
    program: programState,
    variable: (name) => env[name] !== undefined,
  };
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

/** Whether a program of this name is on PATH. */
export function isOnPath(
  { path: folders, program, platform }: Surroundings,
  name: string,
): boolean {
  const file = platform === 'win32' ? `${name}.exe` : name;
  return folders.some((folder) => program(path.join(folder, file)) === 'there');
}

/** The text of a neighbour. */
export function readText(surroundings: Surroundings, file: string): TextRead {
  return toText(surroundings.read(file));
}

/** Whether something has this name, even if it can't be read. */
export function exists(surroundings: Surroundings, file: string): boolean {
  return surroundings.read(file).state !== 'absent';
}

/** The folder and its parents, nearest first, up to and including the one with `.git`, at most 32. */
export function ancestors(folder: string, surroundings: Surroundings): readonly string[] {
  const list: string[] = [];
  for (let at = folder; list.length < 32; at = path.dirname(at)) {
    list.push(at);
    const isRoot =
      exists(surroundings, path.join(at, '.git', 'HEAD')) ||
      exists(surroundings, path.join(at, '.git'));
    if (isRoot || path.dirname(at) === at) break;
  }
  return list;
}

/**
 * The workspace's schema registry: `schemas/<id>.json` in the manifest's folder or one above it.
 * An id never leaves the folder.
 */
export function registrySchema(folder: string, id: string, surroundings: Surroundings): unknown {
  const file = knownFile(folder, id, surroundings);
  if (file === undefined) return undefined;
  const { schemas } = getRegistry(surroundings);
  if (!schemas.has(file)) {
    const read = readText(surroundings, file);
    schemas.set(file, read.state === 'read' ? readDocument(file, read.text).value : undefined);
  }
  return schemas.get(file);
}

interface Registry {
  /** What the files hold. */
  readonly schemas: Map<string, unknown>;
  /** The files by folder and id. */
  readonly files: Map<string, string | undefined>;
}

/** Many tools may refer to one schema. Surroundings serve one validation. */
const registries = new WeakMap<Surroundings, Registry>();

/** The most different ids that are looked up for one manifest; later ones are unresolved. */
const REGISTRY_IDS = 1_000;

function getRegistry(surroundings: Surroundings): Registry {
  const known = registries.get(surroundings);
  if (known !== undefined) return known;
  const made: Registry = { schemas: new Map(), files: new Map() };
  registries.set(surroundings, made);
  return made;
}

function knownFile(folder: string, id: string, surroundings: Surroundings): string | undefined {
  const { files } = getRegistry(surroundings);
  const key = `${folder}\0${id}`;
  if (!files.has(key) && files.size < REGISTRY_IDS)
    files.set(key, registryFile(folder, id, surroundings));
  return files.get(key);
}

/** The file of a schema of the registry, looked up anew each time. */
export function registryFile(
  folder: string,
  id: string,
  surroundings: Surroundings,
): string | undefined {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$/.test(id)) return undefined;
  return ancestors(folder, surroundings)
    .map((each) => path.join(each, 'schemas', `${id}.json`))
    .find((file) => exists(surroundings, file));
}
