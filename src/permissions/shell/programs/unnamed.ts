import type { FileAct, ShellWord } from '../acts.ts';
import type { Folders } from '../folders.ts';
import type { Walk } from '../walkState.ts';
import { joinWords } from '../words.ts';
import type { Below } from './filters.ts';
import {
  COPIERS,
  DECOMPRESSORS,
  DESTINATIONS,
  TAKES_IN,
  TAKES_IN_BY,
  TAKES_IN_HERE,
  UNPACKS,
} from './tables/unnamedTable.ts';

/**
 * Adds the folders in which a program reads or writes files that no word names: `docker build .`,
 * `tar xf a.tar`. A rule for one of those files asks.
 */
export function addUnnamed(
  name: string,
  words: readonly ShellWord[],
  operands: readonly number[],
  folders: Folders,
  walk: Walk,
): void {
  if (!hasUnnamed(name)) return;
  const follows = FOLLOWERS.has(name) ? ({ follows: true } as const) : {};
  for (const target of findTakenIn(name, words, operands))
    pushUnsure(target, 'fs.read', 'all', folders, walk, follows);
  if (unpacks(name, words)) {
    const target = findDestination(name, words) ?? '.';
    pushUnsure(target === '/' ? '.' : target, 'fs.write', 'all', folders, walk, { past: true });
  }
  if (name === 'mv') {
    // What lies below moves away from the names that rules have for it.
    const last = words.some(({ value }) => /^-[a-zA-Z]*t|^--t/.test(value)) ? undefined : -1;
    for (const index of operands.slice(0, last)) {
      const only = toMovedNames(words[index]?.value ?? '');
      for (const target of toNamed(words[index]))
        pushUnsure(target, 'fs.read', 'all', folders, walk, {
          carries: 'all',
          ...(only && { only }),
        });
    }
    for (const target of operands.flatMap((index) => toFolder(words[index]) ?? []))
      pushUnsure(target, 'fs.write', 'all', folders, walk, { past: true });
  }
  if (CONTAINERS.has(name)) {
    addContainerCopy(words, operands, folders, walk);
    addSources(words, folders, walk);
  }
  if (printsEnvironment(name, words))
    walk.acts.push({ kind: 'file', access: 'fs.read', target: '.env', folders, role: 'operand' });
  const written = Object.hasOwn(COPIERS, name)
    ? toFetched
    : DECOMPRESSORS.has(name)
      ? toPlain
      : undefined;
  for (const index of written === undefined ? [] : operands) {
    const target = written?.(words[index]?.value ?? '');
    if (target === undefined) continue;
    walk.acts.push({ kind: 'file', access: 'fs.write', target, folders, role: 'operand' });
  }
}

/** The folders of which a program takes in all files. */
function findTakenIn(
  name: string,
  words: readonly ShellWord[],
  operands: readonly number[],
): readonly string[] {
  const starters = Object.hasOwn(TAKES_IN, name) ? (TAKES_IN[name]?.split(' ') ?? []) : [];
  const found = operands.findIndex((index) => starters.includes(words[index]?.value ?? ''));
  const has = (options: Readonly<Record<string, RegExp>>) =>
    Object.hasOwn(options, name) && words.some(({ value }) => options[name]?.test(value));
  const here = has(TAKES_IN_HERE);
  if (found < 0 && starters[0] !== '*' && !here && !has(TAKES_IN_BY)) return [];
  const behind = operands.slice(found + 1).flatMap((index) => toFolder(words[index]) ?? []);
  return here || behind.length === 0 ? ['.', ...behind] : behind;
}

/** Takes in a folder with what the links in it lead to. */
const FOLLOWERS: ReadonlySet<string> = new Set('aws gsutil 7z 7za 7zr 7zz rar jar zip'.split(' '));

/** `kubectl create secret generic x --from-file=dir` reads every file in the folder. */
function addSources(words: readonly ShellWord[], folders: Folders, walk: Walk): void {
  for (const [index, { value }] of words.entries()) {
    const [option, own] = /^--from-(?:env-)?file(?:=([\s\S]*))?$/.exec(value) ?? [];
    const source = option === undefined ? undefined : (own ?? words[index + 1]?.value);
    if (source === undefined) continue;
    const target = source.replace(/^[\w.-]+=/, '');
    pushUnsure(target, 'fs.read', 'all', folders, walk);
  }
}

const CONTAINERS: ReadonlySet<string> = new Set(
  'docker podman nerdctl kubectl oc lxc incus'.split(' '),
);

