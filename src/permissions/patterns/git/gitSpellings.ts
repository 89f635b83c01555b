import { GIT_OPTIONS } from './gitOptions.ts';

/**
 * Other spellings of a git command: its options in full, as letters, and in all forms at once. `-D`,
 * `-df`, `-d -f`, `--del --force` and `--delete --force` are one command. `values` are its words, of
 * which the first is `git`. Empty if the options have one form only.
 */
export function listGitSpellings(values: readonly string[]): readonly string[] {
  const at = findSubcommand(values);
  const known = getOptions(values, at);
  if (known === undefined || !values.some((value) => /^-./.test(value))) return NONE;
  const read = readOptions(values.slice(at + 1), known);
  const before = values.slice(0, at + 1);
  const own = values.join(' ');
  const found = FORMS.map((form) => [...before, ...spell(read, known, form)].join(' '));
  return [...new Set(found)].filter((each) => each !== own);
}

const NONE: readonly string[] = [];

/** Options before the subcommand that take the next word. */
const VALUED = /^(?:-[cC]|--(?:git-dir|work-tree|namespace|super-prefix|config-env|attr-source))$/;

function findSubcommand(values: readonly string[]): number {
  let at = 1;
  while (values[at]?.startsWith('-') === true) at += VALUED.test(values[at] ?? '') ? 2 : 1;
  return at;
}

/** One option of a subcommand. */
interface GitOption {
  readonly letters: readonly string[];
  readonly names: readonly string[];
  readonly value: 'none' | 'needed' | 'optional';
  /** It stands for these: `-D` for `--delete --force`. */
  readonly means: readonly string[];
}

const parsed = new Map<string, readonly GitOption[]>();

/** The options of the subcommand, or of its action: `worktree remove`. */
function getOptions(values: readonly string[], at: number): readonly GitOption[] | undefined {
  const sub = values[at] ?? '';
  const action = values.slice(at + 1).find((each) => !each.startsWith('-')) ?? '';
  const key = [`${sub} ${action}`, sub].find((each) => Object.hasOwn(GIT_OPTIONS, each));
  if (key === undefined) return undefined;
  const known = parsed.get(key) ?? (GIT_OPTIONS[key] ?? '').trim().split(/\s+/).map(parseOption);
  parsed.set(key, known);
  return known;
}

function parseOption(text: string): GitOption {
  const [, names = '', mark, means = ''] = /^([^=?>]*)([=?>])?(.*)$/.exec(text) ?? [];
  const all = names.split('|');
  return {
    letters: all.filter((name) => name.length === 1),
    names: all.filter((name) => name.length > 1),
    value: mark === '=' ? 'needed' : mark === '?' ? 'optional' : 'none',
    means: mark === '>' ? means.split('+') : [],
  };
}

/** A word, or an option as it was read from one. */
type Read =
  | { readonly word: string }
  | { readonly option: GitOption; readonly value: string | undefined };

function readOptions(words: readonly string[], known: readonly GitOption[]): readonly Read[] {
  const found: Read[] = [];
  const end = words.indexOf('--');
  const last = end < 0 ? words.length : end;
  for (let index = 0; index < last; index += 1) {
    const word = words[index] ?? '';
    const next = () => (index + 1 < last ? words[++index] : undefined);
    if (word.startsWith('--')) found.push(...readLong(word, known, next));
    else if (/^-./.test(word)) found.push(...readLetters(word, known, next));
    else found.push({ word });
  }
  return [...found, ...words.slice(last).map((word) => ({ word }))];
}

type Next = () => string | undefined;

/** Git takes any beginning that only one option has; another may be any of them. */
function readLong(word: string, known: readonly GitOption[], next: Next): readonly Read[] {
  const [, name = '', given] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
  const exact = known.filter(({ names }) => names.includes(name));
  const begun = known.filter(({ names }) => names.some((each) => each.startsWith(name)));
  const meant = exact.length > 0 ? exact : begun;
  if (name === '' || meant.length === 0) return [{ word }];
  const takes = meant.length === 1 && meant[0]?.value === 'needed' && given === undefined;
  const value = takes ? next() : given;
  return meant.map((option) => ({ option, value }));
}

function readLetters(word: string, known: readonly GitOption[], next: Next): readonly Read[] {
  const found: Read[] = [];
  for (let at = 1; at < word.length; at += 1) {
    const letter = word[at] ?? '';
    const option = known.find(({ letters }) => letters.includes(letter));
    if (option === undefined) {
      found.push({ word: `-${letter}` });
      continue;
    }
    const rest = word.slice(at + 1);
    if (option.value === 'none') found.push({ option, value: undefined });
    else {
      const value = option.value === 'needed' && rest === '' ? next() : rest || undefined;
      return [...found, { option, value }];
    }
  }
  return found;
}

type Form = 'names' | 'letters' | 'all';

const FORMS: readonly Form[] = ['names', 'letters', 'all'];

function spell(read: readonly Read[], known: readonly GitOption[], form: Form): readonly string[] {
  const given = new Set<string>();
  for (const each of read) {
    if (!('option' in each)) continue;
    for (const name of [...each.option.names, ...each.option.means]) given.add(name);
  }
  const joined = known.filter(
    ({ means }) => means.length > 0 && means.every((name) => given.has(name)),
  );
  const words = read.flatMap((each) =>
    'option' in each ? spellOption(each.option, each.value, known, form) : [each.word],
  );
  const letters = joined.flatMap((option) => option.letters).map((letter) => `-${letter}`);
  return form === 'names' ? words : [...letters, ...words];
}

function spellOption(
  option: GitOption,
  value: string | undefined,
  known: readonly GitOption[],
  form: Form,
): readonly string[] {
  if (option.means.length > 0) {
    const parts = known.filter(({ names }) => names.some((name) => option.means.includes(name)));
    return parts.flatMap((part) => spellOption(part, undefined, known, form));
  }
  const names = option.names.map((name) => `--${name}${value === undefined ? '' : `=${value}`}`);
  const letters = option.letters.flatMap((letter) =>
    value === undefined
      ? [`-${letter}`]
      : option.value === 'needed'
        ? [`-${letter}`, value]
        : [`-${letter}${value}`],
  );
  if (form === 'names' && names.length > 0) return names;
  if (form === 'letters' && letters.length > 0) return letters;
  return [...letters, ...names];
}
