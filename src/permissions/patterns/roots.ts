import { homedir } from 'node:os';
import { type LinkCache, realFolder } from './paths.ts';

/** The current folders for `{workspace}`, `{ad-hoc}` and `{user-data}`. Absolute paths. */
export interface PolicyFolders {
  readonly workspace: readonly string[];
  readonly adHoc: readonly string[];
  readonly userData?: string;
  /**
   * `<data>/state`: outside every capability set, and never written by a tool (spec decision 11,
   * 23).
   */
  readonly state?: string;
  /**
   * Files that the user's rules, agents and tools are read from, and folders with all below them. No rule
   * silences the ask before one is written.
   */
  readonly settings?: readonly string[];
  /** Folders of an editor's user data; only its settings and profiles in them are like `settings`. */
  readonly editors?: readonly string[];
  /** This session's sidecar folder; only this session can read it (spec CA-13). */
  readonly sidecars?: string;
  /** The session's folder (spec CS-5), which relative paths start at. */
  readonly cwd: string;
}

/** The folders of `PolicyFolders` with links resolved. */
export interface Roots {
  readonly workspace: readonly string[];
  readonly adHoc: readonly string[];
  readonly userData: readonly string[];
  readonly state: string | undefined;
  readonly sidecars: string | undefined;
  readonly settings?: readonly string[];
  readonly editors?: readonly string[];
  /** The user's home folder, for `~/`. */
  readonly home: readonly string[];
}

export function toRoots(
  folders: PolicyFolders,
  platform: NodeJS.Platform,
  links?: LinkCache,
): Roots {
  const real = (folder: string) => realFolder(folder, platform, links);
  return {
    workspace: folders.workspace.map(real),
    adHoc: folders.adHoc.map(real),
    userData: folders.userData === undefined ? [] : [real(folders.userData)],
    state: folders.state === undefined ? undefined : real(folders.state),
    sidecars: folders.sidecars === undefined ? undefined : real(folders.sidecars),
    settings: (folders.settings ?? []).map(real),
    editors: (folders.editors ?? []).map(real),
    home: [real(homedir())],
  };
}

/** Thrown for a pattern with an unknown variable (spec C-40). */
export class UnknownVariableError extends Error {
  readonly variable: string;
  constructor(variable: string, pattern: string) {
    super(
      `Unknown variable {${variable}} in "${pattern}": use {workspace}, {ad-hoc} or {user-data}.`,
    );
    this.variable = variable;
  }
}

/** Brace lists contain a comma or a range, so they never match as variables (spec CA-22). */
const VARIABLE = /\{([A-Za-z][A-Za-z-]*)\}/g;

/**
 * Replaces the variables. Several roots give several patterns (spec CA-23). Without a root the list
 * is empty, which matches nothing (spec C-39). Throws `UnknownVariableError`.
 */
export function expandVariables(
  pattern: string,
  roots: Roots,
  quote: (root: string) => string = (root) => root,
): readonly string[] {
  let expanded: readonly string[] = [pattern];
  for (const [written, name = ''] of pattern.matchAll(VARIABLE)) {
    const folders = getFolders(name, roots);
    if (folders === undefined) throw new UnknownVariableError(name, pattern);
    expanded = expanded.flatMap((each) =>
      folders.map((folder) => each.replace(written, () => quote(folder))),
    );
  }
  return expanded;
}

function getFolders(name: string, roots: Roots): readonly string[] | undefined {
  if (name === 'workspace') return roots.workspace;
  if (name === 'ad-hoc') return roots.adHoc;
  return name === 'user-data' ? roots.userData : undefined;
}
