import path from 'node:path';

/** How the names that a script gives to other files are found. */
export type ScriptKind = 'modules' | 'python' | 'shell';

const BY_ENDING: readonly (readonly [RegExp, ScriptKind])[] = [
  [/\.[cm]?[jt]sx?$/i, 'modules'],
  [/\.pyw?$/i, 'python'],
  [/\.(?:sh|bash|zsh|ksh)$/i, 'shell'],
];

/** By the script's own name. */
export function getKind(file: string): ScriptKind | undefined {
  return BY_ENDING.find(([ending]) => ending.test(file))?.[1];
}

const BY_PROGRAM: readonly (readonly [RegExp, ScriptKind])[] = [
  [/^(?:node|nodejs|bun|deno|tsx|ts-node)$/, 'modules'],
  [/^(?:python|pypy)[\d.]*(?:\.exe)?$/, 'python'],
  [/^(?:ba|da|z|k|mk|a)?sh(?:\.exe)?$/, 'shell'],
];

/** By the interpreter that runs the script. */
export function getKindOfProgram(program: string): ScriptKind | undefined {
  const name = path.basename(program);
  return BY_PROGRAM.find(([programs]) => programs.test(name))?.[1];
}

/** The names in a script of Python or a shell that may be those of files, as `listFiles` takes them. */
export function* findScriptNames(text: string, kind: 'python' | 'shell'): Generator<string> {
  const joined = text.replace(/\\\r?\n/g, ' ');
  const read = kind === 'python' ? joined : joined.replace(VARIABLE, '');
  yield* kind === 'python' ? findPythonNames(read) : findShellNames(read);
  for (const [name] of read.matchAll(SCRIPT_FILE)) yield name;
}

/** A variable of a shell, which may stand for a folder. */
const VARIABLE = /\$(?:\w+|\{[^{}\n]*\}|[@*#?$!-])/g;

/** A file that is code by its name, wherever it is named. What else a script names may be what it writes. */
const SCRIPT_FILE =
  /(?<![\w.@%+~/-])[\w.@%+~/-]*[\w@%+~-]\.(?:pyw?|sh|bash|zsh|ksh|pl|rb|[cm]?[jt]s)\b/g;

/** In text whose spaces are single ones: the repository decides how long the look takes. */
const IMPORT = /^ ?(?:from\b ?((?:\. ?){0,20}(?:\w[\w.]*)?) ?import\b|import ([^\n#]+))/gm;

/** Modules as `a.b`, with a dot for each level in front, and what may be a module in one. */
function* findPythonNames(text: string): Generator<string> {
  const lines = text.replace(/[ \t\f]+/g, ' ').replace(/[;:](?= ?(?:from|import)\b)/g, '\n');
  const found = [...lines.matchAll(IMPORT)];
  for (const [at, { 0: whole, 1: from, 2: modules = '', index }] of found.entries()) {
    if (from === undefined) {
      for (const name of listNames(modules)) yield MODULE + name;
      continue;
    }
    const own = from.replaceAll(' ', '');
    const start = own === '' || own.endsWith('.') ? own : `${own}.`;
    // No line of the names starts like an import, so nothing is read twice.
    const rest = lines.slice(index + whole.length, found[at + 1]?.index).trimStart();
    const end = rest.indexOf(rest.startsWith('(') ? ')' : '\n');
    yield MODULE + own;
    for (const name of listNames(end < 0 ? rest : rest.slice(0, end))) yield MODULE + start + name;
  }
}

/** The first word of each part: `a as b, c`. */
function listNames(list: string): readonly string[] {
  const names = list.split(/[,()\n]/).map((each) => /^\s*([\w.]+)/.exec(each)?.[1] ?? '');
  return names.filter((name) => name !== '' && name.length <= LONGEST);
}

/** The most characters of a module's name; the path of a file has no more. */
const LONGEST = 1024;

/** Marks a module of Python. No file has such a name. */
const MODULE = '\0';

const SOURCED = /(?:^|[\s;&|({])(?:\.|source)[ \t]+([^\n;&|]*)/gm;

/** Every word behind `.` or `source`: what stands before a name may be computed. */
function* findShellNames(text: string): Generator<string> {
  for (const [, rest = ''] of text.matchAll(SOURCED))
    for (const [name] of rest.matchAll(/[\w.@%+~/-]+/g)) yield name;
}

/**
 * The files that a name may mean, existing or not: in the folder of the script, and in those that its interpreter was
 * started for. Absolute.
 */
export function listFiles(
  name: string,
  folder: string,
  others: readonly string[],
): readonly string[] {
  const folders = [...new Set([folder, ...others])];
  if (name.startsWith(MODULE)) return listModuleFiles(name.slice(1), folder, folders);
  // What stands before the slash may be a variable.
  const relative = name.replace(/^\/+/, '');
  const found = folders.map((each) => path.join(each, relative));
  return name.startsWith('/') ? [name, ...found] : found;
}

function listModuleFiles(
  name: string,
  folder: string,
  folders: readonly string[],
): readonly string[] {
  const dots = /^\.*/.exec(name)?.[0].length ?? 0;
  const parts = toParts(name.slice(dots));
  const bases = dots === 0 ? folders : [path.join(folder, ...Array(dots - 1).fill('..'))];
  return bases.flatMap((base) => [
    ...(dots > 0 ? [path.join(base, '__init__.py')] : []),
    ...parts.flatMap((_, at) => toModule(path.join(base, ...parts.slice(0, at + 1)))),
  ]);
}

/** No packages lie deeper. */
const LEVELS = 32;

function toParts(name: string): readonly string[] {
  return name
    .split('.')
    .filter((part) => part !== '')
    .slice(0, LEVELS);
}

/** The files that a module of this path may be. */
function toModule(file: string): readonly string[] {
  return [`${file}.py`, `${file}.so`, path.join(file, '__init__.py')];
}

/** Options of Python without a value, and `-m` behind them. */
const RUNS_MODULE = /^-[bBdEhiIOPqRsSuvVx]*m(.*)$/s;

/** The files that `python -m` runs, relative to the folder that it is started in. */
export function listRunModules(program: string, args: readonly string[]): readonly string[] {
  if (getKindOfProgram(program) !== 'python') return [];
  const at = args.findIndex((arg) => RUNS_MODULE.test(arg));
  const name = RUNS_MODULE.exec(args[at] ?? '')?.[1] || args[at + 1];
  if (at < 0 || name === undefined || name.length > LONGEST || !/^[\w.]+$/.test(name)) return [];
  const parts = toParts(name);
  const files = parts.flatMap((_, end) => toModule(path.join(...parts.slice(0, end + 1))));
  return [...files, path.join(...parts, '__main__.py')];
}
