import type { ShellAnalysis, ShellWord } from '../acts.ts';
import { analyzeCommand } from '../bash/command.ts';
import { walkText } from '../bash/walk.ts';
import { type Folders, LOST, toFolders, unite } from '../folders.ts';
import { pushUnsure } from '../programs/unnamed.ts';
import { LENGTH_LIMIT, startWalk, TOO_DEEP, TOO_LONG, type Walk } from '../walkState.ts';
import { literalWord } from '../words.ts';
import { type CmdPart, type CmdWord, lexCmd } from './cmdLexer.ts';

/**
 * Analyzes a cmd.exe line. There is no reliable grammar for cmd.exe, so its lines always ask. They
 * are split like cmd.exe does, so that a deny matches every command, file and host in them.
 */
export function analyzeCmd(
  line: string,
  cwd: string | undefined,
  platform: NodeJS.Platform,
): ShellAnalysis {
  if (line.length > LENGTH_LIMIT) return TOO_LONG;
  const walk = startWalk(platform, toFolders(cwd), walkText);
  walk.expands = false;
  enterLine(line, { walk, folders: walk.start });
  return {
    acts: walk.acts,
    doubts: ["Gatehouse can't parse commands of cmd.exe reliably."],
    ...(walk.tooDeep && { refused: TOO_DEEP }),
  };
}

interface Visit {
  readonly walk: Walk;
  folders: Folders;
}

const NESTING_LIMIT = 20;

/** A variable may contain a quote, so a line with one is parsed with and without quotes. */
function enterLine(line: string, visit: Visit): void {
  const { walk } = visit;
  if (walk.nesting > NESTING_LIMIT) {
    walk.tooDeep = true;
    return;
  }
  walk.nesting += 1;
  for (const quotes of /[%!].*"|".*[%!]/s.test(line) ? [true, false] : [true]) {
    let set: CmdWord | undefined;
    for (const part of lexCmd(line, quotes)) {
      addRedirections(part, visit);
      // The part between `for /f %i in (` and `)` is a quoted command, or files that are read.
      if (set !== undefined) enterSet(part, visit);
      else enterCommand(part.words, visit);
      const last = part.words.at(-1);
      set = last !== undefined && /^in$/i.test(last.value) ? last : undefined;
    }
  }
  walk.nesting -= 1;
}

function addRedirections({ redirections }: CmdPart, { walk, folders }: Visit): void {
  for (const { access, target } of redirections) {
    if (/^nul$/i.test(target)) continue;
    const path = target.replaceAll('\\', '/');
    walk.acts.push({ kind: 'file', access, target: path, folders, role: 'redirection' });
  }
}

