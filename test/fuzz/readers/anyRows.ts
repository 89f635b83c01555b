import type { CommandRow } from '../../../src/permissions/defaults/defaultCommands.ts';
import { FILE_PROGRAMS } from '../../../src/permissions/shell/programs/tables/filePrograms.ts';
import type { Program } from '../../../src/permissions/shell/programs/tables/program.ts';
import { TEXT_PROGRAMS } from '../../../src/permissions/shell/programs/tables/textPrograms.ts';
import { toReaders } from './lines.ts';

/** Options that the tables of programs don't list, because they do nothing that rules are about. */
const UNLISTED: Readonly<Record<string, string>> = {
  grep: '--exclude-from= --exclude-dir= --include= --exclude= -f: --file= -r -R --directories= --null-data',
  tar: '--exclude= -X: --exclude-from= -T: --files-from= -C: --wildcards --anchored --no-recursion --exclude-vcs --exclude-tag= -h -O --to-stdout',
  zip: '-x: -i: -r -R -y -q -@ -sf --exclude= --include= -d',
  rg: '-g: --glob= --iglob= -f: --file= --ignore-file= --hidden -u -uu --no-ignore -L -z --pre= --type-add= -t: --files',
  diff: '-x: --exclude= -X: --exclude-from= --from-file= --to-file= -S: --starting-file= -N -r --no-dereference',
  du: '-X: --exclude-from= --exclude= --files0-from= -L -D',
  cp: '-r -a -L -P -H -t: --target-directory= --parents -n',
  wc: '--files0-from=',
  sort: '--files0-from= -m -o:',
  file: '-f: --files-from= -m: -z',
  shuf: '-e -i: -n: --random-source= -o:',
  xxd: '-r -p',
  md5sum: '-c --check --quiet',
  sha256sum: '-c --check --status',
};

/** Programs that read or pack files and are at most in the tables. */
const MORE: readonly string[] = [
  'join',
  'shuf',
  'pr',
  'b2sum',
  'sum',
  'tsort',
  'cp',
  'zip',
  'ptx',
  'unexpand',
  'look',
];
const CREATES: readonly CommandRow[] = [
  ['tar -cf -', UNLISTED['tar'] ?? ''],
  ['tar cf /dev/null', UNLISTED['tar'] ?? ''],
  ['zip -q -', UNLISTED['zip'] ?? ''],
  ['zip -qr x.zip', UNLISTED['zip'] ?? ''],
  ['git add', '-A -u -f -n --all --pathspec-from-file= --chmod=+x'],
  ['git stash push', '-u -a -m: --pathspec-from-file= -k'],
  ['git archive HEAD', '--prefix= --format= --add-file='],
  ['git checkout HEAD', '-f'],
];

/** The rows of the programs with every option that the tables of programs know, too. */
export function toAnyRows(rows: readonly CommandRow[]): readonly CommandRow[] {
  const readers = toReaders(rows);
  const own = readers.map(([pattern, flags]): CommandRow => {
    const [name = ''] = pattern.split(' ');
    return name === 'git'
      ? [pattern, flags]
      : [pattern, `${flags.replace(/[!+] ?/g, '')} ${listOptions(name)}`];
  });
  return [...own, ...MORE.map((name): CommandRow => [name, listOptions(name)]), ...CREATES];
}

const TABLE: Readonly<Record<string, Program>> = { ...TEXT_PROGRAMS, ...FILE_PROGRAMS };

function listOptions(name: string): string {
  const {
    reads = '',
    lists = '',
    valued = '',
    follows = '',
    sweeps = '',
    stays = '',
    writes = '',
    words,
  } = TABLE[name] ?? {};
  const takes = [reads, lists, valued, writes]
    .flatMap((each) => split(each))
    .map((each) => toFlag(each, words === true, true));
  const bare = [follows, sweeps, stays]
    .flatMap((each) => split(each))
    .map((each) => toFlag(each, words === true, false));
  return [...takes, ...bare, UNLISTED[name] ?? ''].join(' ');
}

function split(names: string): readonly string[] {
  return names.split(' ').filter((name) => name !== '' && name !== '*');
}

function toFlag(name: string, words: boolean, takes: boolean): string {
  if (words || name.length === 1) return `-${name}${takes ? ':' : ''}`;
  return `--${name}${takes ? '=' : ''}`;
}
