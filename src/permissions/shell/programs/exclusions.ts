import { listObjects, namesCommits } from '../../patterns/revision.ts';
import type { Exclusion, ShellWord } from '../acts.ts';
import { mayTakeNext } from '../optionEnd.ts';

/**
 * What the words of a sweeping command certainly leave out. An option that may be another option's
 * value, or that a later one may cancel, leaves nothing out.
 */
export function findExclusions(words: readonly ShellWord[]): readonly Exclusion[] {
  const reader = getReader(words);
  return reader === undefined ? [] : reader.find(words);
}

/**
 * The command with options that leave these files or folders out; undefined if it has none that
 * certainly do.
 */
export function addExclusions(
  words: readonly ShellWord[],
  wanted: readonly Exclusion[],
): readonly ShellWord[] | undefined {
  const reader = getReader(words);
  if (reader === undefined || wanted.length === 0) return undefined;
  const options = wanted.map((each) => (isPlain(each.pattern) ? reader.write(each) : undefined));
  const before = reader.before === undefined ? [] : reader.before(words);
  const added = [...(before ?? []), ...options.flatMap((each) => each ?? [])].map((value) => ({
    value,
    literal: true,
  }));
  if (before === undefined || options.includes(undefined)) return undefined;
  for (const at of reader.positions(words)) {
    const trial = [...words.slice(0, at), ...added, ...words.slice(at)];
    const found = reader.find(trial);
    const holds = (each: Exclusion) =>
      found.some(({ kind, pattern }) => kind === each.kind && matches(pattern, each.pattern));
    if (wanted.every((each) => holds(each))) return trial;
  }
  return undefined;
}

/** The kinds of exclusions that a program has; undefined: none that are known. */
export function getExclusionKinds(words: readonly ShellWord[]): readonly Exclusion['kind'][] {
  return getReader(words)?.kinds ?? [];
}

/** Whether a file or folder that lies below the swept folder is left out. */
export function leavesOut(
  exclusions: readonly Exclusion[],
  /** Relative to the swept folder. */
  name: string,
  /** Relative to the command's folder; undefined if it lies elsewhere. */
  path: string | undefined,
  isFolder: boolean,
): boolean {
  if (exclusions.length === 0) return false;
  const names = name.split('/');
  const folders = isFolder ? names : names.slice(0, -1);
  const last = names.at(-1) ?? '';
  return exclusions.some(({ kind, pattern }) => {
    if (kind === 'path') {
      const plain = pattern.replace(/\/$/, '');
      const is = path === plain && (isFolder || plain === pattern);
      return is || path?.startsWith(`${plain}/`) === true;
    }
    if (kind === 'file') return !isFolder && matches(pattern, last);
    return (kind === 'any' ? names : folders).some((each) => matches(pattern, each));
  });
}

/** How one program leaves files out. */
interface Reader {
  readonly kinds: readonly Exclusion['kind'][];
  find(words: readonly ShellWord[]): readonly Exclusion[];
  /** The words of the option. */
  write(exclusion: Exclusion): readonly string[] | undefined;
  /** Where the option may be added, the best first. */
  positions(words: readonly ShellWord[]): readonly number[];
  /** The words that have to precede the first option. Undefined: it would not help. */
  before?(words: readonly ShellWord[]): readonly string[] | undefined;
}

function getReader([program, sub]: readonly ShellWord[]): Reader | undefined {
  const { value = '' } = program ?? {};
  const name = value.slice(value.lastIndexOf('/') + 1);
  if (name === 'git') return /^(grep|add|diff)$/.test(sub?.value ?? '') ? GIT : undefined;
  return Object.hasOwn(READERS, name) ? READERS[name] : undefined;
}

const writeLong = ({ kind, pattern }: Exclusion) =>
  kind === 'path' ? undefined : [`--exclude${kind === 'folder' ? '-dir' : ''}=${pattern}`];

const GREP: Reader = {
  kinds: ['file', 'folder'],
  find(words) {
    // Of contradicting options the last wins.
    const from = words.findLastIndex(({ value }) => /^--inc/.test(value)) + 1;
    return words.flatMap(({ value, literal }, index) => {
      const [, folder, pattern = ''] = /^--exclude(-dir)?=(.+)$/s.exec(value) ?? [];
      const free = !mayTakeNext('grep', words[index - 1]);
      const counts = literal && index >= from && free && isPlain(pattern);
      if (!counts || isBehindEnd(words, index)) return [];
      return [{ kind: folder === undefined ? 'file' : 'folder', pattern }];
    });
  },
  write: writeLong,
  positions: (words) => [1, words.findLastIndex(({ value }) => /^--inc/.test(value)) + 1],
};

