import type { ShellWord } from '../acts.ts';
import type { Folders } from '../folders.ts';
import type { Walk } from '../walkState.ts';
import type { Options } from './options.ts';
import { DECOMPRESSORS } from './tables/unnamedTable.ts';

/**
 * Adds the files whose names a program builds from its words: `cp -b -S json x tools.` moves the old
 * `tools.` to `tools.json`, and `split x tools` writes `toolsaa`. More names than the program writes
 * may be added, since only rules and protected names count.
 */
export function addDerivedNames(
  name: string,
  words: readonly ShellWord[],
  operands: readonly number[],
  folders: Folders,
  walk: Walk,
): void {
  const derive = Object.hasOwn(DERIVED, name) ? DERIVED[name] : undefined;
  if (derive === undefined) return;
  const values = words.map(({ value }) => value);
  const named = operands.flatMap((index) => values[index] ?? []);
  for (const target of new Set(derive(values, named))) {
    walk.acts.push({ kind: 'file', access: 'fs.write', target, folders, role: 'operand' });
  }
}

/**
 * The files that a program reads if there is none with the name itself: `zcat x` reads `x.gz`. Its
 * archive may also be a pattern, which it expands itself.
 */
export function addDerivedReads(
  name: string,
  words: readonly ShellWord[],
  { operands, risky }: Pick<Options, 'operands' | 'risky'>,
  folders: Folders,
  walk: Walk,
): void {
  const endings = Object.hasOwn(ENDINGS, name) ? ENDINGS[name] : undefined;
  if (endings === undefined) return;
  for (const [at, index] of operands.entries()) {
    const value = words[index]?.value ?? '';
    // The pattern.
    if (at === 0 && name.endsWith('grep')) continue;
    if (endings === ZIP && at === 0 && /[*?[]/.test(value)) risky.add(index);
    for (const ending of endings) {
      const target = value + ending;
      walk.acts.push({ kind: 'file', access: 'fs.read', target, folders, role: 'operand' });
    }
  }
}

const GZIP: readonly string[] = ['.gz', '.z', '-z', '.Z'];
const ZIP: readonly string[] = ['.zip', '.ZIP'];
const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    'gzip gunzip zcat gzcat zgrep zegrep zfgrep zless zmore zcmp zdiff pigz unpigz uncompress'
      .split(' ')
      .map((name) => [name, GZIP]),
  ),
  ...Object.fromEntries('unzip zipinfo funzip zipgrep'.split(' ').map((name) => [name, ZIP])),
};

/** Whether a program names the files it writes after what it reads, so that no word tells them. */
export function takesNames(name: string, words: readonly ShellWord[]): boolean {
  if (SPLITTERS.has(name) && namesUnlisted(words.map(({ value }) => value))) return true;
  const takes = Object.hasOwn(TAKES_NAMES, name) ? TAKES_NAMES[name] : undefined;
  return takes !== undefined && words.slice(1).some(({ value }) => takes.test(value));
}

type Derive = (words: readonly string[], operands: readonly string[]) => readonly string[];

const backups: Derive = (words, operands) => {
  const suffixes = findValues(words, 'S', 'suffix', 2);
  const target = findValues(words, 't', 'target-directory', 1);
  const folders = [...operands.slice(-1), ...target];
  return suffixes.flatMap((suffix) =>
    operands.flatMap((operand) => [
      operand + suffix,
      ...folders.map((folder) => `${folder}/${baseName(operand)}${suffix}`),
    ]),
  );
};

/** `sed -i.json`, `perl -pi.json`: a `*` in the suffix stands for the file's name. */
const inPlace: Derive = (words, operands) => {
  const suffixes = words.flatMap(
    (word) => /^(?:-[a-zA-Z0-9]*?i|--in-place=)([\s\S]+)$/.exec(word)?.[1] ?? [],
  );
  return suffixes.flatMap((suffix) => operands.map((operand) => addSuffix(operand, suffix)));
};

/** The rest of a line after `w` names a file. Also found where it is part of a text: that only tightens. */
function findSedFiles(words: readonly string[]): readonly string[] {
  return words.flatMap((word) =>
    [...word.matchAll(/[wW][ \t]*([^\n]+)/g)].map(([, name = '']) => name),
  );
}

const gawkInPlace: Derive = (words, operands) => {
  const suffixes = words.flatMap((word) => /inplace::?suffix=([\s\S]+)$/i.exec(word)?.[1] ?? []);
  return suffixes.flatMap((suffix) => operands.map((operand) => addSuffix(operand, suffix)));
};

