import { lstatSync, opendirSync, statfsSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The clock of a file system, which is coarser than the processor's, and which somebody may set back. */
export interface FileClock {
  /** Nanoseconds since the epoch. */
  read(): bigint;
  /** By how many of them it was set back between two reads, at most; 0 if it was not. */
  setBack(): bigint;
}

/** `now`: milliseconds by a clock that nobody sets. The folder exists. */
export function createFileClock(
  folder: string,
  read = () => touch(folder),
  now = () => performance.now(),
): FileClock {
  let highest = Number.NEGATIVE_INFINITY;
  let back = 0;
  return {
    read() {
      const before = now();
      const time = read();
      const after = now();
      const ms = Number(time) / NS_A_MS;
      // However long each of the three took, it is not taken for a step.
      back = Math.max(back, highest - (ms + COARSE_MS - before));
      highest = Math.max(highest, ms - after);
      return time;
    },
    setBack: () => (back > COARSE_MS ? BigInt(Math.ceil(back + COARSE_MS)) * BigInt(NS_A_MS) : 0n),
  };
}

const NS_A_MS = 1_000_000;
/** How far the clock of a file system is behind the processor's at most, in milliseconds. */
const COARSE_MS = 20;

function touch(folder: string): bigint {
  const file = path.join(folder, 'clock');
  try {
    // Writing to a file that is there may wait for the disk.
    utimesSync(file, 0, 0);
  } catch {
    writeFileSync(file, '');
  }
  return statSync(file, { bigint: true }).ctimeNs;
}

/** Why the times of files don't tell what somebody saved while a command ran. */
export type Untimed = 'otherClock' | 'wholeSeconds';

/** Undefined: they tell it. */
export function findUntimed(folder: string): Untimed | undefined {
  if (hasOtherClock(folder)) return 'otherClock';
  return notesWholeSeconds(folder) ? 'wholeSeconds' : undefined;
}

/**
 * Whether the file system of a folder notes times in seconds, as FAT and older ones of Linux do: a file that is saved in
 * the second in which a command begins looks older than the command. The folder and some of its files are looked at.
 * `read` replaces the system's time of the last change in tests, in nanoseconds.
 */
export function notesWholeSeconds(folder: string, read = readChanged): boolean {
  const isWholeSecond = (file: string) => read(file) % NS_A_SECOND === 0n;
  if (!isWholeSecond(folder)) return false;
  const opened = opendirSync(folder);
  try {
    for (let left = MOST_LOOKED; left > 0; left -= 1) {
      const entry = opened.readSync();
      if (entry === null) return true;
      if (!isWholeSecond(path.join(folder, entry.name))) return false;
    }
    return true;
  } finally {
    opened.closeSync();
  }
}

function readChanged(file: string): bigint {
  return lstatSync(file, { bigint: true, throwIfNoEntry: false })?.ctimeNs ?? 0n;
}

const NS_A_SECOND = 1_000_000_000n;
const MOST_LOOKED = 50;

/** Whether the times of files in a folder may be by the clock of another machine: a server, or the one that shares it. */
export function hasOtherClock(folder: string, type = statfsSync(folder).type): boolean {
  // Types are 32 bits, which some platforms sign.
  return SHARED.has(type >>> 0);
}

/** The file systems of `statfs`(2) whose files lie on another machine, or may do. */
const SHARED: ReadonlySet<number> = new Set([
  ...[0x6969, 0x517b, 0xff534d42, 0xfe534d42], // NFS, SMB
  ...[0x65735546, 0x01021997, 0x786f4256], // FUSE, with virtiofs and sshfs; 9P; VirtualBox
  ...[0x00c36400, 0x5346414f, 0x6b414653, 0x0bd00bd0, 0x013661, 0x47504653], // Ceph, AFS, Lustre, GPFS
]);
