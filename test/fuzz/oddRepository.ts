import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The file that a rule denies, and its content. No producer lists it. */
export const SECRET = '.keep/secret.txt';
export const MARK = 'MARK-OF-THE-SECRET';

/** Makes the repository, without an odd name. */
export function plant(base: string): string {
  const root = path.join(base, 'work');
  mkdirSync(path.join(root, path.dirname(SECRET)), { recursive: true });
  mkdirSync(path.join(root, 'sub'));
  for (const [file, text] of Object.entries({
    '.gitignore': '.keep\nlist\n',
    'a.txt': `x\n${MARK} y\n`,
    'b.txt': 'b\n',
    'sub/c.txt': 'c\n',
    list: `${SECRET}\n`,
    [SECRET]: `${MARK}\n`,
  }))
    writeFileSync(path.join(root, file), text.replace(`${MARK} y`, 'y'));
  // As before each line, so that git has no reason to compare a tracked name of the secret with what is committed.
  utimesSync(path.join(root, SECRET), 1000, 1000);
  git(root, 'init', '-q', '-b', 'main');
  git(root, 'config', 'core.trustctime', 'false');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'x');
  git(root, 'tag', 'base');
  return root;
}

/** The odd name is in the last commit, and there, and no other odd name is. */
export function plantName(root: string, name: string): void {
  git(root, 'reset', '-q', '--hard', 'base');
  git(root, 'clean', '-fdqx', '-e', '/.keep', '-e', '/list');
  const file = path.join(root, name);
  mkdirSync(path.dirname(file), { recursive: true });
  const special = name.startsWith('odd/') || name.startsWith('.hid');
  if (name.startsWith('.hid')) linkSync(path.join(root, SECRET), file);
  else if (name.includes('\ufffd')) symlinkSync(path.join('..', SECRET), toBytes(file));
  else writeFileSync(file, 'odd\n');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'odd');
  if (!special) writeFileSync(file, 'odd, changed\n');
  const quoted = /^odd\/(?!\ufffd)/.test(name) ? listQuoted(root) : '';
  // With the quotes as in `$(…)`, and without as by `xargs`.
  for (const each of quoted === '' ? [] : [quoted, quoted.slice(1, -1)]) {
    mkdirSync(path.join(root, path.dirname(each)), { recursive: true });
    symlinkSync(path.join('..', SECRET), path.join(root, each));
  }
}

/** The path with a byte that isn't UTF-8 for the replacement character. */
function toBytes(file: string): Buffer {
  const [head = '', tail = ''] = file.split('\ufffd');
  return Buffer.concat([Buffer.from(head), Buffer.from([0xff]), Buffer.from(tail)]);
}

/** How git prints the name in the folder `odd`. */
function listQuoted(root: string): string {
  return execFileSync('git', ['-C', root, 'ls-files', 'odd'], { encoding: 'utf8' }).trim();
}

function git(root: string, ...args: readonly string[]): void {
  const identity = ['-c', 'user.name=x', '-c', 'user.email=x@y'];
  execFileSync('git', ['-C', root, ...identity, ...args], { stdio: 'ignore' });
}