function enterSet({ words }: CmdPart, visit: Visit): void {
  const text = words.map(({ value }) => value).join(' ');
  const command = /^['`](.*?)['`]?$/s.exec(text)?.[1];
  if (command !== undefined) enterLine(command, visit);
  if (command !== undefined) return;
  const files = words.filter(({ quoted }) => !quoted).map(({ value }) => literalWord(value));
  if (files.length > 0) run([literalWord('type'), ...files], visit);
}

/** Words that only precede a command. */
const PREFIXES: ReadonlySet<string> = new Set(['call', 'else', 'do']);

/** Analyzes a command, and the commands it starts. */
function enterCommand(given: readonly CmdWord[], visit: Visit): void {
  const words = startAt(given);
  const [first, ...rest] = words;
  if (first === undefined) return;
  const name = toName(first.value);
  run(
    words.map(({ value }) => literalWord(value)),
    visit,
  );
  if (PREFIXES.has(name)) enterCommand(rest, visit);
  else if (name === 'if') enterCommand(rest.slice(countConditionWords(rest)), visit);
  else if (name === 'for') {
    // If its set has no parentheses, the command follows in the same part.
    const at = rest.findIndex(({ value }) => /^do$/i.test(value));
    if (at >= 0) enterCommand(rest.slice(at + 1), visit);
  } else if (name === 'start') enterCommand(rest.slice(countOptions(rest)), visit);
  else if (name === 'cmd' || name === '%comspec%') enterLine(toLine(rest), visit);
  else if (STARTERS.has(name)) {
    for (const { value } of rest) if (/\s/.test(value)) enterLine(value, visit);
  }
}

/** Programs that run a line given as one word. */
const STARTERS: ReadonlySet<string> = new Set(['forfiles', 'runas', 'schtasks', 'at', 'psexec']);

/** Skips `@`, `,`, `;` and `=` before a command. */
function startAt(words: readonly CmdWord[]): readonly CmdWord[] {
  const [first, ...rest] = words;
  if (first === undefined) return words;
  const value = first.value.replace(/^[@,;=]+/, '');
  if (value === '' && !first.quoted) return startAt(rest);
  return [{ ...first, value }, ...rest];
}

/** The number of words between `if` and its command. */
function countConditionWords(words: readonly CmdWord[]): number {
  let at = 0;
  while (/^(\/i|not)$/i.test(words[at]?.value ?? '')) at += 1;
  const value = words[at]?.value ?? '';
  if (/^(exist|defined|errorlevel|cmdextversion)$/i.test(value)) return at + 2;
  if (/==./.test(value)) return at + 1;
  if (/==$/.test(value) || /^==./.test(words[at + 1]?.value ?? '')) return at + 2;
  return at + 3;
}

/** The number of words between `start` and its command: a quoted title, and options. */
function countOptions(words: readonly CmdWord[]): number {
  let at = words[0]?.quoted === true ? 1 : 0;
  while (/^\//.test(words[at]?.value ?? '')) at += /^\/d$/i.test(words[at]?.value ?? '') ? 2 : 1;
  return at;
}

/** The line after `/c`, with or without a space. */
function toLine(words: readonly CmdWord[]): string {
  const at = words.findIndex(({ value }) => /^\/{1,2}[ckr]/i.test(value));
  if (at < 0) return '';
  const own = words[at]?.value.replace(/^\/{1,2}[ckr]/i, '') ?? '';
  return [own, ...words.slice(at + 1).map(({ value }) => value)].join(' ').trim();
}

/**
 * The program whose table row describes the operands, for cmd.exe's own commands and the programs
 * of Windows.
 */
const ACTS_AS: Readonly<Record<string, string>> = {
  type: 'cat',
  copy: 'cp',
  xcopy: 'cp',
  robocopy: 'cp',
  replace: 'cp',
  move: 'mv',
  ren: 'mv',
  rename: 'mv',
  del: 'rm',
  erase: 'rm',
  rd: 'rm',
  rmdir: 'rm',
  md: 'mkdir',
  mklink: 'cp',
  attrib: 'touch',
  fc: 'diff',
  comp: 'diff',
  dir: 'ls',
};

/** Builtin commands; no space is needed after their name. */
const BUILTIN =
  /^(assoc|call|cd|chdir|cls|copy|date|del|dir|echo|erase|ftype|md|mkdir|mklink|move|path|popd|prompt|pushd|rd|ren|rename|rmdir|set|start|time|title|type|ver|vol)(?=[/\\.,;=:+[\]])[,;=]*([\s\S]*)$/i;

function run(words: readonly ShellWord[], visit: Visit): void {
  const { walk, folders } = visit;
  const [first, ...rest] = words;
  if (first === undefined) return;
  const [, builtin, attached = ''] = BUILTIN.exec(first.value) ?? [];
  const name = toName(builtin ?? first.value);
  const as = Object.hasOwn(ACTS_AS, name) ? ACTS_AS[name] : undefined;
  const command = { folders, ...(as !== undefined && { as }) };
  analyzeCommand({ ...command, words }, walk);
  const own = builtin !== undefined || as !== undefined;
  const values = [...(attached === '' ? [] : [attached]), ...rest.map(({ value }) => value)];
  const operands = (own ? values.flatMap(toOperands) : values).map((value) =>
    literalWord(value.replaceAll('\\', '/')),
  );
  const plain = [literalWord(builtin ?? first.value), ...operands];
  if (plain.map(toValue).join('\n') !== words.map(toValue).join('\n'))
    analyzeCommand({ ...command, words: plain }, walk);
  const carries = as === 'rm' ? 'removed' : 'all';
  if (/^(cp|rm|touch)$/.test(as ?? '') && (name === 'robocopy' || values.some(isRecursive))) {
    for (const { value } of operands) {
      const { folder, only } = toFound(value) ?? { folder: value };
      const more = { carries, ...(only !== undefined && { only }) } as const;
      pushUnsure(folder, 'fs.write', 'all', folders, walk, more);
    }
  }
  if (/^(cd|chdir|pushd|popd)$/.test(name)) visit.folders = enter(name, operands, visit);
}

/**
 * Builtin commands treat `,`, `;` and `=` as spaces, `+` joins files, and `/x` is a switch. It needs no space
 * before it: `rd sub/s/q`.
 */
function toOperands(value: string): readonly string[] {
  const parts = [value, ...value.split(/[,;=+]/)];
  const bare = parts.map((each) => each.replace(/(?:\/[a-z?])+$/i, ''));
  return [...new Set([...parts, ...bare])].filter(
    (each) => each !== '' && !/^(?:\/[a-z?-][\w:-]*)+$/i.test(each),
  );
}

/** Whether a word has a switch that takes in folders, alone or among others: `/s/q`. */
function isRecursive(value: string): boolean {
  const [, ...switches] = value.split('/');
  return switches.some((each) => /^(?:s|e|mir|move?|purge)$/i.test(each));
}

/**
 * Where a program of Windows looks for the files of a pattern, and the names that they may have; undefined if it
 * is no pattern. Files are found by their short names, too (`m*` finds `.mcp.json`), so only an extension tells
 * something about them.
 */
function toFound(path: string): { readonly folder: string; readonly only?: string } | undefined {
  const at = path.search(/[*?]/);
  if (at < 0) return undefined;
  const folder = path.slice(0, path.lastIndexOf('/', at) + 1) || '.';
  const extension = /\.[a-z0-9]+$/i.exec(path)?.[0];
  if (extension === undefined) return { folder };
  const only = `*${extension}*`;
  return { folder, only };
}

function toValue({ value }: ShellWord): string {
  return value;
}

/** The folders in which the line continues: the target, or the current ones if it doesn't exist. */
function enter(name: string, operands: readonly ShellWord[], { walk, folders }: Visit): Folders {
  const [target] = operands;
  if (target === undefined) return name === 'popd' ? unite(folders, LOST) : folders;
  if (/^[a-z]:|[%!]/i.test(target.value)) return unite(folders, LOST);
  const words = [literalWord('cd'), target];
  const { ok } = analyzeCommand({ words, folders }, { ...walk, acts: [], doubts: new Set() });
  return unite(folders, ok);
}

function toName(written: string): string {
  return written
    .toLowerCase()
    .replace(/^.*[\\/]/, '')
    .replace(/\.(exe|com|bat|cmd)$/, '');
}
