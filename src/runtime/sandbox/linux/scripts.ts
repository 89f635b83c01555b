import { ARRIVED, EXPECTED, FOR_COMMAND, INFO_FD, REPORT_FD } from './argv.ts';
import { SYSTEM_PATH } from './programs.ts';

/**
 * Fails unless the last mount on each of these paths is the one that is given: device, root and path, or `overlay`,
 * root and path.
 */
const HOLD = `hold() { local l r t w p f m; local -A on kind; set -f; mapfile -t m </proc/self/mountinfo
for l in "\${m[@]}"; do f=($l); r=\${f[3]} t=
case $l in *' - nfs'*) r=/;; *' - overlay '*) t=overlay;; esac
on[\${f[4]}]="\${f[2]} $r" kind[\${f[4]}]="$t $r"; done
for w; do p=\${w##* }
[ "\${on[$p]}" = "\${w% *}" ] || [ "\${kind[$p]}" = "\${w% *}" ] || { echo moved >&${REPORT_FD}; return 1; }; done
set +f; }`;

/** Begins with `|` where a program of the system takes core dumps, with its own rights and outside of every sandbox. */
export const CORE_PATTERN = '/proc/sys/kernel/core_pattern';

/**
 * Runs on the host before bwrap: closes what the editor left open, lets the kernel end the sandbox first
 * when memory runs out, lets nothing dump its core (a limit of one byte is the only one that such a program is not started
 * for), and mounts the copies in a namespace that ends with the run. `$2` is the last descriptor that
 * stays open, `$3` the program that mounts: a folder on PATH may be one of the workspace. `$4` is the number of mounts
 * that follow, of the folders that are copied. bwrap reports its first process where the wrapper reports.
 */
export const SETUP = `set -e
${HOLD}
for f in /proc/$$/fd/*; do f=\${f##*/}
[ "$f" -le "$2" ] || eval "exec $f>&-" 2>/dev/null || :; done
echo 1000 >/proc/self/oom_score_adj 2>/dev/null || :
c=; read -r c <${CORE_PATTERN} 2>/dev/null || :
if [ "\${c:0:1}" = "|" ]; then (PATH=${SYSTEM_PATH}; exec prlimit --core=1:1 --pid $$) 2>/dev/null || :
else ulimit -c 0 2>/dev/null || :; fi
if [ -n "$1" ]; then "$3" -a -T "$1"; hold "\${@:5:$4}"; fi
shift $(($4 + 4))
exec ${INFO_FD}>&${REPORT_FD} "$@"`;

/**
 * Variables that bash sets itself, doesn't let anyone set, or acts on at once. The command gets them from `env`, since a shell
 * can't pass them on. None of them holds a secret, which a command line would show.
 */
const OF_BASH =
  '_|BASH|BASHOPTS|BASHPID|BASH_ALIASES|BASH_ARGC|BASH_ARGV|BASH_ARGV0|BASH_CMDS|BASH_COMMAND|BASH_COMPAT|BASH_LINENO|BASH_MONOSECONDS|BASH_SOURCE|BASH_SUBSHELL|BASH_VERSINFO|BASH_XTRACEFD|COMP_WORDBREAKS|DIRSTACK|EPOCHREALTIME|EPOCHSECONDS|EUID|EXECIGNORE|FUNCNAME|GROUPS|HISTCMD|LINENO|OPTIND|PIPESTATUS|POSIXLY_CORRECT|PPID|RANDOM|SECONDS|SHELLOPTS|SRANDOM|UID';

/**
 * Runs in the sandbox around the command, if that is whole: starts the bridge to the proxy if it is given one, reports that
 * it began, and the kernel's network counters when it has ended. A wrapper without a command waits for one on descriptor 6,
 * each word ended by a NUL. Only the command gets its own variables. Then it ends what the command left running, because
 * bwrap exits before that is gone. The shell's own words about a killed command go nowhere. Only in a namespace of its own
 * is the wrapper process 2: elsewhere it ends nothing. First of all, the mounts have to be those that were meant. The limit of
 * processes is set here, where the kernel counts those of the sandbox; outside it would count all threads of the user.
 */
export const WRAP = `[ "$${ARRIVED}" = yes ] || exit 1; unset ${ARRIVED}
${HOLD}
mapfile -t GATE_M <${EXPECTED} && [ \${#GATE_M[@]} -gt 0 ] && hold "\${GATE_M[@]}" || exit 1
ulimit -u 2000 2>/dev/null || :
if [ -n "$1" ]; then
read -r -t 10 GATE_UP < <(PATH=${SYSTEM_PATH}; exec perl -e "$1" 2>/dev/null 3>&- 4>&- 5>&-); [ "$GATE_UP" = up ] || exit 1; fi
shift
if [ $# -eq 0 ]; then mapfile -d '' -t GATE_W <&6; set -- "\${GATE_W[@]}"; [ $# -gt 0 ] || exit 1; fi
echo began >&4
exec 6>&2 2>/dev/null
( GATE_E=()
for GATE_SET in "\${!${FOR_COMMAND}@}"; do
case \${!GATE_SET%%=*} in ${OF_BASH}) GATE_E+=("\${!GATE_SET}");; *) export "\${!GATE_SET}";; esac
unset "$GATE_SET"; done
[ "\${#GATE_E[@]}" = 0 ] || set -- /usr/bin/env "\${GATE_E[@]}" "$@"
exec "$@" ) 2>&6 3>&- 4>&- 5>&- 6>&-
s=$?
for f in /proc/net/snmp /proc/net/snmp6; do
mapfile -t n <$f && printf '%s\\n' "\${n[@]}" >&4; done
[ $$ -eq 2 ] && [ $PPID -eq 1 ] || exit $s
kill -9 -1
for i in {1..400}; do n=(/proc/[0-9]*); [ \${#n[@]} -le 2 ] && break; read -t 0.005 <&4; done
exit $s`;

/** A copy-on-write mount: its four folders lie in `folder`, relative to where mount runs. */
export interface LayeredMount {
  readonly lower: string;
  /** `l` (mount point of the lower tree), `u` (upper), `w` (work), `m` (the merged tree). */
  readonly folder: string;
}

/** The table that mounts the overlays; the lower tree has a mount of its own, since options can't quote. */
export function toMountTable(
  overlays: readonly LayeredMount[],
  base: string,
  isRoot: boolean,
): string {
  const options = isRoot
    ? 'redirect_dir=off,index=off,metacopy=off,volatile'
    : 'userxattr,volatile';
  const lines = overlays.flatMap(({ lower, folder }) => [
    `${quote(lower)} ${quote(`${base}/${folder}/l`)} none bind 0 0`,
    `overlay ${quote(`${base}/${folder}/m`)} overlay lowerdir=${folder}/l,upperdir=${folder}/u,workdir=${folder}/w,${options} 0 0`,
  ]);
  return lines.map((line) => `${line}\n`).join('');
}

function quote(file: string): string {
  return file.replaceAll(
    /[ \t\n\\#]/g,
    (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
}
