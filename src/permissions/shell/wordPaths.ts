import { homedir } from 'node:os';
import { hasAddressFolder } from '../disk/addressFolder.ts';
import type { Act, ShellWord } from './acts.ts';

/** Characters that may separate a path from the rest of a word. */
const MARK = /[=@:,;|]/;
const URL_MARK = /[=,;|]/;

/**
 * The paths that a word may name: the word, the value of a short option, and the parts between `=`,
 * `@`, `:` and `,`. `http://x` is the path of a file in a folder `http:` only if the word is no address.
 */
export function toPaths(
  word: ShellWord | undefined,
  addresses: Addresses = 'taken',
): readonly string[] {
  if (word?.literal !== true || word.value === '' || word.value.length > 4096) return [];
  const { value } = word;
  // Fast path: most words are plain names.
  if (/^[\w./][\w./-]*$/.test(value)) return [value];
  const found = new Set<string>();
  if (!value.startsWith('-')) found.add(value);
  else for (const each of toClustered(value)) found.add(each);
  const mark = value.includes('://') ? URL_MARK : MARK;
  for (const part of value.split(mark)) if (part !== value) found.add(part);
  // The separator may be part of the name.
  for (const sign of ['=', '@', ':']) {
    const at = value.indexOf(sign);
    if (at >= 0 && !value.startsWith('://', at)) found.add(value.slice(at + 1));
  }
  const file = /^fileb?:\/\/(?:localhost(?=\/))?(.+)$/i.exec(value)?.[1];
  if (file !== undefined) found.add(file);
  return [...found].flatMap((each) => {
    if (each === '' || each.startsWith('-')) return [];
    if (!ADDRESS.test(each)) return [each];
    return addresses === 'files' ? [`./${each}`] : [];
  });
}

const ADDRESS = /^[a-z][a-z0-9+.-]*:(?=\/\/)/i;

/** What a word that looks like an address is for the program. */
export type Addresses = 'taken' | 'files';

/**
 * For a program of which it isn't known, the addresses in a word are files if there is one that a path of them begins
 * with, or if the line may have created it before.
 */
export function findAddresses(
  word: ShellWord,
  folders: readonly string[],
  earlier: readonly Act[],
): Addresses {
  if (!word.value.includes('://')) return 'taken';
  const names = toPaths(word, 'files').flatMap((each) => ADDRESS.exec(each.slice(2))?.[0] ?? []);
  if (names.length === 0) return 'taken';
  return earlier.some(createsScheme) || hasAddressFolder(names, folders) ? 'files' : 'taken';
}

/** Whether it writes to a name such as `http:`. */
function createsScheme(act: Act): boolean {
  return act.kind === 'file' && act.access === 'fs.write' && /:(?:\/|$)/.test(act.target);
}

/** How many letters before the value of a short option are considered. */
const CLUSTER_LIMIT = 4;

/** What may be the value of the last of several letters: `x` in `-fox`. */
function toClustered(value: string): readonly string[] {
  const letters = /^-([a-zA-Z]+)./.exec(value)?.[1]?.length ?? 0;
  const ends = Array.from({ length: Math.min(letters, CLUSTER_LIMIT) }, (_, index) => index + 2);
  return ends.map((end) => value.slice(end));
}

/** The paths that an operand may name. Behind `--` its name may start with a dash. */
export function toOperandPaths(
  word: ShellWord | undefined,
  addresses: Addresses = 'taken',
): readonly string[] {
  const paths = toPaths(word, addresses);
  const value = word?.literal === true ? word.value : '';
  return /^-./.test(value) && value.length <= 4096 ? [`./${value}`, ...paths] : paths;
}

/** The path in an unknown option: `--out=.git/config`, `-o.git/config`, `-Wl,-o,.git/config`. */
export function toAttachedPaths(word: ShellWord): readonly string[] {
  const attached = /^-(?:-?[\w.:-]+=.|[a-zA-Z][\w-]*[,./])/.test(word.value);
  return attached && word.literal ? toPaths(word) : [];
}

/**
 * The path as written, and as it may be read else: a `~` in quotes, or in the value of a variable, is the name
 * of a folder, and in what looks like an assignment the shell replaces it: `if=~/x`.
 */
export function listReadings(path: string): readonly string[] {
  if (!path.includes('~')) return [path];
  if (/^~(?:\/|$)/.test(path)) return [path, `./${path}`];
  const replaced = path.replace(/(?<=[=:])~(?=[/:]|$)/g, () => homedir());
  return replaced === path ? [path] : [path, replaced];
}
