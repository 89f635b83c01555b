/** Letters of options with a file to read, which may be attached. In other subcommands: `FLO`. */
const FILE_LETTERS: Readonly<Record<string, string>> = {
  annotate: 'LS',
  blame: 'LS',
  clone: 'cu',
  commit: 'Ft',
  config: 'f',
  grep: 'f',
  'ls-files': 'X',
};

/**
 * Whether a word before `--` may name a file to read: of the options only those with a value, such as
 * `--name=file`, `-Ffile` and `-L1,2:file`. `sub`: the subcommand.
 */
export function mayNameFile(sub: string, word: string): boolean {
  if (!word.startsWith('-') || word === '-' || word.includes('=')) return true;
  const letters = Object.hasOwn(FILE_LETTERS, sub) ? (FILE_LETTERS[sub] ?? '') : 'FLO';
  const [, cluster = ''] = /^-([a-zA-Z0-9]+)./.exec(word) ?? [];
  // A text to search for may hold the letters of other options.
  const [before = ''] = /^(?:log|diff|show)/.test(sub) ? cluster.split(/[SG]/, 1) : [cluster];
  return [...letters].some((letter) => before.includes(letter));
}