const RIPGREP: Reader = {
  kinds: ['any'],
  find(words) {
    const globs = words.flatMap((word, index) => {
      const [, own] = /^(?:--i?glob(?:=(.*))?|-[^-]*g(.*))$/s.exec(word.value) ?? ['', undefined];
      if (!/^(--i?glob|-[^-]*g)/.test(word.value) || index === 0) return [];
      const short = /^-g(.+)$/s.exec(word.value)?.[1];
      const apart = /^(-g|--glob)$/.test(word.value) ? words[index + 1] : undefined;
      const free = !mayTakeNext('rg', words[index - 1]);
      const glob = short ?? (/^--glob=/.test(word.value) ? own : apart?.value) ?? '';
      const sure = word.literal && apart?.literal !== false && free && !isBehindEnd(words, index);
      return [{ glob, sure }];
    });
    // Wherever they stand, those of `--iglob` are read last, and what they include is searched.
    if (words.some(({ value }) => value.startsWith('--iglob'))) return [];
    // The last glob that matches wins, so only those behind the last one that includes count.
    const from = globs.findLastIndex(({ glob }) => !glob.startsWith('!')) + 1;
    return globs.slice(from).flatMap(({ glob, sure }) => {
      const pattern = glob.slice(1);
      return sure && isPlain(pattern) ? [{ kind: 'any' as const, pattern }] : [];
    });
  },
  write: ({ kind, pattern }) => (kind === 'any' ? ['-g', `!${pattern}`] : undefined),
  positions: (words) => [1, words.findIndex(({ value }) => value === '--'), words.length],
};

/** Options that count only directly behind the word at `from`, where nothing can cancel them. */
function leading(from: (words: readonly ShellWord[]) => number): Reader {
  return {
    kinds: ['any'],
    find(words) {
      const found: Exclusion[] = [];
      for (const { value, literal } of words.slice(from(words))) {
        const pattern = /^--exclude=(.+)$/s.exec(value)?.[1];
        if (pattern === undefined || !literal || !isPlain(pattern)) break;
        found.push({ kind: 'any', pattern });
      }
      return found;
    },
    write: ({ kind, pattern }) => (kind === 'any' ? [`--exclude=${pattern}`] : undefined),
    positions: (words) => [from(words)],
  };
}

/** `tar czf a.tgz --exclude=x .`: behind the archive, and before the files. */
const TAR = leading((words) =>
  /^-?[cruvzjJpSh]+f$/.test(words[1]?.value ?? '') ? 3 : words.length,
);
const FIRST = leading(() => 1);

/** Options of rsync that may cancel an exclusion wherever they stand, and patterns that do. */
const CANCELS =
  /^(?:-(?!-).*[fFCM]|--(?:filter|include-from|exclude-from|cvs-exclude|files-from|delete-excluded|remote-option)(?:=|$))/;
const CANCELLING = /^(?:[-+] |!)/;

const RSYNC: Reader = {
  ...FIRST,
  find(words) {
    const { rules, operands, relative } = readRsync(words);
    const cancelled = words.some(({ value }) => CANCELS.test(value));
    if (cancelled || rules.some(({ pattern }) => CANCELLING.test(pattern))) return [];
    const root = relative ? undefined : toRoot(operands);
    // The first rule that matches counts, so an inclusion behind an exclusion doesn't matter.
    const end = rules.findIndex(({ excludes }) => !excludes);
    return rules.slice(0, end < 0 ? rules.length : end).flatMap(({ pattern }): Exclusion[] => {
      const [, anchor, bare = '', slash = ''] = /^(\/)?(.*?)(\/)?$/s.exec(pattern) ?? [];
      if (anchor === undefined)
        return isPlain(bare) ? [{ kind: slash === '' ? 'any' : 'folder', pattern: bare }] : [];
      const path = `${root}${bare}`;
      return root !== undefined && isPath(path) ? [{ kind: 'path', pattern: path + slash }] : [];
    });
  },
};

/** The patterns and operands of rsync. Undefined operands: it can't be told which they are. */
function readRsync(words: readonly ShellWord[]) {
  const rules: { readonly excludes: boolean; readonly pattern: string }[] = [];
  let operands: ShellWord[] | undefined = [];
  let before: ShellWord | undefined;
  const end = words.findIndex(({ value }) => value === '--');
  const given = end < 0 ? words : words.slice(0, end);
  for (let index = 1; index < given.length; index += 1) {
    const word = given[index] as ShellWord;
    const [, name, own] = /^--(exclude|include)(?:=(.*))?$/s.exec(word.value) ?? [];
    const value = own === undefined ? given[index + 1] : { ...word, value: own };
    const free = !mayTakeNext('rsync', before);
    before = word;
    if (!free || end >= 0) operands = undefined;
    if (name === undefined && word.literal) {
      if (!word.value.startsWith('-')) operands?.push(word);
    } else if (free && word.literal && value?.literal === true) {
      rules.push({ excludes: name === 'exclude', pattern: value.value });
      if (own === undefined) index += 1;
      before = undefined;
    } else rules.push({ excludes: false, pattern: '' });
  }
  const relative = words.some(({ value }) => /^(?:-(?!-).*R|--relative)/.test(value));
  return { rules, operands, relative };
}

