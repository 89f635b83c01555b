import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';

/** Debian's packages with the programs of the rows. */
const PACKAGES =
  `strace git bsdextrautils ncal xxd file tree fd-find ripgrep jq yq gawk mawk zip unzip bzip2 xz-utils
  binutils openssl procps lsof iproute2 net-tools hostname util-linux lsb-release man-db locales ncurses-bin diffutils
  coreutils findutils grep sed tar gzip apt dpkg python3 python3-pip ruby perl php-cli default-jdk-headless make cmake
  ninja-build gcc g++ docker.io curl wget bash zsh vim sqlite3 postgresql-client default-mysql-client redis-tools
  protobuf-compiler shellcheck mypy black golang-go`.split(/\s+/);

/** Programs of npm, pinned. */
const NPM = ['typescript@5.9.3', 'eslint@9.39.1', 'prettier@3.6.2'];

/** Names that Debian's packages don't use. */
const NAMES: Readonly<Record<string, string>> = { fd: 'fdfind', python: 'python3' };

/** Whether strace is at hand and may trace. */
export function hasStrace(): boolean {
  return process.platform === 'linux' && spawnSync('strace', ['-qq', 'true']).status === 0;
}

/** Installs strace as root on Debian; elsewhere the tests that need it say so. */
export function installStrace(): void {
  if (!hasStrace()) installPackage('strace');
}

/** Installs bubblewrap as root on Debian; elsewhere the tests of the sandbox fail. */
export function installBubblewrap(): void {
  if (process.platform === 'linux' && !hasProgram('bwrap')) installPackage('bubblewrap');
}

function installPackage(name: string): void {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  console.log(`Installing ${name} by apt-get (once) …`);
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', name],
  ])
    spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/**
 * Installs what is missing, as root on Debian, and npm's programs into `folder`. Returns the folders
 * with programs that aren't in the system's.
 */
export function installTools(folder: string): readonly string[] {
  const missing = PACKAGES.filter((name) => {
    const { stdout } = spawnSync('dpkg-query', ['-W', '-f', '${Status}', name], {
      encoding: 'utf8',
    });
    return !stdout.includes('install ok installed') && !hasProgram(name);
  });
  if (missing.length > 0) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    execFileSync('apt-get', ['update', '-qq'], { env, stdio: 'inherit' });
    const install = ['install', '-y', '-qq', '--no-install-recommends'];
    execFileSync('apt-get', [...install, ...missing], { env, stdio: 'inherit' });
  }
  const npm = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts'];
  execFileSync('npm', [...npm, ...NPM], { stdio: 'inherit' });
  const links = path.join(folder, 'bin');
  mkdirSync(links, { recursive: true });
  for (const [name, target] of Object.entries(NAMES)) {
    if (existsSync(`/usr/bin/${target}`)) symlinkSync(`/usr/bin/${target}`, path.join(links, name));
  }
  return [path.join(folder, 'node_modules', '.bin'), links];
}

/** A program may have been installed without its package: docker, for one. */
function hasProgram(name: string): boolean {
  const program = name === 'docker.io' ? 'docker' : name;
  return spawnSync('which', [program]).status === 0;
}
