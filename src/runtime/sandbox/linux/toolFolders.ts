import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { readRegularText } from '../../../base/disk/readRegular.ts';
import { leadOutside } from './outsidePath.ts';

/**
 * The folders of version managers, in HOME or where the user has put them, and what they need beside
 * them. Never what holds their tokens.
 */
const COMPANIONS: Readonly<Record<string, readonly string[]>> = {
  '.asdf': ['.tool-versions', '.asdfrc'],
  '.bun': [],
  '.cargo': ['.rustup'],
  '.deno': [],
  '.nvm': [],
  '.pyenv': [],
  '.rbenv': [],
  '.sdkman': [],
  '.volta': [],
};
const READ_IN_HOME = ['.config/git/ignore', '.editorconfig', '.local/lib', '.local/pipx'];
/** Below `.local/share`, where all programs keep their data, keys and histories, these keep programs. */
const SHARED = ['fnm', 'mise/installs', 'mise/shims', 'pipx', 'pnpm', 'uv/python', 'uv/tools'];
/** Below `.cargo`. */
const CREDENTIALS = ['credentials', 'credentials.toml'];
const CARGO_SETTINGS = ['config', 'config.toml'];
/** Where the versions that a folder keeps have settings with tokens; `*` is each version. */
const VERSIONS: Readonly<Record<string, readonly string[]>> = {
  '.asdf': ['installs/nodejs/*/etc/npmrc', 'installs/python/*/pip.conf'],
  '.nvm': ['versions/node/*/etc/npmrc'],
  '.pyenv': ['versions/*/pip.conf'],
  '.volta': ['tools/image/node/*/etc/npmrc'],
  fnm: ['node-versions/*/installation/etc/npmrc'],
  installs: ['node/*/etc/npmrc', 'python/*/pip.conf'],
};
/** Beside the `bin` folder of an installation. */
const SIBLINGS = ['lib', 'lib64', 'libexec', 'share', 'include', 'ssl'];
const SYSTEM = /^\/(usr|bin|sbin|lib\w*|opt|nix|etc)(\/|$)/;

export interface ToolFolders {
  /** Mounted read-only. */
  readonly read: readonly string[];
  /** Covered by empty files. */
  readonly mask: readonly string[];
}

/**
 * The folders of programs outside the system's, from PATH: of version managers, and of installations
 * with a prefix of their own. Folders of the workspace are left out, also those that one of its links leads to, and
 * those that contain it or HOME.
 */
export function findToolFolders(
  search: string,
  home: string,
  workspace: readonly string[],
): ToolFolders {
  const folders = new Set<string>();
  for (const folder of listFolders(search, workspace)) {
    if (!SYSTEM.test(folder)) addFolder(folders, folder, home);
  }
  for (const name of READ_IN_HOME) folders.add(path.join(home, name));
  for (const name of SHARED) folders.add(path.join(home, '.local/share', name));
  const homes = [home, leadOutside(home, []) ?? home];
  const isShown = (folder: string) =>
    !homes.some((each) => isWithin(each, folder)) &&
    !workspace.some((root) => isWithin(root, folder));
  const read = [...folders].filter((folder) => {
    const real = leadOutside(folder, workspace);
    return real !== undefined && existsSync(real) && isShown(folder) && isShown(real);
  });
  return { read: read.sort(), mask: findSecrets(read, listNpmSettings(search, workspace)) };
}

interface Around {
  readonly home: string;
  readonly workspace: readonly string[];
  /** What rules hide, links resolved. */
  readonly masks: readonly string[];
  /** What the sandbox shows anyway. */
  readonly shown: readonly string[];
}

/**
 * What is mounted so that a program reads these files and folders by the paths that it knows. Nothing of the workspace, of
 * what is hidden or shown anyway, and no folder that has something of the sandbox's own in it, such as HOME or `/proc`.
 */