/** `docker cp dir box:/path` copies the folder out. */
function addContainerCopy(
  words: readonly ShellWord[],
  operands: readonly number[],
  folders: Folders,
  walk: Walk,
): void {
  const at = operands.findIndex((index) => words[index]?.value === 'cp');
  for (const index of at < 0 ? [] : operands.slice(at + 1)) {
    const { value = '', literal } = words[index] ?? {};
    if (literal !== true || /^[^/.]*:/.test(value)) continue;
    const act = { kind: 'file', target: value, folders, role: 'operand', sweep: 'all' } as const;
    walk.acts.push({ ...act, access: 'fs.read', command: words });
  }
}

/** Whether the program is known to touch files that its words don't name. */
export function hasUnnamed(name: string): boolean {
  return UNNAMED.has(name);
}

const UNNAMED: ReadonlySet<string> = new Set([
  ...Object.keys(TAKES_IN),
  ...Object.keys(TAKES_IN_BY),
  ...Object.keys(TAKES_IN_HERE),
  ...Object.keys(UNPACKS),
  ...Object.keys(COPIERS),
  ...DECOMPRESSORS,
  ...CONTAINERS,
  'docker-compose',
  'mv',
]);

/** `docker compose config` prints the values it substitutes, which come from `.env`. */
function printsEnvironment(name: string, words: readonly ShellWord[]): boolean {
  if (!/^(?:docker|podman|nerdctl)(?:-compose)?$/.test(name)) return false;
  const values = words.map(({ value }) => value);
  const composes = name.endsWith('-compose') || values.includes('compose');
  if (!composes || !values.some((each) => /^(config|convert)$/.test(each))) return false;
  return !values.some((each) =>
    /^(-q|--(quiet|services|images|profiles|volumes|networks))$/.test(each),
  );
}

/**
 * Whether it may write unnamed files, including protected ones, directly into a workspace folder.
 * Files below a subfolder of the line's start folder don't count.
 */
export function unpacksHere(
  name: string,
  words: readonly ShellWord[],
  folders: Folders,
  walk: Walk,
): boolean {
  if (!unpacks(name, words)) return false;
  const [start] = walk.start;
  const below = (folder: string) => start !== undefined && folder.startsWith(`${start}/`);
  const target = findDestination(name, words);
  if (target === undefined) return folders.join() === '' || !folders.every(below);
  return !isBelow(target) || !folders.every((folder) => folder === start || below(folder));
}

/** Longer commands are assumed to match. */
const LENGTH_LIMIT = 8192;

function unpacks(name: string, words: readonly ShellWord[]): boolean {
  if (Object.hasOwn(COPIERS, name)) return findCopied(name, words) !== undefined;
  const pattern = Object.hasOwn(UNPACKS, name) ? UNPACKS[name] : undefined;
  if (pattern === undefined) return false;
  const text = joinWords(words.slice(1));
  // The time must stay linear in the length of the line.
  return text.length > LENGTH_LIMIT || pattern.test(text);
}

/**
 * The folder that files are unpacked to; undefined: the current folder. `/` if it can't be
 * determined, also for a name that may belong to another option: `tar xf -C out` reads an archive
 * named `-C`.
 */
function findDestination(name: string, words: readonly ShellWord[]): string | undefined {
  if (Object.hasOwn(COPIERS, name)) return findCopied(name, words) || '/';
  const option = Object.hasOwn(DESTINATIONS, name) ? DESTINATIONS[name] : undefined;
  const found = words.flatMap(({ value }, index) =>
    option?.test(value) === true && index > 0 ? [index] : [],
  );
  const [at, ...others] = found;
  if (at === undefined || option === undefined) return undefined;
  const own = option.exec(words[at]?.value ?? '')?.[1];
  const target = own === undefined ? words[at + 1] : { value: own, literal: true };
  const isTar = name === 'tar' || name === 'bsdtar';
  const before = at === 1 || (at > (isTar ? 2 : 1) && !words[at - 1]?.value.startsWith('-'));
  const mode = words[at === 1 ? (own === undefined ? 3 : 2) : 1]?.value ?? '';
  const plain = !isTar || /^-?[xvzjJpkm]+f$/.test(mode);
  const certain = others.length === 0 && before && plain && target?.literal === true;
  return certain && !words.some(({ value }) => LEAVES.test(value)) ? target.value : '/';
}

/**
 * The destination of a folder copied from another machine: `sync s3://x dir`; empty if it can't be
 * determined. Undefined: nothing is copied from there, as in `sync dir s3://x`.
 */
