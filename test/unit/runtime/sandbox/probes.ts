import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import {
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import type { ConfinedStart } from '../../../../src/runtime/confined.ts';
import { FakeClock } from '../../extension/fakeClock.ts';
import { openSandboxBed, type SandboxBed } from './bed.ts';
import { runLiveProbes } from './liveProbes.ts';

/** One attempt to get out of the sandbox. Bash and perl are all that it needs. */
interface Probe {
  readonly name: string;
  readonly command: string;
  /** Whether the sandbox held, by what the attempt printed and by what happened outside. */
  holds(output: string): boolean;
  /** It ends the other processes of its sandbox, so it needs one of its own. */
  readonly alone?: boolean;
}

interface World {
  readonly bed: SandboxBed;
  readonly port: number;
  readonly udp: number;
  readonly victim: ChildProcess;
  /** What reached a listener of the host. */
  readonly hits: string[];
  readonly socket: string;
  readonly abstract: string;
}

/** Runs all probes; the names of those that got out, with what they printed, and how many ran. */
export async function runProbes(
  env: NodeJS.ProcessEnv = {},
): Promise<{ open: readonly string[]; count: number }> {
  const clock = new FakeClock();
  await using bed = await openSandboxBed({ PROBE_TOKEN: SECRET, PROBE: SECRET, ...env }, {}, clock);
  if (!bed.sandbox.state.proven) return { open: [bed.sandbox.state.reason], count: 0 };
  makeFiles(bed);
  const hits: string[] = [];
  const socket = path.join(bed.outside, 'docker.sock');
  const abstract = `sandbox-probe-${process.pid}`;
  const tcp = await listen({ port: 0, host: '127.0.0.1' }, () => hits.push('tcp'));
  const servers = [
    tcp,
    await listen({ path: socket }, () => hits.push('unix')),
    await listen({ path: path.join(bed.workspace, 's') }, () => hits.push('unix in workspace')),
    await listen({ path: `\0${abstract}` }, () => hits.push('abstract')),
  ];
  const udp = createSocket('udp4').on('message', () => hits.push('udp'));
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
  const victim = spawn('sleep', ['120']);
  const address = tcp.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const world = { bed, port, udp: udp.address().port, victim, hits, socket, abstract };
  try {
    const inCopy = await tryAll(world, toProbes(world));
    const ready = await tryAllReady(world, toProbes(world), clock);
    const live = await runLiveProbes(bed);
    return {
      open: [...inCopy.open, ...ready.open, ...live.open],
      count: inCopy.count + ready.count + live.count,
    };
  } finally {
    victim.kill('SIGKILL');
    for (const server of servers) server.close();
    udp.close();
  }
}

const SECRET = 'probe-secret';

async function tryAll({ bed }: World, probes: readonly Probe[]) {
  const held = await bed.hold();
  const masks = [path.join(bed.workspace, '.env')];
  const outputs = new Map<string, string>();
  const together = probes.filter(({ alone }) => !alone);
  const script = together.map(({ command }) => `echo '${MARK}'\n(cd "$PWD"\n${command}\n) 2>&1`);
  const ran = await bed.run(held.start({ masks }), script.join('\n'));
  ran.output
    .split(`${MARK}\n`)
    .slice(1)
    .forEach((text, index) => void outputs.set(together[index]?.name ?? '', text));
  for (const { name, command } of probes.filter(({ alone }) => alone)) {
    outputs.set(name, (await bed.run(held.start({ masks }), command)).output);
  }
  held.release();
  const open = probes.filter(({ name, holds }) => !holds(outputs.get(name) ?? 'OPEN not run'));
  return {
    open: open.map(({ name }) => `${name}: ${outputs.get(name)}`),
    count: probes.length,
  };
}

const MARK = '=== probe';

/** The same in sandboxes that were built before their commands were known. */
async function tryAllReady({ bed }: World, probes: readonly Probe[], clock: FakeClock) {
  const masks = [path.join(bed.workspace, '.env')];
  const open: string[] = [];
  const run = async (command: string): Promise<[output: string, isReady: boolean]> => {
    clock.tick(20);
    const held = await bed.hold();
    const start = held.start({ masks });
    let isReady = false;
    const watched: ConfinedStart = {
      async prepare(launch) {
        const prepared = await start.prepare(launch);
        isReady = prepared.ok && prepared.data.ahead !== undefined;
        return prepared;
      },
    };
    const { output } = await bed.run(watched, command);
    held.release();
    return [output, isReady];
  };
  await run('true');
  for (const { name, command, holds } of probes) {
    const [output, isReady] = await run(`(${command}\n) 2>&1`);
    if (!isReady || !holds(output)) open.push(`${name}, built before (${isReady}): ${output}`);
  }
  return { open, count: probes.length };
}

function makeFiles({ workspace, outside, home }: SandboxBed): void {
  for (const folder of [`${home}/.ssh`, `${home}/.aws`, `${workspace}/.git/hooks`])
    mkdirSync(folder, { recursive: true });
  for (const file of [`${home}/.ssh/id_rsa`, `${home}/.aws/credentials`, `${outside}/other`])
    writeFileSync(file, SECRET);
  writeFileSync(`${workspace}/.env`, SECRET);
  writeFileSync(`${workspace}/a`, 'own');
  writeFileSync(`${workspace}/.git/config`, '[core]\n');
  symlinkSync(outside, `${workspace}/link`);
  linkSync(`${outside}/other`, `${workspace}/hard`);
  // What the editor left open must not reach the sandbox.
  openSync(`${outside}/other`, 'r');
}

function toProbes(world: World): readonly Probe[] {
  return [
    ...fileProbes(world),
    ...networkProbes(world),
    ...kernelProbes(),
    ...processProbes(world),
  ];
}

const closed = (output: string) => !output.includes('OPEN');
const secret = (output: string) => !output.includes(SECRET) && closed(output);

function fileProbes({ bed }: World): readonly Probe[] {
  const { workspace: ws, outside: out, home } = bed;
  const isOwn = () => readFileSync(`${ws}/a`, 'utf8') === 'own' && existsSync(`${ws}/.git/config`);
  return [
    {
      name: 'write outside',
      command: `echo x >${out}/w`,
      holds: () => !existsSync(`${out}/w`),
    },
    {
      name: 'write through links',
      command: 'echo x >link/w2; echo x >hard',
      holds: () => !existsSync(`${out}/w2`) && readFileSync(`${out}/other`, 'utf8') === SECRET,
    },
    {
      name: 'write in system folders',
      command: 'for d in /usr /etc /opt /bin /; do echo x >$d/probe && echo OPEN; done; true',
      holds: closed,
    },
    {
      name: 'change the workspace',
      command: 'echo x >a; rm -rf .git; echo x >new',
      holds: () => isOwn() && !existsSync(`${ws}/new`),
    },
    {
      name: 'remount writable',
      command:
        'for d in / /usr /etc; do mount -o remount,rw,bind $d && echo OPEN; touch $d/p && echo OPEN; done; true',
      holds: closed,
    },
    {
      name: 'unmount a mask or the copy',
      command: `umount -l ${ws}; umount ${ws}/.env; cat ${ws}/.env; echo x >${ws}/b2`,
      holds: (output) => secret(output) && !existsSync(`${ws}/b2`),
    },
    {
      name: 'read secrets of HOME',
      command: `cat ${home}/.ssh/id_rsa ~/.aws/credentials; ls -A ~ | grep -q ssh && echo OPEN; true`,
      holds: secret,
    },
    {
      name: 'read a masked file',
      command: `cat .env /proc/self/root${ws}/.env; cp .env z && cat z; mv .env q; cat q; ln .env h; cat h`,
      holds: secret,
    },
    {
      name: 'read other projects',
      command: `cat ${out}/other link/other; ls ${out} && echo OPEN; true`,
      holds: secret,
    },
    {
      name: 'read private files of the system',
      command:
        'cat /etc/shadow /etc/gshadow /etc/ssl/private/* /etc/ssh/*_key 2>/dev/null | grep -q . && echo OPEN; true',
      holds: closed,
    },
    {
      name: 'write in HOME',
      command: 'echo x >~/.bashrc; mkdir -p ~/.config/autostart',
      holds: () => !existsSync(`${home}/.bashrc`) && !existsSync(`${home}/.config`),
    },
    {
      name: 'swap the folder over a protected file',
      command: 'mv .git g2; mkdir -p .git/hooks; echo evil >.git/hooks/pre-commit',
      holds: () => !existsSync(`${ws}/.git/hooks/pre-commit`),
    },
    {
      name: 'leave links, FIFOs and devices',
      command: `ln -s ${out}/other notes; rm a; ln -s / a; mkfifo pipe; mknod dev c 1 3`,
      holds: () => isOwn() && !existsSync(`${ws}/notes`),
    },
    {
      name: 'leave by the root of process 1',
      command: `cat /proc/1/root${out}/other /proc/1/cwd/../outside/other; ls /proc/1/root/home/.ssh && echo OPEN; true`,
      holds: secret,
    },
    {
      name: 'take over process 1',
      command: [
        'for f in /proc/1/mem /proc/1/task/1/mem /proc/2/root/proc/1/mem; do : >>$f && echo OPEN; done',
        ...[16, 0x4206].map((request) =>
          process.arch === 'x64' ? call(101, request, 1, 0, 0) : '',
        ),
      ].join('\n'),
      holds: closed,
    },
    {
      name: 'overwrite programs through /proc',
      command:
        'for e in /proc/1/exe /proc/self/exe /proc/$PPID/exe; do echo x >>$e && echo OPEN; done; true',
      holds: closed,
    },
  ];
}

function networkProbes({ bed, port, udp, hits, socket, abstract }: World): readonly Probe[] {
  const connect = (address: string) =>
    `perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0); print "OPEN" if connect(S,pack_sockaddr_un(${address}))'`;
  return [
    {
      name: 'TCP to the host',
      command: `exec 3<>/dev/tcp/127.0.0.1/${port} && echo OPEN`,
      holds: (output) => closed(output) && !hits.includes('tcp'),
    },
    {
      name: 'UDP to the host',
      command: `echo x >/dev/udp/127.0.0.1/${udp}`,
      holds: () => !hits.includes('udp'),
    },
    {
      name: 'names and the metadata service',
      command:
        'getent hosts example.com && echo OPEN; exec 3<>/dev/tcp/169.254.169.254/80 && echo OPEN',
      holds: closed,
    },
    {
      name: 'Unix sockets by path',
      command: [
        socket,
        '/run/docker.sock',
        '/run/systemd/private',
        '/var/run/dbus/system_bus_socket',
      ]
        .map((file) => connect(`"${file}"`))
        .join('; '),
      holds: (output) => closed(output) && !hits.includes('unix'),
    },
    {
      name: 'a Unix socket of the workspace',
      command: connect(`"${bed.workspace}/s"`),
      holds: (output) => closed(output) && !hits.includes('unix in workspace'),
    },
    {
      name: 'an abstract Unix socket',
      command: connect(`"\\0${abstract}"`),
      holds: (output) => closed(output) && !hits.includes('abstract'),
    },
    {
      name: 'VSOCK, packet, crypto and Bluetooth sockets',
      command: `perl -e 'for ([40,1],[17,3],[38,5],[31,3]) { print "OPEN @$_" if socket(S,$$_[0],$$_[1],0) }'`,
      holds: closed,
    },
  ];
}

/** Numbers of x86-64; on other machines these calls are others or none, so they prove nothing there. */
const call = (...args: readonly (string | number)[]) =>
  `perl -e '$b="\\0"x256; $u="user"; $p="/etc/passwd"; $r=syscall(${args.join(',')}); print $r>=0 ? "OPEN" : "no $!"'`;

function kernelProbes(): readonly Probe[] {
  const denied = (name: string, ...commands: readonly string[]): Probe => ({
    name,
    command: process.arch === 'x64' ? commands.join('\n') : 'true',
    holds: closed,
  });
  return [
    denied('keyrings', call(250, 0, -3, 0), call(248, '$u', '$u', '$u', 1, -3)),
    denied('io_uring', call(425, 8, '$b')),
    denied('bpf', call(321, 0, '$b', 64)),
    denied('userfaultfd and perf', call(323, 1), call(298, '$b', 0, -1, -1, 0)),
    denied('file handles', call(303, -100, '$p', '$b', '$b', 0), call(304, -100, '$b', 0)),
    denied('namespaces', call(272, 0x10000000), call(308, 0, 0), call(155, '$p', '$p')),
    denied('the x32 ABI', call(0x40000000 + 39)),
    {
      name: 'new user namespace',
      command: 'unshare -Urm true && echo OPEN; unshare -U true && echo OPEN; true',
      holds: closed,
    },
    {
      name: 'settings of the kernel',
      command:
        'for f in sys/kernel/core_pattern sysrq-trigger sys/vm/drop_caches; do echo x >/proc/$f && echo OPEN; done; true',
      holds: (output) =>
        closed(output) && readFileSync('/proc/sys/kernel/core_pattern', 'utf8') !== 'x\n',
    },
    {
      name: 'devices',
      command:
        'mknod /tmp/blk b 254 0 && echo OPEN; for d in vda sda kmsg fuse kvm mem; do [ -e /dev/$d ] && echo OPEN; done; true',
      holds: closed,
    },
    {
      name: 'control groups',
      command:
        'mkdir /tmp/cg; mount -t cgroup2 none /tmp/cg && echo OPEN; ls /sys/fs/cgroup && echo OPEN; true',
      holds: closed,
    },
    {
      name: 'terminal input',
      command: `exec 3<>/dev/tty && echo OPEN; perl -e 'open(F,"+</dev/ptmx"); print "OPEN" if ioctl(F,0x5412,my $x="x")'`,
      holds: closed,
    },
    {
      name: 'privileges of set-user-id programs',
      command:
        "grep -q 'NoNewPrivs:.1' /proc/self/status || echo OPEN; grep -E 'Cap(Eff|Prm|Bnd)' /proc/self/status | grep -qv 0000000000000000 && echo OPEN; true",
      holds: closed,
    },
    {
      name: 'shared memory of the host',
      command: 'ipcmk -M 7654 >/dev/null; ls -A /dev/shm | grep -q . && echo OPEN; true',
      holds: (output) =>
        closed(output) && !/\b7654\b/.test(spawnSync('ipcs', ['-m']).stdout?.toString() ?? ''),
    },
  ];
}

function processProbes({ victim }: World): readonly Probe[] {
  const isAlive = () => victim.exitCode === null && victim.signalCode === null;
  return [
    {
      name: 'environment of the host',
      command: 'env; cat /proc/[0-9]*/environ | tr "\\0" "\\n"',
      holds: secret,
    },
    {
      name: 'inherited descriptors',
      command: 'ls -l /proc/$$/fd | grep outside && echo OPEN; true',
      holds: closed,
    },
    {
      name: 'processes of the host',
      command:
        '[ $(ls /proc | grep -cE "^[0-9]+$") -lt 15 ] || echo OPEN; pgrep -x node && echo OPEN; true',
      holds: closed,
    },
    {
      name: 'signals to the host',
      // The shell's own id says whether this is a namespace of its own: only there is the rest tried.
      command: `kill -9 ${victim.pid}; [ $$ -lt 20 ] && kill -9 -1`,
      holds: isAlive,
      alone: true,
    },
    {
      name: 'be the last one to end when memory runs out',
      command: `echo -1000 >/proc/self/oom_score_adj && echo OPEN; grep -qx 1000 /proc/self/oom_score_adj || echo OPEN`,
      holds: closed,
    },
    {
      name: 'a process that stays',
      command: `setsid nohup sleep 8${process.pid} >/dev/null 2>&1 &`,
      holds: () => spawnSync('pgrep', ['-f', `^sleep 8${process.pid}`]).status === 1,
      alone: true,
    },
  ];
}

function listen(where: object, onConnection: () => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      onConnection();
      socket.destroy();
    });
    server.once('error', reject);
    server.listen(where, () => resolve(server));
  });
}
