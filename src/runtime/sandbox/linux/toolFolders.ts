import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';

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
const READ_IN_HOME = ['.config/git/ignore', '.editorconfig', '.local/lib', '.local/share/pnpm'];
/** Below `.cargo`. */
const CREDENTIALS = ['credentials', 'credentials.toml'];
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
 * with a prefix of their own. Folders of the workspace are left out, and those that contain it or HOME.
 */
export function findToolFolders(
  search: string,
  home: string,
  workspace: readonly string[],
): ToolFolders {
  const folders = new Set<string>();
  for (const written of search.split(':')) {
    if (!path.isAbsolute(written)) continue;
    for (const folder of [path.normalize(written), toReal(written)]) {
      if (folder !== undefined && !SYSTEM.test(folder)) addFolder(folders, folder, home);
    }
  }
  for (const name of READ_IN_HOME) folders.add(path.join(home, name));
  const read = [...folders].filter(
    (folder) =>
      existsSync(folder) &&
      !isWithin(home, folder) &&
      !workspace.some((root) => isWithin(root, folder) || isWithin(folder, root)),
  );
  const cargos = read.filter((folder) => path.basename(folder) === '.cargo');
  const masked = cargos.flatMap((folder) => CREDENTIALS.map((name) => path.join(folder, name)));
  return { read: read.sort(), mask: masked.filter((file) => existsSync(file)) };
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
  for (const name of SIBLINGS) folders.add(path.join(prefix, name));
}

/** Whether `file` is `folder` or lies below it. */
export function isWithin(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

function toReal(folder: string): string | undefined {
  try {
    return realpathSync(folder);
  } catch {
    // It doesn't exist.
    return undefined;
  }
}
