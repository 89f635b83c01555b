import type { GlobValue } from './acts.ts';
import type { Folders } from './folders.ts';

/**
 * What the line itself shows about a variable's value: one of these texts, one of the files that a
 * glob matches, an integer, or the output of commands on the line, which may be printed but not used
 * otherwise. `plain`: output without characters that the shell would expand when it splits the value. `hidden`: the
 * line set it to what it doesn't show, so that it has no longer the value of which its name tells.
 */
export type Value = Texts | GlobValue | 'number' | 'plain' | 'output' | 'hidden';

interface Texts {
  readonly texts: readonly string[];
}

/** Whether the value is one of known texts. */
export function hasTexts(value: Value | undefined): value is Texts {
  return typeof value === 'object' && 'texts' in value;
}

/**
 * The variables whose values the line shows, at one point of it. Others have the value that the
 * shell inherited, which may be a secret or may not exist.
 */
export type VariableScope = ReadonlyMap<string, Value>;

export const NO_VARIABLES: VariableScope = new Map();

/** Maximum number of texts that are followed for a variable. */
export const TEXT_LIMIT = 64;

/**
 * Variables that hold no secrets: what the shell or the login sets, languages, terminals, the folders
 * of tools, and names of environments. A line that sets one has its value in the scope, or asks.
 */
const PRINTED: ReadonlySet<string> = new Set(
  `PWD OLDPWD HOME USER LOGNAME SHELL PATH TERM HOSTNAME TMPDIR BASH_VERSION OSTYPE HOSTTYPE MACHTYPE
  LANG LANGUAGE LC_ALL LC_CTYPE TZ COLUMNS LINES COLORTERM TERM_PROGRAM NO_COLOR FORCE_COLOR DISPLAY
  WAYLAND_DISPLAY EDITOR VISUAL PAGER XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_RUNTIME_DIR
  VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV PYENV_ROOT PYTHONPATH NVM_DIR JAVA_HOME GOPATH GOROOT GOBIN
  CARGO_HOME RUSTUP_HOME ANDROID_HOME CI NODE_ENV RAILS_ENV RACK_ENV APP_ENV FLASK_ENV`.split(
    /\s+/,
  ),
);

/** Variables that the shell sets to an integer, and special parameters. */
const NUMBERS: ReadonlySet<string> = new Set(
  'UID EUID PPID SHLVL RANDOM SECONDS LINENO BASHPID EPOCHSECONDS ? # $ !'.split(' '),
);

/** The value of a variable in a scope; undefined if nothing is known. */
export function getValue(name: string, scope: VariableScope): Value | undefined {
  const own = scope.get(name);
  if (own !== undefined) return own === 'hidden' ? undefined : own;
  if (NUMBERS.has(name)) return 'number';
  return PRINTED.has(name) ? 'output' : undefined;
}

/** Whether the variable is set by the login and not by the line, so that it holds no file names. */
export function isInherited(name: string, scope: VariableScope): boolean {
  return !scope.has(name) && PRINTED.has(name);
}

export function isInteger(value: Value | undefined): boolean {
  if (!hasTexts(value)) return value === 'number';
  return value.texts.every((text) => /^-?(0|[1-9]\d*)$/.test(text));
}

export function withValue(
  scope: VariableScope,
  name: string,
  value: Value | undefined,
): VariableScope {
  const next = new Map(scope);
  if (value !== undefined) next.set(name, value);
  else if (getValue(name, NO_VARIABLES) !== undefined) next.set(name, 'hidden');
  else next.delete(name);
  return next;
}

/**
 * The scope with `PWD`, which a shell sets to the folder that it is in: a line that sets it itself
 * asks. Unchanged if that isn't certain, or if the shell would split the path.
 */
export function withFolder(scope: VariableScope, folders: Folders): VariableScope {
  const [folder, ...others] = folders;
  const certain = folder !== undefined && others.length === 0 && /^\/[\w./-]*$/.test(folder);
  return certain && !scope.has('PWD') ? withValue(scope, 'PWD', { texts: [folder] }) : scope;
}

/** The variables that are known whichever of two ways was taken. */
export function joinScopes(a: VariableScope, b: VariableScope): VariableScope {
  if (a === b) return a;
  const joined = new Map<string, Value>();
  for (const name of new Set([...a.keys(), ...b.keys()])) {
    const [value, other] = [a, b].map((scope) => scope.get(name) ?? getInherited(name));
    if (value !== undefined && other !== undefined) joined.set(name, joinValues(value, other));
  }
  return joined;
}

/** The value before the line sets it; one of a login holds nothing that the shell would expand. */
export function getInherited(name: string): Value | undefined {
  return isInherited(name, NO_VARIABLES) ? 'plain' : getValue(name, NO_VARIABLES);
}

export function joinValues(a: Value, b: Value): Value {
  if (a === b) return a;
  if (a === 'hidden' || b === 'hidden') return 'hidden';
  if (hasTexts(a) && hasTexts(b)) {
    const texts = [...new Set([...a.texts, ...b.texts])];
    if (texts.length <= TEXT_LIMIT) return { texts };
  }
  if (isInteger(a) && isInteger(b)) return 'number';
  return isPlain(a) && isPlain(b) ? 'plain' : 'output';
}

function isPlain(value: Value): boolean {
  if (hasTexts(value)) return value.texts.every((text) => /^(?!-)[\w./:@+,-]*$/.test(text));
  return value === 'plain' || value === 'number';
}
