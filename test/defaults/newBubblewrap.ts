import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder } from '../workbench/paths.ts';

/** Debian's release with bubblewrap 0.11 or newer, which mounts overlays itself; Debian 12 has 0.8. */
const SUITE = 'trixie';
/** Those of the program, since the system's own are older. */
const PACKAGES = ['bubblewrap', 'libc6', 'libcap2', 'libselinux1', 'libpcre2-8-0'];

const HOME = path.join(cacheFolder(), `bubblewrap-${SUITE}-1`);

/** The newer bubblewrap in the cache; undefined where it isn't installed. */
export function findNewBubblewrap(): string | undefined {
  const file = path.join(HOME, 'bwrap');
  return existsSync(file) ? file : undefined;
}

/**
 * Puts the newer bubblewrap beside that of the system into the cache (once), from Debian's packages. Where there
 * is no apt, or it fails, tests run with the system's alone.
 */
export function installNewBubblewrap(): void {
  if (findNewBubblewrap() !== undefined || !existsSync('/usr/bin/apt-get')) return;
  const building = `${HOME}.${process.pid}`;
  try {
    console.log(`Installing bubblewrap of Debian's ${SUITE} (once, kept in the cache) …`);
    fill(building);
    rmSync(HOME, { recursive: true, force: true, maxRetries: 5 });
    renameSync(building, HOME);
  } catch (fault) {
    console.log(`The newer bubblewrap is not tested: ${String(fault).split('\n')[0]}`);
  } finally {
    rmSync(building, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Nothing of the system's apt changes: the lists and packages are in the folder. */
function fill(folder: string): void {
  for (const name of ['lists/partial', 'cache/archives/partial']) {
    mkdirSync(path.join(folder, name), { recursive: true });
  }
  const source = `deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian ${SUITE} main\n`;
  writeFileSync(path.join(folder, 'sources.list'), source);
  const options = [
    `Dir::State::lists=${folder}/lists`,
    `Dir::Cache=${folder}/cache`,
    'Dir::Etc::sourceparts=-',
    `Dir::Etc::sourcelist=${folder}/sources.list`,
  ].flatMap((each) => ['-o', each]);
  const apt = (...args: string[]) =>
    execFileSync('apt-get', ['-qq', ...options, ...args], {
      cwd: folder,
      stdio: 'ignore',
      timeout: 120_000,
    });
  apt('update');
  apt('download', ...PACKAGES);
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.deb'))) {
    execFileSync('dpkg-deb', ['-x', name, 'root'], { cwd: folder });
  }
  for (const name of ['lists', 'cache']) rmSync(path.join(folder, name), { recursive: true });
  writeStart(folder, HOME);
}

/** Writes the program that starts bubblewrap in `folder`, for the place where that folder will be. */
export function writeStart(folder: string, home: string): void {
  const lib = path.join(folder, 'root/usr/lib');
  const libraries = readdirSync(lib).find((each) => each.endsWith('-linux-gnu')) ?? '';
  const loader = readdirSync(path.join(lib, libraries)).find((each) => each.startsWith('ld-linux'));
  const root = path.join(home, 'root/usr');
  const own = path.join(root, 'lib', libraries);
  const line = `exec '${own}/${loader}' --library-path '${own}' '${root}/bin/bwrap' "$@"`;
  writeFileSync(path.join(folder, 'bwrap'), `#!/bin/bash\n${line}\n`, { mode: 0o755 });
}
