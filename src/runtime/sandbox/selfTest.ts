import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { makeFolders, tryToRemove } from './folders.ts';
import type { SandboxPrograms } from './linux/programs.ts';
import type { RunPlan } from './prepareRun.ts';
import { runInside } from './runInside.ts';

export interface SelfTestOptions {
  readonly programs: SandboxPrograms;
  /** An existing folder in which the test makes one of its own, and removes it. */
  readonly folder: string;
  /** Changes the options of bwrap, for tests. */
  readonly edit?: RunPlan['edit'];
}

/**
 * Tries to break out of a sandbox once. Undefined when everything held; otherwise one sentence that
 * says what didn't. Takes about 60 ms.
 */
export async function runSelfTest(options: SelfTestOptions): Promise<string | undefined> {
  const base = mkdtempSync(path.join(options.folder, 'selftest-'));
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  try {
    const port = await listen(server);
    const stage = makeStage(base);
    const plan: RunPlan = {
      ...options,
      folder: stage.copy,
      home: stage.home,
      workspace: [stage.workspace],
      masks: [path.join(stage.workspace, 'masked')],
    };
    const given = [stage.outside, stage.workspace, String(port), namespaces()];
    const argv = ['bash', '-c', PROBES, 'bash', ...given] as const;
    const ran = await runInside(plan, { argv, cwd: stage.workspace });
    if (!ran.ok) return toFault(ran.error);
    const printed = ran.data.toString();
    const open = [...printed.matchAll(/^OPEN (.*)$/gm)].map(([, name]) => name);
    if (!printed.includes('DONE')) open.push('the probes did not end');
    if (connections > 0) open.push('it reached the network');
    if (existsSync(path.join(stage.outside, 'written')))
      open.push('it wrote outside the workspace');
    if (readFileSync(path.join(stage.workspace, 'own'), 'utf8') !== 'own') {
      open.push('it changed the workspace');
    }
    return open.length === 0 ? undefined : `The sandbox does not hold here: ${open[0]}.`;
  } finally {
    server.close();
    tryToRemove(base);
  }
}

function makeStage(base: string) {
  const folder = (name: string) => {
    mkdirSync(path.join(base, name));
    return path.join(base, name);
  };
  const stage = {
    copy: folder('copy'),
    home: folder('home'),
    workspace: folder('workspace'),
    outside: folder('outside'),
  };
  makeFolders(stage.copy, 1);
  writeFileSync(path.join(stage.outside, 'secret'), SECRET);
  writeFileSync(path.join(stage.workspace, 'masked'), SECRET);
  writeFileSync(path.join(stage.workspace, 'own'), 'own');
  return stage;
}

const SECRET = 'secret of the self-test';

/** Each line that begins with OPEN is a hole. Only bash itself and /proc are needed. */
const PROBES = `out=$1 ws=$2 port=$3
exec 2>/dev/null
open() { echo "OPEN $*"; }
echo x >"$out/written"; 
for d in / /usr /etc; do echo x >$d/gatehouse-probe && open it wrote in the system folders; done
[ -e "$out/secret" ] && open it sees files outside the workspace
grep -q . "$ws/masked" && open it reads a hidden file
echo changed >"$ws/own" || open the copy is not writable
exec 3<>/dev/tcp/127.0.0.1/$port && open it reached the network
s=$(</proc/self/status)
[[ $s == *CapEff:$'\\t'0000000000000000* ]] || open it has capabilities
[[ $s == *CapBnd:$'\\t'0000000000000000* ]] || open it could gain capabilities
[[ $s == *NoNewPrivs:$'\\t'1* ]] || open it could gain privileges
[[ $s == *Seccomp:$'\\t'2* ]] || open system calls are not filtered
[ -w /proc/sys/kernel/core_pattern ] && open it can change the kernel
[ $$ -lt 20 ] && [ $PPID -eq 2 ] && [ -e /proc/2/comm ] || open it sees processes of the host
[ -e /proc/1/comm ] && open it can reach process 1
unshare -U true && open it can make user namespaces
read -r -a n </proc/self/stat; [ "\${n[5]}" != 0 ] || open it shares the terminal of the host
for f in user pid ipc uts net cgroup; do [[ " $4 " == *" $(readlink /proc/self/ns/$f) "* ]] && open it shares a namespace of the host: $f; done
[ "$HOSTNAME" = sandbox ] || open it has the name of the host
for f in /proc/$$/fd/*; do case \${f##*/} in 0|1|2|3|'*') ;; *) [ -e "$f" ] && open it has a descriptor of the host;; esac; done
echo DONE
exit 0`;

/** What the programs print where they get no namespaces, and where nothing can be laid over the workspace. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [
    /wrong fs type.*overlay|filesystem on .* not supported as upperdir/i,
    "Gatehouse's data folder lies on a file system that can't hold a copy, such as overlayfs",
  ],
  [
    /unshare failed|namespace|(mount|bwrap): .*(permission denied|operation not permitted)/i,
    'user namespaces are turned off or restricted, as in many containers',
  ],
];

function toFault(error: string): string {
  const line = oneLine(error);
  const [, cause] = CAUSES.find(([printed]) => printed.test(error)) ?? [];
  return cause === undefined
    ? `The sandbox can't be started here: ${line}`
    : `The sandbox can't be started here, because ${cause}.`;
}

/** The host's namespaces, none of which the sandbox may share. */
function namespaces(): string {
  const folder = '/proc/self/ns';
  return readdirSync(folder)
    .map((name) => readlinkSync(path.join(folder, name)))
    .join(' ');
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 200);
}