const patches: Derive = (words, operands) => [
  ...findValues(words, 'z', 'suffix', 1).flatMap((end) => operands.map((each) => each + end)),
  ...findValues(words, 'B', 'prefix', 1).flatMap((start) => operands.map((each) => start + each)),
];

/** A conversion without digits prints nothing for zero, so the name may be prefix and suffix only. */
const csplit: Derive = (words) => {
  const [prefix = 'xx'] = findValues(words, 'f', 'prefix', 1);
  const formats = findValues(words, 'b', 'suffix-format', 1);
  const ends = formats.map((format) => format.replace(/%[^a-zA-Z%]*[a-zA-Z]/, ''));
  return [`${prefix}00`, ...ends.map((end) => prefix + end)];
};

/** `split -a 1 x CLAUDE.m` also writes `CLAUDE.md`. */
const split: Derive = (words, [, ...prefixes]) => {
  const [end = ''] = findValues(words, '', 'additional-suffix', 2).slice(-1);
  const parts = listParts(findLengths(words).includes('1') ? 1 : 2);
  // An option that isn't known leaves its value among the operands.
  const starts = prefixes.length === 0 ? ['x'] : prefixes.slice(0, PREFIXES);
  // Names that are protected or hold secrets have such a sign.
  return starts.flatMap((prefix) =>
    /[._]/.test(baseName(prefix) + end) ? parts.map((part) => prefix + part + end) : [],
  );
};

const findLengths = (words: readonly string[]) => findValues(words, 'a', 'suffix-length', 2);

/** What `split` may number its parts by: letters, or hexadecimal digits. */
function listParts(length: 1 | 2): readonly string[] {
  if (length === 1) return PART_LETTERS;
  return PART_LETTERS.flatMap((first) => PART_LETTERS.map((second) => first + second)).filter(
    (part) => /^(?:[a-z]+|[\da-f]+)$/.test(part),
  );
}

/** The most operands that are taken for a prefix. */
const PREFIXES = 3;
const SPLITTERS: ReadonlySet<string> = new Set(['split', 'gsplit']);
const PART_LETTERS: readonly string[] = [...'abcdefghijklmnopqrstuvwxyz0123456789'];

/** Names with three letters or more are too many to list, unless they are digits. */
function namesUnlisted(words: readonly string[]): boolean {
  const digits = words.some((word) => /^(?:-d(?:a\d*)?|--num[a-z-]*(?:=\d+)?)$/.test(word));
  return !digits && findLengths(words).some((length) => !/^[12]$/.test(length));
}

/** `gzip -d -S .x a.x` writes `a`, and `gzip -S x a` writes `ax`. */
const packed: Derive = (words, operands) =>
  findValues(words, 'S', 'suffix', 1).flatMap((end) =>
    operands.flatMap((operand) => [
      operand + end,
      ...(end !== '' && operand.toLowerCase().endsWith(end.toLowerCase())
        ? [operand.slice(0, -end.length)]
        : []),
    ]),
  );

/** `gpg a.gpg` writes `a`. */
const decrypted: Derive = (_, operands) =>
  operands.flatMap((operand) => {
    const plain = operand.replace(/\.(?:gpg|pgp|asc|sig|sign)$/i, '');
    return plain === operand || plain === '' ? [] : [plain];
  });

/** Downloads named after the address: `-x` keeps its folders, `-P` sets the folder they are in. */
const wget: Derive = (words, operands) => {
  const [folder = '.'] = findValues(words, 'P', 'directory-prefix', 1);
  const keepsFolders = words.some((word) => /^(?:-[a-zA-Z]*[xrmp]|--(?:fo|rec|mir|pa))/.test(word));
  return operands.flatMap((url) => {
    const path = toUrlPath(url);
    const names = keepsFolders ? [path, path.slice(path.indexOf('/') + 1)] : [baseName(path)];
    return names.filter((each) => each !== '').map((each) => `${folder}/${each}`);
  });
};

const fetched: Derive = (words, operands) => {
  const [folder = '.'] = findValues(words, 'd', 'dir', 1);
  return operands.flatMap((url) => {
    const name = baseName(toUrlPath(url));
    return name === '' ? [] : [`${folder}/${name}`];
  });
};

