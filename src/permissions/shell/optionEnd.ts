import type { ShellWord } from './acts.ts';

/**
 * Whether a `--` certainly ends the options. It may be the value of the word before: in
 * `git grep -e x -e -- -Oid`, `-Oid` is an option.
 */
export function endsOptions(words: readonly ShellWord[], index: number): boolean {
  if (words[index]?.value !== '--') return false;
  if (PAIRED.test(words[index - 2]?.value ?? '')) return false;
  const [program, sub] = words;
  const name = program?.value ?? '';
  const own = `${name} ${sub?.value ?? ''}`;
  return !mayTakeNext(Object.hasOwn(FLAGS, own) ? own : name, words[index - 1]);
}

/** Options of jq that take two words. */
const PAIRED = /^--(?:arg|argjson|slurpfile|rawfile)$/;

/**
 * Whether the next word may be the value of this one. Of most programs it isn't known which options
 * have none, so any option may.
 */
export function mayTakeNext(program: string, word: ShellWord | undefined): boolean {
  const value = word?.value ?? '';
  if (!/^-./.test(value) || value === '--') return false;
  if (/^--[\w-]+=/.test(value)) return false;
  const flags = Object.hasOwn(FLAGS, program) ? FLAGS[program] : undefined;
  if (flags === undefined) return true;
  if (value.startsWith('--')) return !flags.names.split(' ').includes(value.slice(2));
  return !flags.letters.test(value);
}

/** The options without a value of the programs that are used most. */
const GREP = {
  letters: /^-(?:[rRnilLhHIwvcsqoEFGPazbxUTZ]+|[ABC]?\d+)$/,
  names:
    'recursive dereference-recursive line-number ignore-case no-ignore-case with-filename no-filename files-with-matches files-without-match fixed-strings extended-regexp perl-regexp basic-regexp word-regexp line-regexp only-matching invert-match no-messages count null text quiet byte-offset initial-tab color colour',
};
const NONE = /^\b$/;
const GIT_NAMES =
  'cached staged untracked no-index oneline graph all stat shortstat numstat name-only name-status patch no-patch quiet no-color no-pager no-renames first-parent reverse follow merges no-merges ignore-case line-number files-with-matches count word-regexp fixed-strings extended-regexp perl-regexp';
const FLAGS: Readonly<Record<string, { readonly letters: RegExp; readonly names: string }>> = {
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  rgrep: GREP,
  rg: {
    letters: /^-(?:[abcFhHiIlLnNoPpqsSuUvVwxz.0]+|[ABC]?\d+)$/,
    names:
      'hidden no-ignore no-ignore-vcs no-ignore-parent follow files ignore-case smart-case case-sensitive line-number no-line-number heading no-heading with-filename no-filename fixed-strings word-regexp line-regexp multiline multiline-dotall only-matching pcre2 files-with-matches files-without-match count count-matches stats trim vimgrep null one-file-system no-messages pretty passthru invert-match crlf json text binary unrestricted no-config column quiet debug',
  },
  cat: { letters: /^-[AbeEnstTuv]+$/, names: '' },
  head: { letters: /^-(?:[qvz]+|\d+)$/, names: '' },
  tail: { letters: /^-(?:[qvz]+|\d+)$/, names: '' },
  wc: { letters: /^-[lwcmL]+$/, names: 'lines words bytes chars' },
  ls: { letters: /^-[aAbBcCdfFgGhiklLmnNopqQrRsStuUvxXZ1]+$/, names: '' },
  rsync: {
    letters: /^-[avqcrRubdlLkKHpEgoAXDtNOJSnWxyIzP0himUs46]+$/,
    names:
      'archive recursive relative verbose quiet checksum update inplace append backup dirs links copy-links safe-links hard-links perms executability acls xattrs owner group devices specials times atimes omit-dir-times sparse dry-run whole-file one-file-system existing ignore-existing remove-source-files delete delete-before delete-during delete-delay delete-after force partial prune-empty-dirs numeric-ids ignore-times size-only fuzzy compress stats human-readable progress itemize-changes no-relative no-perms no-owner no-group no-times',
  },
  git: { letters: NONE, names: GIT_NAMES },
  'git grep': { letters: /^-(?:[aEFGPhHiIlLnopqvwWz]+|\d+)$/, names: GIT_NAMES },
};

/** Programs that take options behind operands on every platform, since they parse the words themselves. */
const READS_ALL: ReadonlySet<string> = new Set(
  'ack ag bat delta exa eza fd fdfind find git jq less rg tree ug ugrep yq'.split(' '),
);

/**
 * The words behind the first operand that a program takes for operands, too, if its options end there,
 * whatever they look like: `cat a.txt -n` reads a file `-n` on macOS, and on Linux if the environment
 * says so. Indices that are operands anyway are left out. `use`: how the program uses operands.
 */
export function findLateOperands(
  name: string,
  use: string | undefined,
  words: readonly ShellWord[],
  operands: readonly number[],
  platform: NodeJS.Platform,
): readonly number[] {
  const [first] = operands;
  // Those whose operands aren't known to be files have subcommands, and parsers of their own.
  const parsesItself = use === undefined || READS_ALL.has(name);
  if (first === undefined || parsesItself) return [];
  if (platform === 'linux' && process.env['POSIXLY_CORRECT'] === undefined) return [];
  const known = new Set(operands);
  return [...words.keys()].filter((index) => index > first && !known.has(index));
}
