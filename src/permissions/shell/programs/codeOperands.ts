import type { ShellWord } from '../acts.ts';
import { toPlainName } from './knownNames.ts';
import { mark, type Options } from './options.ts';
import { isHarmlessExpression, isHarmlessQuery, markScripts } from './scripts.ts';
import type { Script } from './tables/program.ts';

/** Operands that an allow must contain literally, if the word itself reveals it. */
const RISKY_OPERANDS = {
  // `gcc @file` takes its options from the file.
  response: /^@/,
  // `host:archive` is fetched with a remote shell.
  archive: /^[^/]*:/,
  // A package from a URL or file instead of the registry.
  packages: /:\/\/|^git@|^file:|\.rb$/,
  // `module@version` is fetched from the location that its name refers to.
  go: /@/,
} as const satisfies Partial<Record<Script, RegExp>>;

/** Words, options and their values included, that an allow must contain literally. */
const RISKY_WORDS = {
  // `-i @host` looks up the name, also with `-n`; `+M` asks the port mapper, and `+m` names a file.
  sockets: /@|^\+[mM]/,
  // A key or certificate is also found by a URL, which may be that of a host or a device.
  stores: /^[a-z][a-z\d+.-]*:/i,
  // Options for the linker, the assembler and the preprocessor may load code or write a file.
  compiler: { test: (word) => word.startsWith('@') || passesUnknown(word) },
  formats: /#\(/,
  // A format may be a program in Lua, with extensions behind it: `-t x.lua+smart`.
  pandoc: /\.lua(?![^+-])/i,
  // A value may follow a colon: `--settings:file`.
  dotnet: /^(?:--?|\/)(?:s|source|settings|configfile|add-source)[:=]/,
} as const satisfies Partial<Record<Script, Test>>;

/** A regular expression, or a function for what one can't tell in linear time. */
interface Test {
  test(word: string): boolean;
}

/** Options, and their values, that the linker and its like may get. */
const PASSED =
  /^(?:-O\d|-s|-x|-S|-E|-B(?:static|dynamic)|--?rpath=?|-z|now|relro|noexecstack|defs|origin|--(?:no-)?as-needed|--gc-sections|--(?:start|end)-group|--(?:no-)?whole-archive|--export-dynamic|--no-undefined|--strip-all|--build-id|-soname|\$ORIGIN.*|\/.*|lib[\w.+-]+\.so[\d.]*)$/s;

/** Whether the word passes on others than these: `-Wl,-rpath,/opt/lib`. */
function passesUnknown(word: string): boolean {
  if (!/^-W[lap],/.test(word)) return false;
  const parts = word.slice(4).split(',');
  // It may end with a comma.
  if (parts.length > 1 && parts.at(-1) === '') parts.pop();
  return !parts.every((part) => PASSED.test(part));
}

/**
 * Marks the words with code that runs, writes or reads something, so that an allow must contain
 * them literally.
 */
export function markScript(kind: Script, words: readonly ShellWord[], options: Options): void {
  switch (kind) {
    case 'sed':
    case 'awk':
      markScripts(kind, words, options);
      return;
    case 'jq':
    case 'yq':
      markFilter(kind, words, options);
      return;
    case 'date':
    case 'zones':
      markTimes(kind, words, options);
      return;
    case 'response':
    case 'archive':
    case 'go':
      markWords(RISKY_OPERANDS[kind], options.operands, words, options.risky);
      return;
    default:
      markTool(kind, words, options);
  }
}

type Language = 'sed' | 'awk' | 'jq' | 'yq' | 'date' | 'zones' | 'response' | 'archive' | 'go';

function markTool(
  kind: Exclude<Script, Language>,
  words: readonly ShellWord[],
  options: Options,
): void {
  switch (kind) {
    case 'make':
      markVariables(words, options);
      return;
    case 'request':
      markTransfers(words, options);
      return;
    case 'gh':
      markQueries(words, options.risky);
      return;
    case 'docker':
      markTop(words, options);
      markCompose(words, options.risky);
      return;
    case 'debian':
      addPackageFiles(words, options);
      return;
    case 'ps':
      markEnvironments(words, options);
      return;
    case 'packages':
      markPackages(words, options);
      return;
    default:
      markWords(RISKY_WORDS[kind], [...words.keys()].slice(1), words, options.risky);
  }
}

