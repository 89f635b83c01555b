import { statfsSync } from 'node:fs';
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { failure } from '../../base/outcome.ts';
import { MB } from '../../base/units.ts';
import type { PreparedRun } from '../confined.ts';
import { removeLargeFolder } from './folders.ts';

/** Ends a run that fills the disk of its copy, which the user was not asked about. */
export interface DiskRoom {
  /** The command begins. `end` kills everything in its sandbox. */
  onBegin(end: () => void): void;
  /** Empties the copy after such a run, which then fails with a sentence. */
  watch(run: PreparedRun): PreparedRun;
}

export function keepRoom(folder: string, clock: Clock): DiskRoom {
  let timer: Disposable | undefined;
  let filled = false;
  return {
    onBegin(end) {
      const before = measure(folder);
      const look = () => {
        filled = before !== undefined && isFilled(before, measure(folder) ?? before);
        if (filled) end();
        else timer = clock.after(LOOK_MS, look);
      };
      timer = clock.after(LOOK_MS, look);
    },
    watch: (run) => ({
      ...run,
      async after(cut) {
        const ended = await run.after(cut).finally(() => timer?.dispose());
        if (!filled) return ended;
        await removeLargeFolder(folder);
        return failure(FILLED);
      },
    }),
  };
}

const FILLED =
  "It was ended because it filled the disk that holds the copies, in Gatehouse's data folder. The copy was emptied.";

/** How often it looks: a disk writes less than the reserve meanwhile. */
const LOOK_MS = 250;

/** What others keep, or half of what there was. */
const RESERVED_BYTES = 1024 * MB;
const RESERVED_FILES = 50_000;
/** Files that one command may add, whatever the disk holds: they are removed one by one. */
const MOST_FILES = 1_000_000;

interface Room {
  readonly bytes: number;
  /** Zero where the file system has no limit. */
  readonly files: number;
}

function measure(folder: string): Room | undefined {
  try {
    const { bavail, bsize, ffree } = statfsSync(folder);
    return { bytes: bavail * bsize, files: ffree };
  } catch {
    // It can't be measured; the command gets the system's own error.
    return undefined;
  }
}

export function isFilled(before: Room, now: Room): boolean {
  if (now.bytes < Math.min(RESERVED_BYTES, before.bytes / 2)) return true;
  if (before.files === 0) return false;
  return (
    now.files < Math.min(RESERVED_FILES, before.files / 2) || before.files - now.files > MOST_FILES
  );
}
