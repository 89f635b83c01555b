import { writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { interleave, type Row } from './row.ts';
import { openToolBed } from './toolBed.ts';

const ROUNDS = 61;
const SIZE = 10 * 1024 * 1024;
const SETTLE_MS = 50;

/**
 * One replacement in the middle of a 10 MB file, with its diff, compared with reading and writing
 * the file.
 */
export async function editRows(): Promise<readonly Row[]> {
  using bed = openToolBed();
  const [ours, floor] = ['ours.txt', 'floor.txt'].map((name) => path.join(bed.workspace, name));
  if (ours === undefined || floor === undefined) throw new Error('no files');
  const text = toText();
  writeFileSync(ours, text);
  writeFileSync(floor, text);
  let n = 0;
  const contenders = {
    ours: async () => {
      n += 1;
      const input = {
        path: 'ours.txt',
        old_string: `marker ${n - 1}\n`,
        new_string: `marker ${n}\n`,
      };
      return settled(bed.time('edit', input));
    },
    floor: () => settled(timeFloor(floor)),
  };
  await interleave(3, contenders);
  const { ours: edited, floor: copied } = await interleave(ROUNDS, contenders);
  return [
    {
      goal: 'edit of a 10 MB file, with diff',
      anchor: `read + write ${copied.toFixed(1)} ms`,
      ratio: edited / copied,
      limit: 1.5,
    },
  ];
}

/**
 * Waits for deferred work, such as freeing the replaced file, so that it isn't counted in the next
 * run.
 */
async function settled(elapsed: Promise<number>): Promise<number> {
  await elapsed;
  await delay(SETTLE_MS);
  return elapsed;
}

function toText(): string {
  const line = 'a line of a file that is rather long, as generated files are\n';
  const half = line.repeat(Math.floor(SIZE / 2 / line.length));
  return `${half}marker 0\n${half}`;
}

async function timeFloor(file: string): Promise<number> {
  const started = performance.now();
  await writeFile(file, await readFile(file));
  return performance.now() - started;
}
