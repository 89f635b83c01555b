import { expandLists } from '../../patterns/expandLists.ts';
import type { ShellWord } from '../acts.ts';
import type { Folders } from '../folders.ts';
import type { Walk } from '../walkState.ts';
import { pushUnsure } from './unnamed.ts';

/**
 * Adds the files that a name pattern makes ripgrep search: `rg x -g .env` searches that file even
 * if it is hidden or ignored.
 */
export function addFilters(
  name: string,
  words: readonly ShellWord[],
  targets: readonly string[],
  folders: Folders,
  walk: Walk,
): void {
  if (name !== 'rg') return;
  for (const { option, toNames } of RIPGREP) {
    for (const value of findValues(option, words)) {
      for (const only of toNames(value)) {
        for (const target of targets.length === 0 ? ['.'] : targets)
          pushUnsure(target, 'fs.read', 'all', folders, walk, only);
      }
    }
  }
}

interface Filter {
  /** Matches the option; its attached value is the first group. */
  readonly option: RegExp;
  /** The file names that its value includes. */
  toNames(value: string): readonly string[];
}

const RIPGREP: readonly Filter[] = [
  { option: /^(?:--i?glob(?:=(.*))?|-[a-zA-Z0-9.]*?g(.+)?)$/s, toNames: toGlobNames },
  {
    option: /^(?:--type(?:=(.*))?|-[a-zA-Z0-9.]*?t(.+)?)$/s,
    // Of the built-in types, only `sh` includes `.env`.
    toNames: (type) => (type === 'all' ? ['*'] : type === 'sh' ? ['*.env'] : []),
  },
  // A type defined on the line may include any name.
  { option: /^--type-add(?:=(.*))?$/s, toNames: () => ['*'] },
];

/** The last name of a glob, once for each alternative of its lists; none for an exclusion. */
function toGlobNames(glob: string): readonly string[] {
  if (glob.startsWith('!')) return [];
  return expandLists(glob).map((each) => each.slice(each.lastIndexOf('/') + 1) || '*');
}

/** The values of the option, attached or as the next word, anywhere in the command. */
function findValues(option: RegExp, words: readonly ShellWord[]): readonly string[] {
  return words.flatMap(({ value }, index) => {
    const found = index === 0 ? null : option.exec(value);
    if (found === null) return [];
    return [found[1] ?? found[2] ?? words[index + 1]?.value ?? ''];
  });
}

/** The file names that `grep --include` includes, and whether it certainly excludes all others. */
interface Included {
  readonly names: readonly string[];
  readonly certain: boolean;
}

/** A word that looks like the option may be another option's value, or follow `--`. */
export function findIncluded(words: readonly ShellWord[]): Included | undefined {
  const names: string[] = [];
  let certain = true;
  let ended = false;
  for (const [index, { value, literal }] of words.entries()) {
    ended ||= value === '--';
    const [option, own] = /^--inc[a-z]*(?:=(.*))?$/s.exec(value) ?? [];
    if (option === undefined) continue;
    const before = words[index - 1]?.value ?? '';
    const free = /^(?!-)|^-[rRnilHhIwvsqoEFGPLazbcxUTZ]+$|=/.test(before);
    certain &&= literal && !ended && free && own !== undefined;
    names.push(own ?? words[index + 1]?.value ?? '*');
  }
  return names.length === 0 ? undefined : { names, certain };
}

/** Adds a search of a folder for files with certain names. */
export function addIncluded(
  target: string,
  { names, certain }: Included,
  folders: Folders,
  walk: Walk,
): void {
  const act = { kind: 'file', access: 'fs.read', target, folders, role: 'operand' } as const;
  for (const only of names)
    walk.acts.push({ ...act, sweep: 'all', only, ...(!certain && { unsure: true }) });
}