const curl: Derive = (words, operands) => {
  const names = words.some((word) => /^(?:-[a-zA-Z#]*O|--remote-name)/.test(word));
  const [folder = '.'] = findValues(words, '', 'output-dir', 2);
  return names ? fetched(['', '-d', folder], operands) : [];
};

const DERIVED: Readonly<Record<string, Derive>> = {
  cp: backups,
  mv: backups,
  ln: backups,
  install: backups,
  rsync: (words, operands) => backups(toRsyncBackups(words), operands),
  sed: (words, operands) => [...inPlace(words, operands), ...findSedFiles(words)],
  gsed: (words, operands) => [...inPlace(words, operands), ...findSedFiles(words)],
  perl: inPlace,
  ruby: inPlace,
  awk: gawkInPlace,
  gawk: gawkInPlace,
  patch: patches,
  csplit,
  gcsplit: csplit,
  split,
  gsplit: split,
  ...Object.fromEntries([...DECOMPRESSORS].map((name) => [name, packed])),
  gpg: decrypted,
  gpg2: decrypted,
  wget,
  wget2: wget,
  aria2c: fetched,
  axel: fetched,
  'lwp-download': fetched,
  wcurl: fetched,
  curl,
};

/** Options, or operands, with which names come from an archive, a server or a list. */
const TAKES_NAMES: Readonly<Record<string, RegExp>> = {
  wget: /^(?:-[a-zA-Z]*[rmpi]|--(?:content-d|tr|rec|mir|pa|input))/,
  wget2: /^(?:-[a-zA-Z]*[rmpi]|--(?:content-d|tr|rec|mir|pa|input))/,
  aria2c:
    /^(?:-[iTM]|--(?:input|torrent|metalink|follow)|magnet:|[\s\S]*\.(?:torrent|meta4|metalink)$)/,
  gzip: /^(?:-[a-zA-Z0-9]*N|--na)/,
  gunzip: /^(?:-[a-zA-Z0-9]*N|--na)/,
  pigz: /^(?:-[a-zA-Z0-9]*N|--na)/,
  unpigz: /^(?:-[a-zA-Z0-9]*N|--na)/,
  lzop: /^(?:-[a-zA-Z0-9]*[NP]|--(?:na|pa))/,
  // It reads the files that the archive names; `-sf` only lists them.
  zip: /^(?:-[a-zA-Z0-9]*(?<!s)f|--fr)/,
  csplit: /^(?:-[a-zA-Z]*b|--suf)/,
  gcsplit: /^(?:-[a-zA-Z]*b|--suf)/,
  mmv: /./s,
  mcp: /./s,
  zmv: /./s,
  vidir: /./s,
  qmv: /./s,
  rnr: /./s,
  f2: /./s,
  prename: /./s,
  'file-rename': /./s,
  'perl-rename': /./s,
};

/** rsync's `--suffix` has no letter, and its `-S` is another option. */
function toRsyncBackups(words: readonly string[]): readonly string[] {
  return words.map((word) => (/^-[a-zA-Z]*S/.test(word) ? '' : word));
}

/**
 * The values of an option, given as one letter (attached, clustered or as the next word) or as a
 * long name, which may be cut after `least` characters.
 */
function findValues(
  words: readonly string[],
  letter: string,
  long: string,
  least: number,
): readonly string[] {
  return words.flatMap((word, index) => {
    const [, name = '', own] = /^--([a-z-]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
    if (name.length >= least && long.startsWith(name)) return own ?? words[index + 1] ?? [];
    if (letter === '' || !/^-[a-zA-Z0-9]/.test(word)) return [];
    const at = word.indexOf(letter);
    if (at < 1) return [];
    return word.length > at + 1 ? word.slice(at + 1) : (words[index + 1] ?? []);
  });
}

function addSuffix(operand: string, suffix: string): string {
  if (!suffix.includes('*')) return operand + suffix;
  const name = suffix.replaceAll('*', baseName(operand));
  return name.includes('/') ? name : operand.slice(0, -baseName(operand).length) + name;
}

function baseName(path: string): string {
  return path.replace(/\/+$/, '').replace(/^[\s\S]*\//, '');
}

/** Host and path of an address, decoded as far as programs decode it for a file name. */
function toUrlPath(url: string): string {
  const path = url.replace(/^\w+:\/\//, '').replace(/[?#][\s\S]*$/, '');
  if (!path.includes('/') || path.endsWith('/')) return '';
  return path.replace(/%[2-7][\da-f]/gi, decodeURIComponent);
}
