import path from 'node:path';
import { braceExpand, Minimatch } from 'minimatch';
import type { TextRead } from '../../base/disk/readRegular.ts';
import { isRecord } from '../../base/json.ts';
import { readDocument } from '../manifest/parseDocument.ts';
import { goQuote, parseGoDuration } from '../manifest/parseGo.ts';
import { getField, type JsonObject, typeName } from '../manifest/parsePointer.ts';
import { readText, type Surroundings } from '../manifest/parseSurroundings.ts';

/** A Compozy project: the folder of `compozy.yaml`, or the tool's own folder where there is none. */
export interface CompozyProject {
  readonly folder: string;
  /** Absolute path of the `compozy.yaml`; undefined where there is none. */
  readonly file: string | undefined;
  /** As the file names it. */
  readonly name: string | undefined;
  /** The whole `compozy.yaml`; empty without one. */
  readonly value: JsonObject;
  /** Absolute path of the module that exports the tools. */
  readonly entrypoint: string;
  readonly runtime: 'node' | 'bun';
  /** Milliseconds for a tool without a `timeout` (spec decision 49). */
  readonly timeoutMs: number;
  readonly autoload: Autoload | undefined;
  /** Errors of the file and of its autoload settings (spec B-49, B-50); each refuses the project's tools. */
  readonly problems: readonly string[];
}

export interface Autoload {
  readonly strict: boolean;
  readonly include: readonly Minimatch[];
  readonly exclude: readonly Minimatch[];
}

const DEFAULT_TIMEOUT_MS = 60_000;
export const PROJECT_FILES = ['compozy.yaml', 'compozy.yml'];

/** Files that editors leave behind (spec B-49). */
const ALWAYS_EXCLUDED = ['**/.#*', '**/*~', '**/*.bak', '**/*.swp', '**/*.tmp', '**/._*'].map(
  (pattern) => new Minimatch(pattern, { noext: true }),
);

/** The project of a folder: that of the nearest `compozy.yaml` at or above it, inside the repository. */
export function findProject(
  folder: string,
  above: readonly string[],
  surroundings: Surroundings,
  /** The projects of other folders, by their file. */
  known: Map<string, CompozyProject> = new Map(),
): CompozyProject {
  for (const each of above) {
    for (const name of PROJECT_FILES) {
      const file = path.join(each, name);
      const found = known.get(file);
      if (found !== undefined) return found;
      const read = readText(surroundings, file);
      if (read.state === 'absent') continue;
      const project = toProject({ folder: each, file }, read);
      known.set(file, project);
      return project;
    }
  }
  return toProject({ folder, file: undefined }, { state: 'absent' });
}

export function isProjectFile(file: string): boolean {
  return PROJECT_FILES.includes(path.basename(file));
}

function toProject(
  { folder, file }: Pick<CompozyProject, 'folder' | 'file'>,
  read: TextRead,
): CompozyProject {
  const problems: string[] = [];
  const value = parseProject(file, read, problems);
  const runtime = getField(value, 'runtime');
  const options = isRecord(runtime) ? runtime : {};
  const entry = getField(options, 'entrypoint');
  const entrypoint = path.resolve(
    folder,
    typeof entry === 'string' && entry !== '' ? entry : './tools.ts',
  );
  const inside = path.relative(folder, entrypoint);
  if (inside.split(path.sep)[0] === '..' || path.isAbsolute(inside)) {
    problems.push(
      `PATH_ESCAPE_ATTEMPT: runtime.entrypoint leads out of the project: ${entrypoint}`,
    );
  }
  const name = getField(value, 'name');
  const type = getField(options, 'type') ?? 'node';
  if (type !== 'node' && type !== 'bun') {
    const got = typeof type === 'string' ? goQuote(type) : typeName(type);
    problems.push(`runtime.type must be "bun" or "node" (got ${got})`);
  }
  return {
    folder,
    file,
    name: typeof name === 'string' && name.trim() !== '' ? name : undefined,
    value,
    entrypoint,
    runtime: type === 'bun' ? 'bun' : 'node',
    timeoutMs: projectTimeout(value),
    autoload: readAutoload(value, problems),
    problems,
  };
}