const SHORTHAND = /^(?:[\w-]+:)?[\w-][\w.-]*\/[\w.-]+(?:#.*)?$/;
const NPM = /^(?:.*[\\/])?(?:npm|pnpm|yarn|bun)$/;
const INSTALLS =
  /^(?:i|in|ins|inst|insta|instal|isnt\w*|install|add|install-test|it|up|update|upgrade)$/;

/** `make CC=./x` sets a variable, which may name a program. */
function markVariables(words: readonly ShellWord[], options: Options): void {
  for (const index of options.operands)
    if (words[index]?.value.includes('=') === true) mark(options, index, index, 'runs');
}

/** Packages that don't come from the registry; `npm install user/repo` fetches from GitHub. */
function markPackages(words: readonly ShellWord[], { operands, risky }: Options): void {
  markWords(RISKY_OPERANDS.packages, operands, words, risky);
  const [first = -1, ...others] = operands;
  const [program, verb] = [words[0]?.value ?? '', words[first]?.value ?? ''];
  if (NPM.test(program) && INSTALLS.test(verb)) markWords(SHORTHAND, others, words, risky);
  // `npm init x` runs the package create-x.
  if (/^in(?:it|nit)$/.test(verb)) for (const index of others) risky.add(index);
}

function markWords(
  pattern: Test,
  indices: readonly number[],
  words: readonly ShellWord[],
  risky: Set<number>,
): void {
  for (const index of indices) if (pattern.test(words[index]?.value ?? '')) risky.add(index);
}

/**
 * Without a dash, `e` prints the environment of every process, on macOS also `E`, and so does `-o
 * environ`. Words that `ps` can't read are read again as if they had no dash: `ps -auxe`.
 */
function markEnvironments(words: readonly ShellWord[], { risky }: Options): void {
  const given = words.map(({ value }) => value);
  const letters = given.map((value) => /^-([a-zA-Z]+)/.exec(value)?.[1]?.replace(/o.*/, '') ?? '');
  const certain = given.every((value, index) => {
    if (index === 0 || !/^-[^-]/.test(value)) return true;
    const next = given[index + 1] ?? '-';
    // A user that doesn't exist is an error, too.
    const follows = /[uU]$/.test(value) ? /^\d+$/.test(next) : !next.startsWith('-');
    return CERTAIN_PS.test(value) && (follows || !/[opuUC]$/.test(value));
  });
  given.forEach((value, index) => {
    const format = certain && /^-[a-zA-Z]*o$/.test(given[index - 1] ?? '');
    const bare = index > 0 && !format && /^[a-zA-Z]*e|^-?[a-zA-Z]*E/.test(value);
    if (bare || /environ/.test(value) || (!certain && letters[index]?.includes('e') === true))
      risky.add(index);
  });
}

/** Options that `ps` certainly reads as such. `x` isn't one with a dash. */
const CERTAIN_PS = /^-[aAdefFjlLwyH]*(?:o.*|[puU][\d,]*|C.*)?$/;

/** What follows the container are options of `ps`, which may print environments. */
function markTop(words: readonly ShellWord[], { operands, risky }: Options): void {
  const top = operands.findIndex((index) => words[index]?.value === 'top');
  for (const index of top < 0 ? [] : operands.slice(top + 2)) risky.add(index);
}

/** Before its subcommand, `docker compose` takes files that say what runs: `-f`, which follows a log later. */
function markCompose(words: readonly ShellWord[], risky: Set<number>): void {
  const start = words.findIndex(({ value }) =>
    /^(?:.*[\\/])?(?:(?:docker|podman)-)?compose$/.test(value),
  );
  if (start < 0) return;
  for (let index = start + 1; words[index]?.value.startsWith('-') === true; index += 1) {
    const value = words[index]?.value ?? '';
    const taken = COMPOSE_VALUED.test(value) ? index + 1 : index;
    if (COMPOSE_FILES.test(value)) for (let at = index; at <= taken; at += 1) risky.add(at);
    index = taken;
  }
}

const COMPOSE_FILES = /^(?:-f|--(?:file|project-directory|env-file|workdir))/;
const COMPOSE_VALUED =
  /^(?:-[fp]|--(?:file|project-directory|env-file|workdir|project-name|profile|ansi|parallel|progress))$/;

/** The first operand is the program; `--arg name value` leaves its value among the operands. */
function markFilter(
  kind: 'jq' | 'yq',
  words: readonly ShellWord[],
  { operands, risky, runs }: Options,
): void {
  if (runs.length > 0) return;
  if (kind === 'yq') {
    markExpressions(words, operands, risky);
    return;
  }
  const named = words.filter(({ value }) => /^--(arg|argjson|rawfile|slurpfile)$/.test(value));
  for (const index of operands.slice(0, 1 + named.length)) {
    if (!isHarmlessQuery(words[index]?.value ?? '')) risky.add(index);
  }
}

/**
 * The first operand of `yq` may be a subcommand, and the next the expression: `yq eval-all '.a' file`.
 * A file that ends with `.yq` holds one.
 */
function markExpressions(
  words: readonly ShellWord[],
  operands: readonly number[],
  risky: Set<number>,
): void {
  for (const [at, index] of operands.entries()) {
    const value = words[index]?.value ?? '';
    if (at === 0 && /^eval(?:-all)?$/.test(value)) continue;
    if (at > 0 && DATA_FILE.test(value)) continue;
    if (/\.yq$/.test(value) || !isHarmlessExpression(value)) risky.add(index);
  }
}

/** A name that can only be a file behind the expression. */
const DATA_FILE = /^[\w./@+-]+\.(?:ya?ml|json|toml|xml|csv|tsv|properties|props|ini)$/i;

/** An operand with a path is the file of a package, and no name. */
function addPackageFiles(words: readonly ShellWord[], { operands, files }: Options): void {
  for (const index of operands) {
    const path = words[index]?.value ?? '';
    if (/^\.{0,2}\//.test(path)) files.push({ path, access: 'fs.read' });
  }
}

/** An operand of `date` that isn't a format sets the clock, and a date may name the file of a time zone. */
function markTimes(
  kind: 'date' | 'zones',
  words: readonly ShellWord[],
  { operands, risky }: Options,
): void {
  for (const index of kind === 'date' ? operands : [])
    if (/^[^+]/.test(words[index]?.value ?? '')) risky.add(index);
  words.forEach(({ value }, index) => {
    if (/TZ="(?:[:/]|[^"]*(?:\.\.|\\))/.test(value)) risky.add(index);
  });
}

