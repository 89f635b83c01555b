/** What `quick_check` found. */
export class DamageError extends Error {}

/** The history can't be used at the moment: locked, or being repaired. Nothing was stored; trying again helps. */
export class BusyError extends Error {}

/** Matches SQLITE_CORRUPT and SQLITE_NOTADB, including extended codes. */
export function isDamage(error: unknown): boolean {
  if (error instanceof DamageError) return true;
  const code = getResultCode(error);
  return code === 11 || code === 26;
}

/** Matches SQLITE_BUSY and SQLITE_LOCKED too, including extended codes. */
export function isBusy(error: unknown): boolean {
  if (error instanceof BusyError) return true;
  const code = getResultCode(error);
  return code === 5 || code === 6;
}

/** SQLite's primary result code; 0 for other errors. */
function getResultCode(error: unknown): number {
  if (!(error instanceof Error) || !('errcode' in error)) return 0;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : 0;
}

/** Bytes of a JSON column were changed: no check of the file finds that, and no query that reads the row works. */
export function isMalformedJson(error: unknown): boolean {
  return error instanceof Error && /malformed JSON/.test(error.message);
}

/** What the user can do about a fault of the disk; other faults stay as they are. */
export function explainFault(file: string, error: unknown): unknown {
  const why = describeDiskFault(error);
  if (why === undefined) return error;
  return new Error(`The history ${file} ${why} Nothing that was stored is lost.`, { cause: error });
}

/** Goes on after the name of a file of SQLite. Undefined: it is no fault of the disk. */
export function describeDiskFault(error: unknown): string | undefined {
  return WHY[getResultCode(error)];
}

/** By SQLite's primary result code: READONLY, IOERR, CANTOPEN, FULL. */
const WHY: Readonly<Record<number, string>> = {
  8: 'cannot be written: it or its folder is read-only. Make both writable for you, then try again.',
  // A full disk has no room for the shared memory of a write-ahead log either.
  10: 'cannot be read or written: its disk is full, gone or broken. Free some space there or connect it again, then try again.',
  14: 'cannot be opened: its folder is missing or closed to you. Make it again or open it, then try again.',
  13: 'cannot be written: the disk is full. Free some space there, then try again.',
};
