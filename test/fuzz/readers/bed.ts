import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** In every file that no line may open. Git's objects are compressed, so it is looked for in the output, too. */
export const MARK = 'MARK-OF-THE-SECRET';

/** A repository whose files try to be read under another name, beside a folder outside it. */
export interface Bed {
  readonly base: string;
  readonly work: string;
  readonly home: string;
  /** Makes everything anew, after a line that changed something. */
  replant(): void;
  dispose(): void;
}

/** Files of the workspace; those with the mark are denied or usually contain secrets. */
const FILES: Readonly<Record<string, string>> = {
  'a.txt': 'x a\ny b\nz c\n',
  'b.txt': 'x a\ny d\n',
  'b c.txt': 'x\n',
  'README.md': 'x\n',
  '.env': `x ${MARK} .env\n`,
  '.env.local': `x ${MARK}-local\n`,
  'cert.pem': `x ${MARK}-cert\n`,
  'secret/key.txt': `x ${MARK}-key\n`,
  'secret/sub/y.txt': `x ${MARK}-y\n`,
  'src/main.ts': 'x const a = 1;\n',
  'src/.env': `x ${MARK} src/.env\n`,
  'src/sub/x.txt': 'x sub\n',
  'src/sub/deep/.env': `x ${MARK} deep\n`,
  'plain/a.txt': 'x plain\n',
  'plain/b.txt': 'x plain b\n',
  'plain/sub/c.txt': 'x plain c\n',
  'plain2/a.txt': 'x plain 2\n',
  'data.json': '{"a":[1,2]}\n',
  'data.yml': 'a: 1\n',
  list: '.env\nsecret/key.txt\n../outside/secret.txt\n',
  list0: '.env\0../outside/secret.txt\0',
  sums: `${'0'.repeat(32)}  .env\n${'0'.repeat(64)}  secret/key.txt\n`,
  patterns: '.env\n*.txt\n',
  '.gitignore': '.env.local\nignored\n',
  'ignored/x.txt': 'x ignored\n',
  'ignored/.env': `x ${MARK} ignored\n`,
  '.hidden/x.txt': 'x hidden\n',
  '{a,b}.txt': 'x braces\n',
  '[ab].txt': 'x brackets\n',
  '-r': 'x dash\n',
  'x\\y.txt': 'x backslash\n',
};

/** Links of the workspace: below a folder without secrets, to a secret, and out of it. */
const LINKS: readonly (readonly [name: string, target: string])[] = [
  ['envlink', '.env'],
  ['out', '../outside'],
  ['out.txt', '../outside/secret.txt'],
  ['src/up', '..'],
  ['src/sub/out', '../../../outside'],
  ['tosecret', 'secret'],
  ['linked/env.txt', '../.env'],
  ['linked/a.txt', '../a.txt'],
  ['dir', 'plain'],
];

const OUTSIDE = ['outside/secret.txt', 'outside/.env', 'outside/sub/x.txt', 'home/x.txt', 'x.txt'];

export function makeBed(): Bed {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'gatehouse-readers-')));
  const [work, home] = [path.join(base, 'work'), path.join(base, 'home')];
  const dispose = () => rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  const replant = () => {
    for (const each of ['work', 'home', 'outside'])
      rmSync(path.join(base, each), { recursive: true, force: true, maxRetries: 5 });
    plant(base, work);
  };
  replant();
  return { base, work, home, replant, dispose };
}

function plant(base: string, work: string): void {
  for (const file of OUTSIDE) write(path.join(base, file), `x ${MARK}-outside\n`);
  write(path.join(work, 'old/.env'), `x ${MARK} old\n`);
  write(path.join(work, 'moved.txt'), 'x moved\nx 2\nx 3\nx 4\n');
  commit(work, 'old');
  execFileSync('git', ['-C', work, 'rm', '-rq', 'old']);
  execFileSync('git', ['-C', work, 'mv', 'moved.txt', 'moved2.txt']);
  for (const [file, text] of Object.entries(FILES)) write(path.join(work, file), text);
  for (const [name, target] of LINKS) {
    mkdirSync(path.dirname(path.join(work, name)), { recursive: true });
    symlinkSync(target, path.join(work, name));
  }
  commit(work, 'new');
  execFileSync('git', ['-C', work, 'tag', 'v1']);
  write(path.join(work, 'a.txt'), 'x a\ny b\nz c\nw d\n');
  write(path.join(work, 'plain/a.txt'), 'x plain 2\n');
  commit(work, 'newer');
  execFileSync('git', ['-C', work, 'branch', 'other', 'HEAD~1']);
  write(path.join(work, 'a.txt'), 'x a\ny changed\n');
  write(path.join(work, '.env'), `x ${MARK} .env changed\n`);
  write(path.join(work, 'untracked.txt'), 'x untracked\n');
  pack(work);
}

/** Archives whose members have the names of secrets, so that listing them is harmless. */
function pack(work: string): void {
  const run = (program: string, ...args: readonly string[]) =>
    execFileSync(program, args, { cwd: work, stdio: 'ignore' });
  run('tar', '-cf', 'x.tar', 'a.txt', 'plain');
  run('tar', '-czf', 'x.tgz', 'a.txt', 'plain');
  execFileSync(
    'bash',
    ['-c', 'gzip -c a.txt > z.gz; xz -c a.txt > z.xz; bzip2 -c a.txt > z.bz2; true'],
    {
      cwd: work,
      stdio: 'ignore',
    },
  );
}

function commit(work: string, message: string): void {
  const identity = ['-c', 'user.name=x', '-c', 'user.email=x@y'];
  const run = (...args: readonly string[]) =>
    execFileSync('git', ['-C', work, ...identity, ...args], { stdio: 'ignore' });
  run('init', '-q', '-b', 'main');
  run('add', '-A');
  run('commit', '-qm', message);
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
