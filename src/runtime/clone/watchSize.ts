import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { RunningProgram } from '../commands/startProgram.ts';

const EVERY_MS = 500;
/** Deeper and wider than what a fetch writes. */
const MOST_ENTRIES = 20_000;

/** Ends a program once a folder holds more than so many bytes. */
export function watchSize(folder: string, most: number) {
  let timer: NodeJS.Timeout | undefined;
  let over = false;
  const stop = () => {
    clearInterval(timer);
    over ||= measure(folder) > most;
  };
  return {
    watch(program: Pick<RunningProgram, 'end'>): void {
      timer = setInterval(() => {
        if (over || measure(folder) <= most) return;
        over = true;
        void program.end();
      }, EVERY_MS);
    },
    /** Looks once more. */
    stop,
    isOver: () => over,
  };
}

function measure(folder: string): number {
  let bytes = 0;
  let left = MOST_ENTRIES;
  const open = [folder];
  for (let next = open.pop(); next !== undefined && left > 0; next = open.pop()) {
    try {
      for (const entry of readdirSync(next, { withFileTypes: true })) {
        left -= 1;
        const file = path.join(next, entry.name);
        if (entry.isDirectory()) open.push(file);
        else bytes += statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      }
    } catch {
      // It was removed meanwhile.
    }
  }
  return left > 0 ? bytes : Number.POSITIVE_INFINITY;
}
