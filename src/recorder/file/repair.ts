import { LONGEST_TIMER } from '../../base/units.ts';
import { runWorker } from '../../runtime/workers/runWorker.ts';
import { BusyError, isBusy } from './faults.ts';
import type { Repair, RepairJob } from './repairFile.ts';
import type { DatabaseSync } from './sqlite.ts';

/** Checks or repairs a database in a worker thread, so that the host goes on meanwhile. Never rejects. */
export async function repair(job: RepairJob, signal: AbortSignal): Promise<Repair> {
  // In the bundle, the worker's program is next to the host's.
  const program = import.meta.url.endsWith('.ts') ? './repairWorker.ts' : './repairWorker.mjs';
  const result = await runWorker({
    program: new URL(program, import.meta.url),
    data: job,
    // It takes as long as the file is large; the host's end aborts it.
    timeoutMs: LONGEST_TIMER,
    signal,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  // The worker is ours, and posts nothing else.
  return result.ok ? (result.message as Repair) : { kind: 'failed', message: result.fault.message };
}

/** What the user is told; undefined when there is nothing to tell. */
export function describeRepair(file: string, repaired: Repair): string | undefined {
  switch (repaired.kind) {
    case 'sound':
    case 'damaged':
      return undefined;
    case 'replaced':
      return `The history ${file} was damaged, and another window has replaced it with what could be read. The damaged file lies beside it. Sessions may lack messages.`;
    case 'salvaged':
      return `The history was damaged. ${describeKept(repaired.kept)} The damaged file was renamed to ${repaired.aside}; nothing of it was deleted. You can go on working. To look for what is missing, run: sqlite3 "${repaired.aside}" .recover`;
    case 'failed':
      return describeFailure(file, repaired.message);
  }
}

export function describeFailure(file: string, message: string): string {
  return `The history ${file} is damaged and could not be repaired: ${message}. It was left as it is. Make sure that the disk has room for a copy of it and close other windows, then reload this one.`;
}

function describeKept({
  sessions,
  messages,
  whole,
}: Extract<Repair, { kind: 'salvaged' }>['kept']) {
  if (sessions === 0 && messages === 0)
    return 'Nothing in it could be read, so a new one was begun.';
  const kept = `${count(sessions, 'session')} with ${count(messages, 'message')}`;
  return whole ? `All rows could be read: ${kept}.` : `Kept: ${kept}; some rows could not be read.`;
}

function count(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? '' : 's'}`;
}

/**
 * Replaces JSON columns that can't be read, so that one row doesn't hide all sessions. Returns how many rows
 * that were. What was in them is unknown, so a session is in Read Only and pinned, and a turn counts as cancelled.
 * Throws a `BusyError` when another process writes for longer than a write may wait. `usual`: the wait of reads.
 */
export function mendRows(sqlite: DatabaseSync, usual: number): number {
  sqlite.exec(`PRAGMA busy_timeout = ${Math.min(MEND_WAIT_MS, usual)}`);
  try {
    return MENDED.reduce((sum, sql) => sum + Number(sqlite.prepare(sql).run().changes), 0);
  } catch (error) {
    throw isBusy(error) ? new BusyError(NOT_MENDED) : error;
  } finally {
    sqlite.exec(`PRAGMA busy_timeout = ${usual}`);
  }
}

/** Mending may block the thread for so long. Milliseconds. */
const MEND_WAIT_MS = 40;
const NOT_MENDED =
  'A row of the history is damaged, and another program locks the file, so that it cannot be reset. Nothing else was lost; try again in a moment.';

const MENDED = [
  `UPDATE chat_sessions SET metadata_json = '{"approval":"readOnly","pinned":true}' WHERE json_valid(metadata_json) = 0`,
  `UPDATE chat_messages SET metadata_json = '{"aborted_at":0}' WHERE json_valid(metadata_json) = 0`,
];

/** For the user. */
export function describeMended(file: string, rows: number): string {
  const were = rows === 1 ? 'was' : 'were';
  return `${count(rows, 'damaged row')} of the history ${file} could not be read and ${were} reset. Texts and results are kept. If it was the row of a session, its title is lost, and the session is pinned and in Read Only until you change that. If it was that of a message, the message counts as cancelled, and shows even if you had rewound it.`;
}
