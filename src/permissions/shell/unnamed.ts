import type { FileAct, ShellWord } from './acts.ts';
import type { Places } from './folders.ts';
import { DESTINATIONS, TAKES_IN, UNPACKS } from './unnamedTable.ts';
import type { Walk } from './walk.ts';
import { joinWords } from './words.ts';

/**
 * Adds the folders that a program reads or fills while no word says which of their files:
 * `docker build .`, `tar xf a.tar`. A rule about one of those files asks.
 */
export function addUnnamed(
  name: string,
  words: readonly ShellWord[],
  operands: readonly number[],
  folders: Places,
  walk: Walk,
): void {
  const starters = Object.hasOwn(TAKES_IN, name) ? (TAKES_IN[name]?.split(' ') ?? []) : [];
  const found = operands.findIndex((index) => starters.includes(words[index]?.value ?? ''));
  if (found >= 0 || starters[0] === '*') {
    const behind = operands.slice(found + 1).flatMap((index) => toFolder(words[index]) ?? []);
    for (const target of behind.length === 0 ? ['.'] : behind)
      pushUnsure(target, 'fs.read', 'all', folders, walk);
  }
  if (unpacks(name, words)) {
    const target = findDestination(name, words) ?? '.';
    pushUnsure(target === '/' ? '.' : target, 'fs.write', 'all', folders, walk);
  }
  if (name === 'mv') {
    for (const target of operands.flatMap((index) => toFolder(words[index]) ?? []))
      pushUnsure(target, 'fs.write', 'all', folders, walk);
  }
  if (name === 'wget') addFetched(words, operands, folders, walk);
}

/**
 * Whether it may write files that no word names into a folder of the workspace itself, protected
 * ones among them. In a folder below the one where the line starts it may not.
 */
export function unpacksHere(
  name: string,
  words: readonly ShellWord[],
  folders: Places,
  walk: Walk,
): boolean {
  if (!unpacks(name, words)) return false;
  const [start] = walk.start;
  const below = (folder: string) => start !== undefined && folder.startsWith(`${start}/`);
  const target = findDestination(name, words);
  if (target === undefined) return folders.join() === '' || !folders.every(below);
  return !isBelow(target) || !folders.every((folder) => folder === start || below(folder));
}

function unpacks(name: string, words: readonly ShellWord[]): boolean {
  const pattern = Object.hasOwn(UNPACKS, name) ? UNPACKS[name] : undefined;
  return pattern?.test(joinWords(words.slice(1))) === true;
}

/**
 * Where it is unpacked; undefined: in the folder it stands in. What cannot be told is `/`, as is a
 * name that another option may take for its own: `tar xf -C out` reads an archive named `-C`.
 */
function findDestination(name: string, words: readonly ShellWord[]): string | undefined {
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

/** Options that let names lead out of the folder, and the mark behind which none is an option. */
const LEAVES = /^(?:--|-:|--abs.*|--tr.*|--xf.*|-[a-zA-Z]*P[a-zA-Z]*|-s.*|-spf\d?)$/;

/** Whether a path as it is written leads into a folder below. */
function isBelow(path: string): boolean {
  const names = path.split(/[\\/]/).filter((name) => name !== '' && name !== '.');
  return names.length > 0 && !names.includes('..') && !/^[\\/~]|:/.test(path);
}

/**
 * The folder that a word may mean; undefined: it is a file. Nothing on the disk is looked at, so a
 * name without an extension may be either. A pattern means the folder that it starts in.
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

/** Adds a folder of which some files may be touched. */
export function pushUnsure(
  target: string,
  access: FileAct['access'],
  sweep: 'all' | 'visible',
  folders: Places,
  walk: Walk,
): void {
  walk.acts.push({ kind: 'file', access, target, folders, role: 'operand', sweep, unsure: true });
}

/** Without `-O`, `wget` calls a file as the URL's last part says. */
function addFetched(
  words: readonly ShellWord[],
  operands: readonly number[],
  folders: Places,
  walk: Walk,
): void {
  for (const index of operands) {
    const path = words[index]?.value.replace(/^\w+:\/\//, '').replace(/[?#].*$/s, '') ?? '';
    const target = path.slice(path.lastIndexOf('/') + 1);
    if (!path.includes('/') || target === '') continue;
    walk.acts.push({
      kind: 'file',
      access: 'fs.write',
      target: decode(target),
      folders,
      role: 'operand',
    });
  }
}

function decode(text: string): string {
  return text.replace(/%[2-7][\da-f]/gi, decodeURIComponent);
}
