import { spawn } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What a command did, as the kernel saw it. Paths are absolute, with links resolved. */
export interface Trace {
  /** Files that were executed. */
  readonly programs: ReadonlySet<string>;
  /** Files and folders that were opened for reading. */
  readonly reads: ReadonlySet<string>;
  /** Files that were opened for writing, made, renamed, removed or changed otherwise. */
  readonly writes: ReadonlySet<string>;
  /** Addresses that were contacted, other than sockets of this machine. */
  readonly hosts: ReadonlySet<string>;
  /** What it printed, including errors, up to `OUTPUT_LIMIT`. */
  readonly output: string;
  /** Undefined: it was ended. */
  readonly code: number | undefined;
}

export interface Run {
  readonly line: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds after which it is ended. */
  readonly limit: number;
}

/** System calls that are recorded. */
export const TRACED_CALLS: readonly string[] = [
  ...['execve', 'execveat', 'open', 'openat', 'openat2', 'creat', 'connect', 'sendto', 'sendmsg'],
  ...['mkdir', 'mkdirat', 'rename', 'renameat', 'renameat2', 'unlink', 'unlinkat', 'rmdir'],
  ...['link', 'linkat', 'symlink', 'symlinkat', 'truncate', 'chmod', 'fchmodat', 'chown'],
  ...['lchown', 'fchownat', 'utimensat', 'mknod', 'mknodat', 'sendmmsg'],
];

/** Runs a line in bash, without input, and records its system calls with strace. */
export async function traceCommand({ line, cwd, env, limit }: Run): Promise<Trace> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-trace-'));
  try {
    const options = ['-ff', '-qq', '-y', '-s', '4096', '-e', 'signal=none', '--seccomp-bpf'];
    const args = [...options, '-e', `trace=${TRACED_CALLS.map((call) => `?${call}`).join()}`];
    const to = ['-o', path.join(folder, 't'), 'bash', '-c', line];
    const out = path.join(folder, 'output');
    const code = await run('strace', [...args, ...to], { cwd, env, limit, out });
    const lines = readdirSync(folder)
      .filter((name) => name.startsWith('t.'))
      .flatMap((name) => readFileSync(path.join(folder, name), 'utf8').split('\n'));
    return { ...parseTrace(lines), code, output: readOutput(out) };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** How many bytes of the output are read; what never ends prints more than a string can hold. */
const OUTPUT_LIMIT = 16 * 1024 * 1024;

function readOutput(file: string): string {
  const fd = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(OUTPUT_LIMIT);
    return bytes.toString('latin1', 0, readSync(fd, bytes));
  } finally {
    closeSync(fd);
  }
}

function run(
  program: string,
  args: readonly string[],
  { cwd, env, limit, out }: Omit<Run, 'line'> & { readonly out: string },
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const fd = openSync(out, 'w');
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', fd, fd], detached: true });
    closeSync(fd);
    // The processes of the command are in the group of strace. They end with this one, too.
    const end = () => void (child.pid && process.kill(-child.pid, 'SIGKILL'));
    process.once('exit', end);
    const timer = setTimeout(end, limit);
    child.once('error', reject);
    child.once('exit', (code) => {
      process.off('exit', end);
      clearTimeout(timer);
      resolve(code ?? undefined);
    });
  });
}

/** Reads lines of `strace -ff -y`. Failed calls don't count, except attempts to connect. */
export function parseTrace(lines: readonly string[]): Omit<Trace, 'code' | 'output'> & {
  readonly writes: Set<string>;
} {
  const programs = new Set<string>();
  const reads = new Set<string>();
  const writes = new Set<string>();
  const hosts = new Set<string>();
  for (const line of lines) {
    const [, name = '', args = '', result = ''] =
      /^(\w+)\((.*)\)\s+= (-?\d+(?:<.*>)?|\?).*$/s.exec(line) ?? [];
    if (/^(connect|send)/.test(name)) {
      const address = toAddress(args);
      if (address !== undefined) hosts.add(address);
      continue;
    }
    if (name === '' || result.startsWith('-') || result === '?') continue;
    if (name.startsWith('execve')) programs.add(toPath(args) ?? '?');
    else if (/^(open|creat)/.test(name)) {
      const opened = /<(.*)>$/.exec(result)?.[1] ?? '?';
      if (name === 'creat' || WRITING.test(args)) writes.add(opened);
      // A place only: what is opened from it is recorded by itself.
      else if (!/\bO_PATH\b/.test(args)) reads.add(opened);
    } else writes.add(toPath(args) ?? '?');
  }
  for (const each of [...writes].filter((file) => HARMLESS.test(file))) writes.delete(each);
  return { programs, reads, writes, hosts };
}

const WRITING = /\b(O_WRONLY|O_RDWR|O_CREAT|O_TRUNC)\b(?!.*O_TMPFILE)/;
/** Devices, and settings of the process itself. A file made with O_TMPFILE has no name. */
const HARMLESS =
  /^(?:\/dev\/(?:null|tty|ptmx|pts\/\d+|stderr|stdout)|\/proc\/\d+\/(?:task\/.*\/)?\w+)$/;

/** The path of the first argument that is one, below the folder that precedes it. */
function toPath(args: string): string | undefined {
  const [, folder, name] = /^(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"/.exec(args) ?? [];
  if (name === undefined) return undefined;
  return folder === undefined ? name : path.resolve(folder, name);
}

function toAddress(args: string): string | undefined {
  if (!/sa_family=AF_INET6?\b/.test(args)) return undefined;
  const host = /inet_(?:addr|pton)\((?:AF_INET6, )?"([^"]*)"/.exec(args)?.[1];
  const port = /sin6?_port=htons\((\d+)\)/.exec(args)?.[1];
  return `${host}:${port}`;
}
