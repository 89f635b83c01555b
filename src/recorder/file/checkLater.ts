import { statSync, writeFileSync } from 'node:fs';
import { CHECKED_AT_ONCE } from './connect.ts';

/** Reading a large file whole at every start would cost more than it finds. */
const EVERY_MS = 24 * 60 * 60_000;

/** Checks a database that was too large to be checked when it was opened, once a day over all hosts. */
export async function checkLater(
  file: string,
  now: number,
  database: { check(): Promise<void> },
): Promise<void> {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= CHECKED_AT_ONCE) return;
  const stamp = `${file}.checked`;
  const last = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs;
  // A clock that was set back must not end the checks.
  if (last !== undefined && Math.abs(now - last) < EVERY_MS) return;
  writeFileSync(stamp, '', { mode: 0o600 });
  await database.check();
}
