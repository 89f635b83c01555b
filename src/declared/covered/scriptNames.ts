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

const IMPORT =
  /^[ \t]*(?:from[ \t]+(\.{0,20}[ \t]*(?:\w[\w.]*)?)[ \t]+import\b|import[ \t]+([^\n#]+))/gm;

/** The most characters of one list of names. */
const LISTED = 4096;

/** Modules as `a.b`, with a dot for each level in front, and what may be a module in one. */
function* findPythonNames(text: string): Generator<string> {
  const lines = text.replaceAll(';', '\n');
  for (const { 0: whole, 1: from, 2: modules = '', index } of lines.matchAll(IMPORT)) {
    if (from === undefined) {
      for (const name of listNames(modules)) yield MODULE + name;
      continue;
    }
    const own = from.replace(/\s/g, '');
    const start = own === '' || own.endsWith('.') ? own : `${own}.`;
    const behind = index + whole.length;
    const rest = lines.slice(behind, behind + LISTED).trimStart();
    const [names = ''] = rest.split(rest.startsWith('(') ? ')' : '\n', 1);
    yield MODULE + own;
    for (const name of listNames(names)) yield MODULE + start + name;
  }
}

/** The first word of each part: `a as b, c`. */
function listNames(list: string): readonly string[] {
  return list.split(/[,()\n]/).flatMap((each) => /^\s*([\w.]+)/.exec(each)?.[1] ?? []);
}

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
  const parts = name
    .slice(dots)
    .split('.')
    .filter((part) => part !== '');
  const bases = dots === 0 ? folders : [path.join(folder, ...Array(dots - 1).fill('..'))];
  return bases.flatMap((base) => [
    ...(dots > 0 ? [path.join(base, '__init__.py')] : []),
    ...parts.flatMap((_, at) => toModule(path.join(base, ...parts.slice(0, at + 1)))),
  ]);
}

/** The files that a module of this path may be. */
function toModule(file: string): readonly string[] {
  return [`${file}.py`, `${file}.so`, path.join(file, '__init__.py')];
}

/** The files that `python -m` runs, relative to the folder that it is started in. */
export function listRunModules(program: string, args: readonly string[]): readonly string[] {
  const at = args.indexOf('-m');
  const name = at < 0 ? undefined : args[at + 1];
  if (name === undefined || getKindOfProgram(program) !== 'python' || !/^[\w.]+$/.test(name))
    return [];
  const parts = name.split('.');
  const files = parts.flatMap((_, end) => toModule(path.join(...parts.slice(0, end + 1))));
  return [...files, path.join(...parts, '__main__.py')];
}
