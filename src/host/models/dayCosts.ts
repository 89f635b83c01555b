import { appendFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { readRegularText } from '../../base/disk/readRegular.ts';
import { getMessage } from '../../base/faults.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { MB } from '../../base/units.ts';

/**
 * What all windows spend on a day, in a file of the day to which each appends one line for a request. It
 * outlives the sessions, so that deleting one doesn't raise what is left of a limit.
 */
export interface DayCosts {
  /** US dollars. Fails, with a reason for the user, if it can't be noted. */
  add(cost: number): Outcome<undefined>;
  /** US dollars of the current day. Fails, with a reason for the user, if the file can't be read. */
  today(): Outcome<number>;
}

export function createDayCosts(folder: string, clock: Pick<Clock, 'now'>): DayCosts {
  let swept = false;
  return {
    add(cost) {
      if (cost <= 0) return success(undefined);
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        appendFileSync(toFile(folder, clock.now()), `${cost}\n`, { mode: 0o600 });
        if (!swept) sweep(folder, clock.now());
        swept = true;
        return success(undefined);
      } catch (error) {
        return failure(`Today's costs can't be noted in ${folder}: ${getMessage(error)}`);
      }
    },
    today() {
      const file = toFile(folder, clock.now());
      const read = readRegularText(file, 16 * MB);
      if (read.state === 'absent') return success(0);
      if (read.state === 'unreadable') return failure(`${file} can't be read: ${read.why}`);
      const costs = read.text.split('\n').filter((line) => line !== '');
      const sum = costs.reduce((all, line) => all + Number(line), 0);
      return sum >= 0 ? success(sum) : failure(`${file} is damaged.`);
    },
  };
}

function toFile(folder: string, now: number): string {
  return path.join(folder, toDay(now));
}

/** The user's calendar day, such as `2026-01-31`. */
function toDay(now: number): string {
  const date = new Date(now);
  const [month, day] = [date.getMonth() + 1, date.getDate()];
  return [date.getFullYear(), month, day].map((each) => String(each).padStart(2, '0')).join('-');
}

/** Removes the files of earlier days. */
function sweep(folder: string, now: number): void {
  const day = toDay(now);
  for (const name of readdirSync(folder)) {
    if (/^\d{4}-\d{2}-\d{2}$/.test(name) && name < day) rmSync(path.join(folder, name));
  }
}
