import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const SCRIPT = `
exec 3<>/dev/fuse || exit 77
mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 folding "$1" || exit 77
"$2" "$3" "$4" & server=$!
exec 3>&-
shift 4
"$@"
code=$?
kill $server
exit $code`;

/** Whether a file system in user space can be mounted here, without being root. */
export function canMount(): boolean {
  if (process.platform !== 'linux') return false;
  return run({ 'a.txt': '' }, ['true']).status === 0;
}

/** Runs a script with a folder that ignores case as its first argument, and returns what it prints. */
export function runThere(
  files: Readonly<Record<string, string>>,
  script: string,
  args: readonly string[] = [],
): string {
  const ran = run(files, [process.execPath, script, ...args]);
  if (ran.status !== 0) throw new Error(`It ended with ${ran.status}: ${ran.stderr}`);
  return ran.stdout;
}

/** The folder is mounted for this command only, in namespaces of its own. */
function run(files: Readonly<Record<string, string>>, command: readonly string[]) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'folding-')));
  try {
    const server = path.join(import.meta.dirname, 'disk.ts');
    const given = [folder, process.execPath, server, JSON.stringify(files)];
    const [program = '', script, ...args] = command;
    const own = script === undefined ? [program] : [program, script, folder, ...args];
    const inside = ['bash', '-c', SCRIPT, 'bash', ...given, ...own];
    return spawnSync('unshare', ['-rm', ...inside], { encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
