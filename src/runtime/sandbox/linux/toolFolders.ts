import { existsSync } from 'node:fs';
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
  const settings = new Set<string>();
  for (const written of search.split(':')) {
    if (!path.isAbsolute(written)) continue;
    for (const folder of [path.normalize(written), leadOutside(written, workspace)]) {
      if (folder === undefined || SYSTEM.test(folder)) continue;
      settings.add(path.join(folder, '../etc/npmrc'));
      addFolder(folders, folder, home);
    }
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
  return { read: read.sort(), mask: findSecrets(read, settings) };
}

/** What holds tokens of package registries. `settings`: those of npm that belong to an installation. */
function findSecrets(read: readonly string[], settings: ReadonlySet<string>): readonly string[] {
  const cargos = read.filter((folder) => path.basename(folder) === '.cargo');
  const inCargo = (names: readonly string[]) =>
    cargos.flatMap((folder) => names.map((name) => path.join(folder, name)));
  const masked = [...inCargo(CREDENTIALS), ...settings].filter((file) => existsSync(file));
  return [...masked, ...inCargo(CARGO_SETTINGS).filter(holdsToken)];
}

function holdsToken(file: string): boolean {
  const found = readRegularText(file);
  if (found.state === 'absent') return false;
  return found.state !== 'read' || /^\s*"?(token|secret-key)"?\s*=/m.test(found.text);
}

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
