import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Lines for bash. Each leaves processes that sleep for a time no other test uses. */
export const SHAPES: Readonly<Record<string, string>> = {
  'a pipe': 'sleep 8675 | cat',
  'a subshell': '( ( sleep 8675 ) )',
  'a background job': 'sleep 8675 & wait',
  nohup: 'nohup sleep 8675 >/dev/null 2>&1 & wait',
  setsid: 'setsid sleep 8675 & setsid -w sleep 8675',
  'a trap': 'trap "" TERM INT HUP; while :; do sleep 8675; done',
  'a double fork': '( ( setsid sleep 8675 & ) & ); sleep 8675',
  'a zombie parent': `${process.execPath} parent.mjs`,
  'a stopped child': 'sleep 8675 & kill -STOP $!; wait',
  'a group without its leader':
    'exec 2>/dev/null; set -m; ( sleep 8675 & sleep 8675 & trap "" TERM ) & wait $!; set +m; sleep 8675',
  'a fork chain':
    'next() { (($1)) || return; sleep 0.01; next $(($1 - 1)) & }; next 400 & sleep 8675',
  'a detached fork chain': 'bash chain.sh 400 8675 & sleep 8675',
  'an inherited pipe': 'exec 3>&1; ( setsid sh -c "sleep 8675 >&3" & ); sleep 8675',
};

/**
 * `chain.sh` of a shape: each process starts its successor in another session and exits, so many times.
 * `left` says how many are still to come: a look at the processes may miss each of a fast chain.
 */
const CHAIN =
  '(($1)) || exit; echo "$1" > left; sleep "${3:-0.01}"; setsid bash "$0" $(($1 - 1)) "$2" "$3" &\n';

/** `parent.mjs` of a shape: its child ends unread, so it stays a zombie, while another one lives on. */
const ZOMBIE_PARENT = `import { spawn } from 'node:child_process';
spawn('sleep', ['8675'], { detached: true });
process.kill(spawn('sleep', ['8675']).pid, 'SIGKILL');
process.kill(process.pid, 'SIGSTOP');`;

/** Files that the lines need in their folder. */
export const SHAPE_FILES: Readonly<Record<string, string>> = {
  'chain.sh': CHAIN,
  'parent.mjs': ZOMBIE_PARENT,
};

/** At least so many sleepers run while all shapes do; the stopped child may not have become one. */
export const SLEEPERS = 17;

/** Processes whose command line names a sleeper. Of this folder only: other tests run at the same time. */
export function sleepersIn(folder: string, name = '8675'): readonly string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      if (/\) Z /.test(stat)) return false;
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      return command.includes(name) && readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false;
    }
  });
}