/** The value of `compozy.yaml`. One that can't be used refuses the project's tools: it may restrict them. */
function parseProject(file: string | undefined, read: TextRead, problems: string[]): JsonObject {
  if (file === undefined || read.state === 'absent') return {};
  const name = path.basename(file);
  if (read.state === 'unreadable') {
    problems.push(`cannot read ${name}: ${read.why}`);
    return {};
  }
  const { value, parseErrors } = readDocument(name, read.text);
  const [first] = parseErrors;
  if (first !== undefined) problems.push(`PARSE_ERROR: ${name}: ${first.message}`);
  else if (value !== undefined && value !== null && !isRecord(value)) {
    problems.push(`PARSE_ERROR: ${name} must be a mapping, got ${typeName(value)}`);
  }
  return isRecord(value) ? value : {};
}

/** The project-wide tool timeout: `runtime.tool_execution_timeout`, a Go duration. */
function projectTimeout(value: JsonObject): number {
  const runtime = getField(value, 'runtime');
  const text = isRecord(runtime) ? getField(runtime, 'tool_execution_timeout') : undefined;
  const parsed = typeof text === 'string' ? parseGoDuration(text) : undefined;
  if (!parsed?.ok || parsed.nanoseconds <= 0n) return DEFAULT_TIMEOUT_MS;
  return Math.max(1, Number(parsed.nanoseconds / 1_000_000n));
}

function readAutoload(value: JsonObject, problems: string[]): Autoload | undefined {
  const settings = getField(value, 'autoload');
  if (!isRecord(settings) || getField(settings, 'enabled') !== true) return undefined;
  const include = patterns(settings, 'include', problems);
  const exclude = patterns(settings, 'exclude', problems);
  if (include.length === 0 && problems.length === 0) {
    problems.push('autoload.include patterns are required when autoload is enabled');
  }
  return { strict: getField(settings, 'strict') !== false, include, exclude };
}

function patterns(settings: JsonObject, key: string, problems: string[]): readonly Minimatch[] {
  const list = getField(settings, key) ?? [];
  const found: Minimatch[] = [];
  let alternatives = 0;
  for (const pattern of Array.isArray(list) ? list : [list]) {
    const problem = validatePattern(pattern, key);
    if (problem) problems.push(problem);
    if (problem || typeof pattern !== 'string' || pattern.length > LONGEST_PATTERN) continue;
    const written = pattern.replace(/^\.\//, '');
    alternatives += braceExpand(written, { braceExpandMax: ALTERNATIVES + 1 }).length;
    if (alternatives > ALTERNATIVES) {
      const counted = 'counting each alternative of braces';
      problems.push(`autoload.${key} has more than ${ALTERNATIVES} patterns, ${counted}`);
      return [];
    }
    found.push(new Minimatch(written, { noext: true }));
  }
  return found;
}

/** Why a pattern is invalid: it must stay inside the project (spec B-50). */
export function validatePattern(pattern: unknown, key = 'include'): string | undefined {
  if (typeof pattern !== 'string' || pattern.trim() === '')
    return `empty ${key} pattern is not allowed`;
  if (path.posix.isAbsolute(pattern) || path.win32.isAbsolute(pattern)) {
    return `INVALID_PATTERN: absolute paths not allowed: ${pattern}`;
  }
  if (pattern.split(/[\\/]/).includes('..')) {
    return `INVALID_PATTERN: parent directory references not allowed: ${pattern}`;
  }
  return undefined;
}

/** The longest pattern that is passed to the matcher. Characters. */
const LONGEST_PATTERN = 500;

/** The most patterns of a list: every YAML file below the project is compared with each. */
const ALTERNATIVES = 200;

/** Whether autoload matches the file. */
export function isAutoloaded({ folder, autoload }: CompozyProject, file: string): boolean {
  if (autoload === undefined || isProjectFile(file)) return false;
  const relative = path.relative(folder, file).split(path.sep).join('/');
  if (relative.startsWith('../')) return false;
  const matches = (pattern: Minimatch): boolean => pattern.match(relative);
  return autoload.include.some(matches) && ![...ALWAYS_EXCLUDED, ...autoload.exclude].some(matches);
}
