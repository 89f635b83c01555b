import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { childEnvironment } from '../../src/runtime/commands/environment.ts';
import { HOOKS, HOSTILE_FILES, SHIMS } from './hostileFiles.ts';

/** Two repositories with the same operands: one with nothing else, one that is hostile. */
export interface Bed {
  readonly empty: string;
  readonly hostile: string;
  readonly env: Readonly<Record<string, string>>;
  dispose(): void;
}

/** A secret that no command may print. It is in the environment and in files of the hostile one. */
export const TOKEN = 'planted-5f2c91d0';

/** Makes the repositories in a new folder. `bin`: folders with tools, before those of the system. */
export function makeBed(bin: readonly string[] = []): Bed {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'gatehouse-defaults-')));
  const [empty, hostile, home] = ['empty', 'hostile', 'home'].map((name) => path.join(base, name));
  if (empty === undefined || hostile === undefined || home === undefined) throw new Error(base);
  mkdirSync(home);
  const path_ = [...bin, '/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'].join(':');
  const own = { PATH: path_, HOME: home, LANG: 'C.UTF-8', SECRET: TOKEN };
  // As if the user passed it: a row must not print it even then.
  const env = childEnvironment(own, ['SECRET']);
  makeOutside(path.join(base, 'out'));
  makeRepository(empty, env, 'https://example.invalid/x.git', () => undefined);
  makeRepository(hostile, env, `https://x:${TOKEN}@example.invalid/x.git`, () =>
    addHostile(hostile, path.join(base, 'out')),
  );
  addHooks(hostile, path.join(base, 'out'));
  return {
    empty,
    hostile,
    env,
    dispose: () => rmSync(base, { recursive: true, force: true, maxRetries: 5 }),
  };
}

function makeOutside(out: string): void {
  mkdirSync(path.join(out, 'folder'), { recursive: true });
  for (const name of ['secret.txt', 'folder/secret.txt'])
    writeFileSync(path.join(out, name), `[${TOKEN}\n`);
  writeProgram(path.join(out, 'evil'), `touch '${out}/ran'`);
}

function makeRepository(
  root: string,
  env: Readonly<Record<string, string>>,
  url: string,
  add: () => void,
): void {
  mkdirSync(path.join(root, 'src', 'sub'), { recursive: true });
  const git = (...args: readonly string[]) => {
    const own = ['-c', 'user.name=x', '-c', 'user.email=x@example.com', '-C', root];
    execFileSync('git', [...own, ...args], { env, stdio: 'ignore' });
  };
  git('init', '-q', '-b', 'main');
  for (const [name, content] of Object.entries(OPERANDS))
    writeFileSync(path.join(root, name), content);
  add();
  packOperands(root);
  git('add', '-A', '-f', '.');
  git('commit', '-qm', 'one');
  git('tag', '-am', 'x', 'v1.0.0');
  git('branch', 'feature');
  writeFileSync(path.join(root, 'src', 'main.ts'), 'export const x = 2;\n');
  git('commit', '-qam', 'two');
  git('remote', 'add', 'origin', url);
  git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
  writeFileSync(path.join(root, 'src', 'main.ts'), 'export const x = 3;\n');
  git('stash');
  writeFileSync(path.join(root, 'src', 'main.ts'), 'export const x = 4;\n');
  git('notes', 'add', '-m', 'note', 'HEAD');
  // Makes the index stale, so that git would update it.
  utimesSync(path.join(root, 'a.txt'), 1, 1);
}

const OPERANDS: Readonly<Record<string, string>> = {
  'a.txt': 'a\nb\nx\n',
  'b.txt': 'a\nc\n',
  'src/main.ts': 'export const x = 1;\n',
  'src/main.go': 'package main\nfunc main() { }\n',
  'src/sub/x.txt': 'x\n',
  'data.json': '{"a":[1,{"b":"x"}],"env":1}\n',
  'data.yml': 'a: 1\nb:\n  - x\n',
  'script.sh': '#!/bin/bash\necho $1\n',
  'dot.d2': 'x\n',
};

/** Archives, an object file and a certificate, made by tools at hand. */
function packOperands(root: string): void {
  const shell = [
    'cp a.txt z.txt; gzip -k z.txt; bzip2 -k z.txt; xz -k z.txt; rm z.txt',
    'for kind in "" z j J; do tar -c${kind}f x.tar$kind a.txt src; done',
    'cp /bin/true prog.o; objcopy --add-gnu-debuglink=a.txt prog.o',
    'zip -qr x.zip a.txt src/main.ts',
    'openssl req -x509 -newkey rsa:2048 -nodes -keyout /dev/null -out cert.crt -subj /CN=x -days 9',
  ];
  for (const line of shell) {
    // A tool that isn't at hand leaves no operand, and its rows aren't run.
    execFileSync('bash', ['-c', `${line}; true`], { cwd: root, stdio: 'ignore' });
  }
}

function addHostile(root: string, out: string): void {
  const fill = (text: string) =>
    text
      .replaceAll('EVIL', path.join(out, 'evil'))
      .replaceAll('OUT', out)
      .replaceAll('HOST', '127.0.0.1:9');
  for (const [name, content] of Object.entries(HOSTILE_FILES)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), fill(content));
  }
  for (const folder of ['', 'bin', 'node_modules/.bin', '.venv/bin', 'vendor/bin']) {
    mkdirSync(path.join(root, folder), { recursive: true });
    for (const name of SHIMS) writeProgram(path.join(root, folder, name), path.join(out, 'evil'));
  }
  for (const [name, target] of Object.entries(LINKS)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    symlinkSync(path.join(out, target), path.join(root, name));
  }
  for (const folder of ['.githooks', '.husky/_']) {
    mkdirSync(path.join(root, folder), { recursive: true });
    for (const hook of HOOKS) writeProgram(path.join(root, folder, hook), path.join(out, 'evil'));
  }
  for (const name of ['.env', '.netrc']) writeFileSync(path.join(root, name), `x=${TOKEN}\n`);
  addBareRepository(path.join(root, 'bare'), path.join(out, 'evil'));
}

/** Links that lead out of the repository, also by names that tools look for. */
const LINKS: Readonly<Record<string, string>> = {
  'link.txt': 'secret.txt',
  linked: 'folder',
  'src/linked': 'folder',
  'src/gone': 'nowhere',
  '.mailmap': 'secret.txt',
  'src/.gitattributes': 'secret.txt',
  '.npmignore': 'secret.txt',
  '.dockerignore': 'secret.txt',
  'node_modules/left': 'folder',
  'magic.mgc': 'secret.txt',
};

/** A folder that git takes for a bare repository, with a configuration that runs programs. */
function addBareRepository(root: string, evil: string): void {
  mkdirSync(path.join(root, 'objects'), { recursive: true });
  mkdirSync(path.join(root, 'refs'));
  writeFileSync(path.join(root, 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(
    path.join(root, 'config'),
    `[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = ${evil}\n`,
  );
  writeFileSync(path.join(root, 'objects', '.keep'), '');
  writeFileSync(path.join(root, 'refs', '.keep'), '');
}

/** Hooks that a clone doesn't bring, but a folder that was unpacked does. */
function addHooks(root: string, out: string): void {
  const folder = path.join(root, '.git', 'hooks');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  cpSync(path.join(root, '.githooks'), folder, { recursive: true });
  rmSync(path.join(out, 'ran'), { force: true });
}

function writeProgram(file: string, line: string): void {
  rmSync(file, { force: true });
  writeFileSync(file, `#!/bin/sh\n${line}\n`);
  chmodSync(file, 0o755);
}
