import { statSync } from 'node:fs';
import path from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import type { Trace } from '../../defaults/trace.ts';
import { type Bed, MARK } from './bed.ts';

/** `own`: a user's rules allow reading everything but `.env` files and the folder `secret`. */
export type Mode = 'shipped' | 'own' | 'any';

/** What an allowed line did that it should have been asked about. */
export function toHarm(line: string, trace: Trace, bed: Bed, mode: Mode): readonly string[] {
  const { programs, reads, writes, hosts, output } = trace;
  // Git hashes files that it doesn't print.
  const git = /\bgit\b/.test(line);
  const denied = [...reads].filter(
    (file) => !(git && isInside(file, bed)) && isDenied(file, bed, mode),
  );
  const shown = output
    .split('\n')
    .filter((each) => each.includes(MARK) && !ALLOWED[mode].test(each));
  const opened = denied.map((file) => `opened ${path.relative(bed.work, file)}`);
  const changed = [...writes].filter((file) => !REFRESHED.test(file));
  if (mode === 'any') {
    const lost = changed.filter((file) => isDenied(file, bed, mode));
    return [
      ...opened,
      ...(opened.length === 0 ? shown.slice(0, 1) : []),
      ...lost.map((file) => `wrote ${file}`),
    ];
  }
  return [
    ...denied.map((file) => `opened ${path.relative(bed.work, file)}`),
    ...(denied.length === 0
      ? shown.slice(0, 1).map((each) => `printed ${each.slice(0, 200)}`)
      : []),
    ...[...writes].filter((file) => !REFRESHED.test(file)).map((file) => `wrote ${file}`),
    ...[...hosts].map((host) => `contacted ${host}`),
    ...[...programs].filter((file) => !isNamed(file, line)).map((file) => `started ${file}`),
  ];
}

/** Marks of files that the rules allow. What prints a line may put something behind it, and `ptx` within it. */
const ALLOWED: Readonly<Record<Mode, RegExp>> = {
  shipped: /MARK-OF-THE-SECRET-(?:key|y)/,
  any: /MARK-OF-THE-SECRET-\s*(?:outside|cert|local)/,
  own: /MARK-OF-THE-SECRET-\s*(?:outside|cert|local)/,
};

/** `git status` and `git diff` keep what they found out about files. */
const REFRESHED = /\/\.git\/index(?:\.lock)?$/;

function isInside(file: string, { work }: Bed): boolean {
  return file.startsWith(`${work}/`) || file === work;
}

function isDenied(file: string, bed: Bed, mode: Mode): boolean {
  const inside = isInside(file, bed);
  const name = path.basename(file);
  if (mode !== 'shipped')
    return inside && !isFolder(file) && (name === '.env' || /\/secret\/./.test(file));
  if (inside) return /^\.env(?:\..*)?$|\.pem$/.test(name);
  if (file.startsWith(bed.base)) return !/\/home\/\.(?:gitconfig|config)/.test(file);
  return !SYSTEM.test(file) && !isProgram(file);
}

/** Names in folders may be listed. */
function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** What programs open whatever their operands are. */
const SYSTEM =
  /^(?:\/usr\/(?:lib|share|libexec)|\/lib|\/lib64|\/proc|\/sys|\/usr\/bin|\/usr\/local\/lib|\/bin|\/dev)(?:\/|$)|^\/etc\/(?:ld\.so\.\w+|passwd|group|nsswitch\.conf|localtime|gitconfig|magic|mime\.types|host\.conf|locale\.alias|ssl\/openssl\.cnf|ssl\/certs(?:\/.*)?)$|^(?:pipe|socket|anon_inode):|\/gatehouse-lines-|^\/$/;

/** Programs themselves, some of which are scripts. */
function isProgram(file: string): boolean {
  const folders = [path.dirname(rgPath), ...(process.env['PATH'] ?? '').split(':')];
  return folders.includes(path.dirname(file));
}

/** What git's scripts start. */
const GIT_PARTS = /^(?:basename|sed|gettext|envsubst|uname|cat|dash|sh|ls|expr|tr)$/;

/** Programs that others start without harm: git itself, and the shells and programs of scripts such as `zgrep`. */
function isNamed(file: string, line: string): boolean {
  const name = path.basename(file);
  if (line.includes(name)) return true;
  if (/\bgit\b/.test(line) && (name.startsWith('git') || GIT_PARTS.test(name))) return true;
  if (/\byq\b/.test(line) && name === 'jq') return true;
  if (/\b(?:z\w+|gunzip|[ef]grep|which)\b/.test(line))
    return /^(?:sh|dash|gzip|sed|grep|cat|expr|xz|bzip2)$/.test(name);
  if (/\btar\b/.test(line)) return /^(?:sh|gzip|bzip2|xz)$/.test(name);
  return name === 'mawk' && /\bawk\b/.test(line);
}
