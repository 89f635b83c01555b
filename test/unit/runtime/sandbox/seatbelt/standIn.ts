import { writeFileSync } from 'node:fs';
import path from 'node:path';

/** Where a stand-in doesn't do what the rules say. */
export interface Flaws {
  /** The network is open. */
  readonly network?: true;
  /** What is hidden is shown. */
  readonly shows?: true;
  /** What may be read may be written. */
  readonly writes?: true;
  /** All of this folder is shown. */
  readonly leaks?: string;
  /** There are no temporary files. */
  readonly lacks?: true;
}

/**
 * Writes a program that stands in for `sandbox-exec`, which only a Mac has: it enforces the paths of the rules that it
 * is given by bubblewrap.
 */
export function writeStandIn(folder: string, flaws: Flaws = {}): string {
  const file = path.join(folder, 'sandbox-exec');
  const source = `#!${process.execPath}
const { spawnSync } = require('node:child_process');
const { statSync } = require('node:fs');
const flaws = ${JSON.stringify(flaws)};
const [flag, profile, ...command] = process.argv.slice(2);
if (flag !== '-p' || !profile.startsWith('(version 1)\\n(deny default)\\n')) process.exit(64);
const files = (rule) => profile.split(/^\\(/m).filter((each) => each.startsWith(rule + '\\n  (subpath'))
  .flatMap((each) => [...each.matchAll(/^  \\(subpath "(.*)"\\)/gm)].map(([, file]) => file));
const hidden = files('deny file-read* file-write* process-exec').flatMap((file) => {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return [];
  return found.isDirectory() ? ['--tmpfs', file] : ['--ro-bind', '/dev/null', file];
});
const args = ['--unshare-user', '--unshare-pid', '--die-with-parent',
  ...(flaws.network ? [] : ['--unshare-net']),
  '--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64', '--symlink', 'usr/bin', '/bin',
  ...files('allow file-read*').filter((file) => file !== '/bin' && file !== '/sbin')
    .flatMap((file) => [flaws.writes && file.includes('work') ? '--bind-try' : '--ro-bind-try', file, file]),
  '--proc', '/proc', '--dev', '/dev',
  ...(flaws.leaks ? ['--ro-bind', flaws.leaks, flaws.leaks] : []),
  ...files('allow file-write*').flatMap((file) => [flaws.lacks ? '--ro-bind' : '--bind', file, file]),
  ...(flaws.shows ? [] : hidden),
  '--remount-ro', '/', '--chdir', process.cwd(), '--', ...command];
process.exit(spawnSync('bwrap', args, { stdio: [0, 1, 2, 3] }).status ?? 70);
`;
  writeFileSync(file, source, { mode: 0o755 });
  return file;
}