function findCopied(name: string, words: readonly ShellWord[]): string | undefined {
  const plain = words.slice(1).filter(({ value }) => !COPY_FLAGS.test(value));
  const isVerb = (at: number, length: number) =>
    COPIERS[name]?.test(joinWords(plain.slice(at, at + length))) === true;
  const length = name === 'aws' ? 2 : 1;
  const verb = plain.findIndex((_, at) => isVerb(at, length));
  const rest = plain.slice(verb + length).map(({ value }) => value);
  if (verb < 0 || !rest.some(isRemote)) return undefined;
  const whole = name === 'rclone' || /sync$/.test(plain[verb + length - 1]?.value ?? '');
  if (!whole && !words.some(({ value }) => /^-[a-zA-Z]*[rR]|^--rec/.test(value))) return undefined;
  const [from = '', to = ''] = rest;
  if (isRemote(to) && !from.startsWith('-')) return undefined;
  return isRemote(from) && !to.startsWith('-') ? to : '';
}

const isRemote = (value: string) => /^[\w-]+:/.test(value);

/** Flags without a value, allowed anywhere. */
const COPY_FLAGS =
  /^(?:--(?:delete|quiet|dryrun|recursive|progress|verbose|only-show-errors)|-[rRmPvnd]+)$/;

/**
 * Options that allow names outside the folder, and the separator after which no word is an option.
 */
const LEAVES = /^(?:--|-:|--abs.*|--tr.*|--xf.*|-[a-zA-Z]*P[a-zA-Z]*|-s.*|-spf\d?)$/;

/** Whether a path, as written, leads into a subfolder. */
function isBelow(path: string): boolean {
  const names = path.split(/[\\/]/).filter((name) => name !== '' && name !== '.');
  return names.length > 0 && !names.includes('..') && !/^[\\/~]|:/.test(path);
}

/**
 * The folder that a word may refer to; undefined: it is a file. Doesn't access the disk, so a name
 * without an extension may be either. A pattern refers to the folder that it starts in.
 */
export function toFolder(word: ShellWord | undefined): string | undefined {
  if (word?.literal !== true) return undefined;
  const { value } = word;
  if (value === '' || value.includes('://')) return undefined;
  if (value.startsWith(':')) return '.';
  const at = value.search(/[*?[]/);
  if (at >= 0) return value.slice(0, value.lastIndexOf('/', at) + 1) || '.';
  const last = value.slice(value.lastIndexOf('/') + 1);
  return /^\.+$/.test(last) || !/.\.[^.]+$/.test(last) ? value : undefined;
}

/** What the word names, which may be a folder even if it looks like a file. */
export function toNamed(word: ShellWord | undefined): readonly string[] {
  const folder = toFolder(word);
  if (folder !== undefined) return [folder];
  return word?.literal === true && word.value !== '' && !word.value.includes('://')
    ? [word.value]
    : [];
}

/**
 * The names that a pattern means, which cmd.exe's `move` leaves to the program; undefined: any, or the word is
 * no pattern. A file also has a short name (`.mcp.json` is found by `m*`), of which only the extension is its own.
 */
function toMovedNames(path: string): string | undefined {
  const name = path.slice(path.search(/[^/\\]*$/));
  const extension = /[*?]/.test(name) ? /\.[a-z0-9]+$/i.exec(name)?.[0] : undefined;
  return extension === undefined ? undefined : `*${extension}*`;
}

/** Adds a folder in which some files may be touched. `only`: those with a name like it. */
export function pushUnsure(
  target: string,
  access: FileAct['access'],
  sweep: 'all' | 'visible',
  folders: Folders,
  walk: Walk,
  more: Below & Pick<FileAct, 'only'> = {},
): void {
  const act = { kind: 'file', access, target, folders, role: 'operand' } as const;
  walk.acts.push({ ...act, ...more, sweep, unsure: true });
}

/** A copy from elsewhere is named after the last part of its address. */
function toFetched(url: string): string | undefined {
  const path = url.replace(/^\w+:\/\//, '').replace(/[?#].*$/s, '');
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (!path.includes('/') || name === '') return undefined;
  return name.replace(/%[2-7][\da-f]/gi, decodeURIComponent);
}

/** `gunzip a.gz` writes `a`. */
function toPlain(path: string): string | undefined {
  const plain = path.replace(/(?:[-.]gz|[-_.]z|\.(?:tgz|xz|bz2?|zst|lzma|lz4?|br))$/i, '');
  return plain === path || plain === '' ? undefined : plain;
}