export function findReads(files: readonly string[], around: Around): readonly string[] {
  const { home, workspace, masks } = around;
  const shown = [...around.shown];
  const isShown = (file: string) => shown.some((folder) => isWithin(file, folder));
  const own = [...OWN, home, leadOutside(home, []) ?? home];
  const isOpen = (file: string) =>
    !own.some((each) => isWithin(each, file)) &&
    ![...OF_KERNEL, ...masks].some((each) => isWithin(file, each));
  // Folders come before what lies in them.
  const sorted = files.map((file) => path.resolve(file)).sort((a, b) => a.length - b.length);
  const found: string[] = [];
  for (const file of sorted) {
    const real = leadOutside(file, workspace);
    if (real === undefined || !existsSync(real) || ![file, real].every(isOpen)) continue;
    // By a link in what is shown, which nothing can be mounted on.
    const at = isShown(file) ? real : file;
    if (isShown(at)) continue;
    found.push(at);
    shown.push(at);
  }
  return found;
}

const OF_KERNEL = ['/proc', '/dev', '/sys'];
/** Made anew for each sandbox. */
const OWN = [...OF_KERNEL, '/run', '/tmp', '/var/tmp'];

/** The folders of PATH, as they are written and where they lead. */
function listFolders(search: string, workspace: readonly string[]): readonly string[] {
  return search
    .split(':')
    .filter((written) => path.isAbsolute(written))
    .flatMap((written) => [path.normalize(written), leadOutside(written, workspace) ?? []].flat());
}

/** The settings of npm that belong to the installations on PATH, the system's too. */
export function listNpmSettings(search: string, workspace: readonly string[]): ReadonlySet<string> {
  const found = listFolders(search, workspace);
  return new Set(found.map((folder) => path.join(folder, '../etc/npmrc')));
}

/** What holds tokens of package registries. `settings`: those of npm that belong to an installation. */
function findSecrets(read: readonly string[], settings: ReadonlySet<string>): readonly string[] {
  const cargos = read.filter((folder) => path.basename(folder) === '.cargo');
  const inCargo = (names: readonly string[]) =>
    cargos.flatMap((folder) => names.map((name) => path.join(folder, name)));
  const versions = read.flatMap((folder) =>
    (VERSIONS[path.basename(folder)] ?? []).flatMap((name) => expand(folder, name)),
  );
  const masked = [...new Set([...inCargo(CREDENTIALS), ...settings, ...versions])].filter((file) =>
    existsSync(file),
  );
  return [...masked, ...inCargo(CARGO_SETTINGS).filter(holdsToken)];
}

function expand(folder: string, pattern: string): readonly string[] {
  const [before = '', after = ''] = pattern.split('*');
  const parent = path.join(folder, before);
  try {
    return readdirSync(parent).map((version) => path.join(parent, version, after));
  } catch {
    // It keeps no versions.
    return [];
  }
}

function holdsToken(file: string): boolean {
  const found = readRegularText(file);
  if (found.state === 'absent') return false;
  return found.state !== 'read' || TOKEN.test(found.text);
}

/** Such a key in any form of TOML, but not in a line that is a comment. */
const TOKEN = /^(?![ \t]*#)(?:.*[.{,\s])?["']?(token|secret-key)["']?\s*=/m;

function addFolder(folders: Set<string>, folder: string, home: string): void {
  const parts = folder.split('/');
  const at = parts.findIndex((name) => Object.hasOwn(COMPANIONS, name));
  const manager = parts[at];
  if (manager !== undefined) {
    const base = parts.slice(0, at).join('/');
    for (const name of [manager, ...(COMPANIONS[manager] ?? [])]) folders.add(`${base}/${name}`);
    return;
  }
  const prefix = path.dirname(folder);
  // npm's links lead to the packages beside them.
  const isOfPackages = path.basename(folder) === '.bin' && path.basename(prefix) === 'node_modules';
  folders.add(isOfPackages ? prefix : folder);
  if (path.basename(folder) !== 'bin' || prefix === home || prefix === '/') return;
  const isOfUser = path.basename(prefix) === '.local';
  for (const name of SIBLINGS) {
    if (!isOfUser || name !== 'share') folders.add(path.join(prefix, name));
  }
}

/** Whether `file` is `folder` or lies below it. */
export function isWithin(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