/** `-d @file` and `-F name=<file` send a file; `{a,b}` and `[1-9]` in a URL are several URLs. */
function markTransfers(words: readonly ShellWord[], { risky, files }: Options): void {
  // `http url field@file` sends a file as well.
  const hasItems = /^(https?|xhs?)$/.test(words[0]?.value ?? '');
  words.forEach(({ value }, index) => {
    const encodes = /^--(?:expand-)?(?:data-u|url-q)/.test(words[index - 1]?.value ?? '');
    const sends = encodes ? SENDS_ENCODED : hasItems ? SENDS_ITEM : SENDS;
    const path = sends.exec(value)?.[1];
    if (path !== undefined) files.push({ path, access: 'fs.read' });
    if (path !== undefined || /^(https?:\/\/)?[^/]*[{[]/.test(value)) risky.add(index);
    const local = LOCAL.exec(value)?.[1]?.replace(/%[2-7][\da-f]/gi, decodeURIComponent);
    if (local !== undefined) files.push({ path: local, access: 'fs.read' });
  });
}

/** Curl reads a file by its URL, with one slash or three. */
const LOCAL = /^(?:--\w+=)?file:(?:\/\/(?:localhost|127\.0\.0\.1)?)?(\/[^?#]*)/i;

const SENDS =
  /(?:^(?:-[a-zA-Z]+|--[\w-]+=)?@|=[@<]|^--(?:expand-)?(?:data-u|url-q)[\w-]*=\w*@)([^;]*)/;
const SENDS_ENCODED = /@([\s\S]*)/;
const SENDS_ITEM = /(?:^[\w-]*|=)@([^;]*)/;

/** Queries after `--jq` may read the environment, and what follows `--` are options of git. */
function markQueries(words: readonly ShellWord[], risky: Set<number>): void {
  const end = words.findIndex(({ value }) => value === '--');
  words.forEach(({ value }, index) => {
    if (end >= 0 && index > end && value.startsWith('-') && !CLONES.test(value)) risky.add(index);
    const own = /^(?:-q|--jq=)([\s\S]+)$/.exec(value)?.[1];
    const behind = /^(-q|--jq)$/.test(words[index - 1]?.value ?? '') ? value : own;
    if (behind !== undefined && !isHarmlessQuery(behind)) risky.add(index);
  });
}

/** Options of `git clone` that run nothing. */
const CLONES = /^(?:--(?:depth|branch|single-branch|no-tags|quiet)(?:=|$)|-[bq]$)/;

/** Programs that take more options, among them files to read and write, from `@file`. */
const RESPONSE_READERS: ReadonlySet<string> = new Set(
  `tsc ar ranlib strip objcopy objdump nm readelf size strings addr2line c++filt as ld lld gold windres dlltool
  cpp gfortran gcc g++ cc c++ clang clang++ llvm-ar llvm-nm llvm-objdump emcc em++ nvcc dmd ldc2 gdc fpc ghc
  java javac javadoc jar jlink jpackage jdeps kotlinc kotlin groovyc scalac scala swiftc rustc ocamlc ocamlopt
  csc vbc msbuild dotnet cl link lib ml ml64 ilasm nasm mypy pylint pytest protoc flatc 7z 7za 7zr 7zz rar unrar
  ktlint checkstyle aapt2 d8 r8`.split(/\s+/),
);

/** The words that name such a file. Options behind `--` come from it, too. */
export function findResponses(name: string, words: readonly ShellWord[]): readonly number[] {
  if (!RESPONSE_READERS.has(name) && !RESPONSE_READERS.has(toPlainName(name))) return [];
  return [...words.keys()].filter((at) => at > 0 && /^@./.test(words[at]?.value ?? ''));
}
