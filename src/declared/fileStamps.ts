import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { getCode } from '../base/faults.ts';
import type { Surroundings } from './manifest/parseSurroundings.ts';

/** Records the state of files and folders before they are read. */
export interface FileStamps {
  /** Records a file or folder, existing or not, before it is read. */
  add(file: string): void;
  /** Wraps surroundings so that everything read through them is recorded. */
  record(surroundings: Surroundings): Surroundings;
  /** Whether nothing recorded has changed. */
  hold(): Promise<boolean>;
}

/** Some file systems have timestamps of two seconds: a younger file may change without a new one. */
const YOUNG_MS = 2_000;

/** Files that are checked concurrently. */
const BATCH = 64;

export function createFileStamps(now: () => number): FileStamps {
  const stamps = new Map<string, string>();
  let isYoung = false;
  function add(file: string): void {
    if (stamps.has(file)) return;
    const { stamp, changed } = lookAt(file);
    stamps.set(file, stamp);
    isYoung ||= changed > now() - YOUNG_MS;
  }
  return {
    add,
    record: (surroundings) => ({
      ...surroundings,
      read(file) {
        add(file);
        return surroundings.read(file);
      },
      program(file) {
        add(file);
        return surroundings.program(file);
      },
    }),
    async hold() {
      if (isYoung) return false;
      const known = [...stamps];
      for (let at = 0; at < known.length; at += BATCH) {
        const batch = known.slice(at, at + BATCH);
        const same = await Promise.all(
          batch.map(async ([file, stamp]) => stamp === (await lookAgain(file))),
        );
        if (same.includes(false)) return false;
      }
      return true;
    },
  };
}

interface Facts {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mode: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

function lookAt(file: string): { readonly stamp: string; readonly changed: number } {
  try {
    const facts = statSync(file, { bigint: true });
    const changed = Math.max(Number(facts.mtimeMs), Number(facts.ctimeMs));
    return { stamp: toStamp(facts), changed };
  } catch (error) {
    return { stamp: String(getCode(error)), changed: 0 };
  }
}

async function lookAgain(file: string): Promise<string> {
  try {
    return toStamp(await stat(file, { bigint: true }));
  } catch (error) {
    return String(getCode(error));
  }
}

function toStamp({ dev, ino, size, mode, mtimeNs, ctimeNs }: Facts): string {
  return [dev, ino, size, mode, mtimeNs, ctimeNs].join(' ');
}
