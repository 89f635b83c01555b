import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { readHead } from '../../base/disk/readRegular.ts';
import { isBelowFolded, realFolder } from '../patterns/paths.ts';
import type { ShellWord } from '../shell/acts.ts';
import type { Evaluation } from './evaluation.ts';

/**
 * The file of the workspace that a command given by its name runs, because PATH has a folder in there
 * before that of the system's program: `.venv/bin/ls`. Undefined: none. Builtins of the shell count, too,
 * because `timeout 5 echo` starts a program of that name.
 */
export function findShadow(
  [program]: readonly ShellWord[],
  { roots, policy: { platform } }: Evaluation,
): string | undefined {
  const name = program?.value ?? '';
  if (name === '' || /[\\/]/.test(name)) return undefined;
  const isOwn = (folder: string) =>
    roots.workspace.some((root) => isBelowFolded(folder, root, platform));
  const folders = listFolders(process.env['PATH'] ?? '');
  // Almost always, no folder of PATH lies in the workspace.
  if (!folders.some(isOwn)) return undefined;
  const started = new Set([name]);
  // The set grows while it is looked through.
  for (const each of started) {
    const folder = folders.find((one) => canRun(path.join(one, each)));
    if (folder !== undefined && isOwn(folder)) return path.join(folder, each);
    const helpers = Object.hasOwn(HELPERS, each) ? (HELPERS[each] ?? '').split(' ') : [];
    const runner = folder === undefined ? undefined : readRunner(path.join(folder, each));
    for (const more of [...helpers, ...(runner === undefined ? [] : [runner])]) started.add(more);
  }
  return undefined;
}

/** The program that runs a script which begins with `#!/usr/bin/env node`. */
function readRunner(file: string): string | undefined {
  const read = readHead(file, LINE_BYTES);
  if (read.state !== 'read') return undefined;
  const [line = ''] = read.bytes.toString('latin1').split('\n', 1);
  return /^#![ \t]*\S*\/env(?:[ \t]+(?:-\S+|\w+=\S*))*[ \t]+([^\s/]+)/.exec(line)?.[1];
}

/** As much of the first line as Linux reads. */
const LINE_BYTES = 256;

const SCRIPTS = 'sh cat expr grep gzip sed';
const UNPACKERS = 'sh bzip2 gzip xz zstd compress lzip lzma lzop';

/** The programs that some of the commands that the shipped rules allow start by their name. */
const HELPERS: Readonly<Record<string, string>> = {
  egrep: SCRIPTS,
  fgrep: SCRIPTS,
  zgrep: SCRIPTS,
  zcat: SCRIPTS,
  gunzip: SCRIPTS,
  tar: UNPACKERS,
  git: 'sh basename cat sed uname gettext envsubst git-sh-setup',
  man: 'sh cat apropos whatis',
  which: 'sh',
  dpkg: 'dpkg-query',
  lsb_release: 'sh cut getopt tr python3',
  yq: 'jq',
  ...Object.fromEntries(
    ['npm', 'npx', 'tsc', 'eslint', 'prettier'].map((name) => [name, 'node'] as const),
  ),
};

let read: { readonly from: string; readonly folders: readonly string[] } | undefined;

/** The folders of PATH, with links resolved. Relative ones are passed to no command. */
function listFolders(from: string): readonly string[] {
  if (read?.from !== from) {
    const folders = from.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
    read = { from, folders: folders.map((folder) => realFolder(folder)) };
  }
  return read.folders;
}

function canRun(file: string): boolean {
  const names = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', '.com'] : [''];
  return names.some((ending) => {
    try {
      accessSync(file + ending, constants.X_OK);
      return statSync(file + ending).isFile();
    } catch {
      // It doesn't exist, or can't be run.
      return false;
    }
  });
}
