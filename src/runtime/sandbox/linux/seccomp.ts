import { DENIED_CALLS, INSPECTED_CALLS } from './systemCalls.ts';

/** The machines that have a filter. */
export type Machine = 'x64' | 'arm64';

/**
 * The system call filter: classic BPF, as `bwrap --seccomp` reads it. Foreign ABIs and io_uring look as
 * if the kernel had none; sockets are Unix, IPv4, IPv6 and netlink only, because AF_VSOCK ignores
 * network namespaces.
 */
export function buildFilter(machine: Machine): Buffer {
  const column = machine === 'x64' ? 0 : 1;
  const program: Instruction[] = [
    load(ARCHITECTURE),
    when(JEQ, MACHINES[machine], 1, 0),
    fail(ENOSYS),
    load(NUMBER),
    // The x32 ABI of x86-64.
    ...(machine === 'x64' ? [when(JGE, 0x4000_0000, 0, 1), fail(ENOSYS)] : []),
  ];
  for (const [name, numbers] of Object.entries(DENIED_CALLS)) {
    const number = numbers[column] ?? -1;
    if (number < 0) continue;
    program.push(when(JEQ, number, 0, 1), fail(name.startsWith('io_uring') ? ENOSYS : EPERM));
  }
  program.push(...checkSocket(INSPECTED_CALLS.socket[column]));
  program.push(...checkTerminal(INSPECTED_CALLS.ioctl[column]));
  program.push(...checkTrace(INSPECTED_CALLS.ptrace[column]));
  program.push(...keepCoreLimit(INSPECTED_CALLS.setrlimit[column]));
  program.push(...keepCoreLimit64(INSPECTED_CALLS.prlimit64[column]));
  program.push(...checkClone(INSPECTED_CALLS.clone[column], INSPECTED_CALLS.clone3[column]));
  program.push(ALLOW);
  return encode(program);
}

/** One `struct sock_filter`: code, jumps when true and when false, and a constant. */
type Instruction = readonly [code: number, onTrue: number, onFalse: number, k: number];

const MACHINES = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];
const [LOAD, JEQ, JGE, JSET, RETURN] = [0x20, 0x15, 0x35, 0x45, 0x06];
// Offsets in `struct seccomp_data`; of an argument, the low half.
const [NUMBER, ARCHITECTURE, FIRST, SECOND, THIRD] = [0, 4, 16, 24, 32];
const ALLOW: Instruction = [RETURN, 0, 0, 0x7fff_0000];
const FAMILIES = { unix: 1, inet: 2, inet6: 10, netlink: 16 };
/** CLONE_NEW… for all namespaces. */
const NEW_NAMESPACE = 0x7e02_0080;
/** Both put input into a terminal. */
const [TIOCSTI, TIOCLINUX] = [0x5412, 0x541c];

function load(offset: number): Instruction {
  return [LOAD, 0, 0, offset];
}

function when(code: number, k: number, onTrue: number, onFalse: number): Instruction {
  return [code, onTrue, onFalse, k];
}

function fail(errno: number): Instruction {
  return [RETURN, 0, 0, 0x0005_0000 | errno];
}

function checkSocket(socket: number): readonly Instruction[] {
  const families = Object.values(FAMILIES);
  const count = families.length;
  return [
    when(JEQ, socket, 0, count + 3),
    load(FIRST),
    ...families.map((family, index) => when(JEQ, family, count - index, 0)),
    fail(EAFNOSUPPORT),
    ALLOW,
  ];
}

function checkTerminal(ioctl: number): readonly Instruction[] {
  return [
    load(NUMBER),
    when(JEQ, ioctl, 0, 4),
    load(SECOND),
    when(JEQ, TIOCSTI, 1, 0),
    when(JEQ, TIOCLINUX, 0, 1),
    fail(EPERM),
    load(NUMBER),
  ];
}

/** Process 1 ends the sandbox with the host, unless someone else has it under control. */
function checkTrace(ptrace: number): readonly Instruction[] {
  return [when(JEQ, ptrace, 0, 4), load(SECOND), when(JEQ, 1, 0, 1), fail(EPERM), load(NUMBER)];
}

/**
 * The limit of core dumps stays as the sandbox sets it: one of 0 would start the system's handler, outside. Programs
 * that lower it, so that none is written, are told that this was done.
 */
function keepCoreLimit(setrlimit: number): readonly Instruction[] {
  return [
    when(JEQ, setrlimit, 0, 4),
    load(FIRST),
    when(JEQ, RLIMIT_CORE, 0, 1),
    fail(0),
    load(NUMBER),
  ];
}

/** The same of prlimit64, which only reads the limit where its third argument is no address. */
function keepCoreLimit64(prlimit64: number): readonly Instruction[] {
  return [
    when(JEQ, prlimit64, 0, 8),
    load(SECOND),
    when(JEQ, RLIMIT_CORE, 0, 5),
    load(THIRD),
    when(JEQ, 0, 0, 2),
    load(THIRD + 4),
    when(JEQ, 0, 1, 0),
    fail(0),
    load(NUMBER),
  ];
}

const RLIMIT_CORE = 4;

/** What clone3 is asked for lies in memory, where a filter can't look; the C library falls back. */
function checkClone(clone: number, clone3: number): readonly Instruction[] {
  return [
    when(JEQ, clone3, 0, 1),
    fail(ENOSYS),
    when(JEQ, clone, 0, 3),
    load(FIRST),
    when(JSET, NEW_NAMESPACE, 0, 1),
    fail(EPERM),
  ];
}

function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, onTrue, onFalse, k], index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(onTrue, index * 8 + 2);
    bytes.writeUInt8(onFalse, index * 8 + 3);
    bytes.writeUInt32LE(k >>> 0, index * 8 + 4);
  });
  return bytes;
}
