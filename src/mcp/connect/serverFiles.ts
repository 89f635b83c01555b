import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { isInFolder } from '../../base/disk/insideFolder.ts';

/** What stands at the top of a program's own folder. */
const TOPS = ['package.json', 'node_modules', 'pyproject.toml', '.venv', 'requirements.txt'];

/**
 * The files and folders that a confined server reads besides its workspace: those that its command line names,
 * but no folder with HOME in it, and the whole package of a script, without which it could not load its modules. `kept`:
 * other folders that no package may contain. All absolute.
 */
export function findServerFiles(
  argv: readonly string[],
  home: string,
  others: readonly string[] = [],
): readonly string[] {
  const kept = [home, toReal(home), ...others];
  const named = findNamedFiles(argv, home);
  const all = named.flatMap((word) => [word, ...findPackages(word)]);
  const isNarrow = (folder: string) =>
    path.dirname(path.dirname(folder)) !== path.dirname(folder) &&
    kept.every((each) => !isInFolder(each, folder));
  return [...new Set(all.filter((each) => named.includes(each) || isNarrow(each)))];
}

/** The files and folders that the command line names, but no folder with HOME in it. */
export function findNamedFiles(argv: readonly string[], home: string): readonly string[] {
  const homes = [home, toReal(home)];
  const holdsHome = (word: string) =>
    [word, toReal(word)].some((each) => homes.some((own) => isInFolder(own, each)));
  return argv.filter(
    (word) => path.isAbsolute(word) && existsSync(word) && !holdsHome(path.resolve(word)),
  );
}

function toReal(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/** The folders of a script's package: as it is named, and where links lead. */
function findPackages(file: string): readonly string[] {
  try {
    if (!statSync(file).isFile()) return [];
    const real = realpathSync(file);
    return [...new Set([file, real])].flatMap((each) => [each, ...findPackage(each)]);
  } catch {
    // It was removed meanwhile.
    return [];
  }
}

function findPackage(file: string): readonly string[] {
  // What a package needs may lie anywhere in the folder that it is installed in.
  const at = file.indexOf(`${path.sep}node_modules${path.sep}`);
  if (at >= 0) return [path.join(file.slice(0, at), 'node_modules')];
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    if (TOPS.some((name) => existsSync(path.join(folder, name)))) return [folder];
    if (path.dirname(folder) === folder) return [];
  }
}