/** The folder that the patterns with a slash at their start begin at, for one folder that is copied. */
function toRoot(operands: readonly ShellWord[] | undefined): string | undefined {
  const [source, ...others] = operands ?? [];
  if (source === undefined || others.length !== 1) return undefined;
  const names = source.value.split('/');
  if (/^[/~]|:/.test(source.value) || names.includes('..')) return undefined;
  // `src` is copied as a whole, `src/` only with what it contains.
  if (!/^\.?$/.test(names.at(-1) ?? '')) names.pop();
  const folders = names.filter((name) => name !== '' && name !== '.');
  return folders.map((name) => `${name}/`).join('');
}

/** Paths that may lead out of the command's folder. */
const LEAVES = /^\/|(?:^|[/):])\.\.(?:\/|$)/;

const GIT: Reader = {
  kinds: ['path', 'file'],
  find(words) {
    // Outside the command's folder, nothing is left out.
    if (words.some(({ value }) => LEAVES.test(value))) return [];
    return words.flatMap(({ value, literal }, index): readonly Exclusion[] => {
      const before = words[index - 1]?.value ?? '-';
      if (!literal || (before.startsWith('-') && before !== '--')) return [];
      const [, path] = /^:(?:[!^]|\(exclude\))([^:(!^/].*)$/s.exec(value) ?? [];
      if (path !== undefined && !/[*?[\\]/.test(path)) {
        const pattern = path.replace(/^(\.\/)+|\/+$/g, '');
        return isPath(pattern) ? [{ kind: 'path', pattern }] : [];
      }
      // In such a pattern `*` is any path, too.
      const end = /^\*([^*/?[\\]+)$/.exec(path ?? '')?.[1];
      if (end !== undefined) return isPlain(end) ? [{ kind: 'file', pattern: `*${end}` }] : [];
      const [, name = ''] = /^:\((?:exclude,glob|glob,exclude)\)\*\*\/(.+)$/s.exec(value) ?? [];
      return isPlain(name) ? [{ kind: 'any', pattern: name }] : [];
    });
  },
  write({ kind, pattern }) {
    // A path that isn't at the top would end the command as the file itself does, and a deny of
    // every command that names the file would match it.
    if (kind === 'path') return pattern.includes('/') ? undefined : [`:!${pattern}`];
    return pattern.includes('*') ? undefined : [`:!*${pattern}`];
  },
  positions: (words) => [words.length],
  before(words) {
    const [sub = '', ...given] = words.slice(1).map(({ value }) => value);
    const mark = given.indexOf('--');
    // Which files such a pattern includes isn't known.
    const patterns = given.slice(mark + 1).filter((value) => /^(?!:).*[*?[\\]/s.test(value));
    if (mark >= 0 && patterns.length > 0) return undefined;
    if (mark >= 0 || sub === 'add') return [];
    // Without the mark, git may also take the word for a file of the index.
    return listObjects(sub, given).every(namesCommits) ? ['--'] : undefined;
  },
};

const READERS: Readonly<Record<string, Reader>> = {
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  rgrep: GREP,
  rg: RIPGREP,
  diff: FIRST,
  colordiff: FIRST,
  rsync: RSYNC,
  tar: TAR,
};

function isBehindEnd(words: readonly ShellWord[], index: number): boolean {
  return words.slice(0, index).some(({ value }) => value === '--');
}

/** A name, in which `*` may be any text. Other pattern syntax differs between programs. */
function isPlain(pattern: string): boolean {
  return (
    /^[^/?[\]{}\\!^\p{Cc}]+$/u.test(pattern) &&
    pattern.trim() === pattern &&
    !/^\.{0,2}$|\*\*|^[-#:]|\ufffd/.test(pattern)
  );
}

function isPath(path: string): boolean {
  return path.split('/').every((name) => isPlain(name) && !name.includes('*'));
}

function matches(pattern: string, name: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  if (rest.length === 0 || pattern === name) return name === head || pattern === name;
  const tail = rest.at(-1) ?? '';
  // With several stars only the ends are compared, which is done where they suffice.
  if (rest.length > 1) return false;
  return name.length >= head.length + tail.length && name.startsWith(head) && name.endsWith(tail);
}
