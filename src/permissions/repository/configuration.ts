import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { type GitFolder, readText } from './gitFolder.ts';

/**
 * Why a command that only reads the repository may run a program or read other files, by the
 * repository's own configuration; undefined: it can't. A clone doesn't bring such a configuration,
 * but an unpacked folder or an earlier command may have. Settings that aren't known to be harmless
 * count. The user's own configuration is trusted.
 */
export function findHazard(git: GitFolder): string | undefined {
  for (const file of listConfigurations(git)) {
    const key = findKey(readText(file) ?? '');
    if (key !== undefined) return `"${key}" in ${path.relative(git.root, file)}`;
  }
  return undefined;
}

/** The files of the repository, of the worktree and of the submodules, which git enters. */
function listConfigurations({ own, common }: GitFolder): readonly string[] {
  const names = ['config', 'config.worktree'];
  const folders = [...new Set([own, common]), ...listModules(path.join(common, 'modules'))];
  return folders.flatMap((folder) => names.map((name) => path.join(folder, name)));
}

/** The names of submodules may contain slashes, and submodules have submodules. */
function listModules(folder: string): readonly string[] {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry): readonly string[] => {
    const below = path.join(folder, entry.name);
    if (!entry.isDirectory()) return [];
    const isModule = statSync(path.join(below, 'HEAD'), { throwIfNoEntry: false }) !== undefined;
    return isModule ? [below, ...listModules(path.join(below, 'modules'))] : listModules(below);
  });
}

/** The first setting that isn't known to be harmless, or the line that can't be parsed. */
export function findKey(text: string): string | undefined {
  let section = '';
  for (const raw of text.replace(/^\uFEFF/, '').split('\n')) {
    let line = raw.trim();
    const head = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (head !== null) {
      section = `${head[1] ?? ''}${head[2] === undefined ? '' : `.${head[2]}`}`;
      line = line.slice(head[0].length).trim();
    }
    if (line === '' || /^[#;]/.test(line)) continue;
    const name = /^([a-zA-Z][\w-]*)\s*(?:=|$)/.exec(line)?.[1];
    // A continued line may be read as one thing here, and as another by git.
    if (name === undefined || line.endsWith('\\')) return line.slice(0, 80);
    if (!isHarmless(section.toLowerCase(), name.toLowerCase())) return `${section}.${name}`;
  }
  return undefined;
}

function isHarmless(section: string, name: string): boolean {
  const [first = ''] = section.split('.', 1);
  const names = Object.hasOwn(HARMLESS, first) ? HARMLESS[first] : undefined;
  return names === '*' || (names ?? '').split(/\s+/).includes(name);
}

/**
 * Settings that neither name a program nor a file to read, by section; `*`: all of them. Some name a
 * program that no reading command starts, such as hooks and credential helpers.
 */
const HARMLESS: Readonly<Record<string, string>> = {
  core: `repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol safecrlf
    abbrev quotepath trustctime checkstat untrackedcache preloadindex sharedrepository bigfilethreshold compression
    longpaths protecthfs protectntfs commentchar whitespace commitgraph multipackindex hookspath editor sshcommand`,
  extensions: 'objectformat worktreeconfig refstorage relativeworktrees',
  remote:
    'url pushurl fetch push tagopt mirror prune prunetags skipdefaultupdate gh-resolved followremotehead',
  branch: '*',
  user: '*',
  author: '*',
  committer: '*',
  color: '*',
  column: '*',
  advice: '*',
  credential: '*',
  http: '*',
  url: '*',
  init: 'defaultbranch',
  submodule: 'url active update branch ignore shallow fetchrecursesubmodules',
  pull: '*',
  push: '*',
  fetch: '*',
  merge: 'conflictstyle ff renames log',
  rebase: '*',
  commit: 'gpgsign verbose status',
  tag: 'gpgsign sort',
  gpg: 'format',
  log: 'date decorate abbrevcommit follow',
  diff: 'renames algorithm colormoved mnemonicprefix noprefix context',
  status: 'short branch showuntrackedfiles relativepaths',
  gc: '*',
  pack: '*',
  maintenance: '*',
  rerere: '*',
  lfs: 'access repositoryformatversion',
  gitflow: '*',
};
