import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { readRegular } from '../../base/disk/readRegular.ts';
import { createStatCache } from '../../base/disk/statCache.ts';
import { MB } from '../../base/units.ts';
import { USER_IN_URL } from './configuration.ts';
import type { GitFolder } from './gitFolder.ts';

// `git pull https://me:token@host/x` is noted with its arguments, for each reference that it moved.

/** The log of a reference that was moved a hundred thousand times, and what is looked into for one command. Bytes. */
const LOG_BYTES = 16 * MB;
const ALL_BYTES = 64 * MB;
const MOST_LOGS = 5_000;

/** Whether a git command prints what was noted about changes of references. `words` follow `git`. */
export function printsReflog(words: readonly string[]): boolean {
  const sub = words.find((word) => !word.startsWith('-'));
  if (sub === 'reflog') return true;
  if (sub === 'stash') return words.includes('list');
  if (sub === 'show-branch') return words.some((word) => /^(?:-g|--refl)/.test(word));
  return words.some((word) => word === '-g' || word.startsWith('--walk'));
}

/**
 * A log of the repository's references that holds a URL with a user or password, or can't be read. Absolute. With very
 * many or large logs, the first that is not looked into counts, and so do the tables in which git may keep references
 * with their logs, packed (`extensions.refStorage`). Throws what listing folders throws.
 */
export function findLogWithUrl({ own, common }: GitFolder): string | undefined {
  const logs: string[] = [];
  const folders = [...new Set([own, common, ...listWorktrees(path.join(common, 'worktrees'))])];
  const tables = folders.map((folder) => path.join(folder, 'reftable')).find(isThere);
  if (tables !== undefined) return tables;
  for (const folder of folders) listLogs(path.join(folder, 'logs'), logs);
  let bytes = 0;
  return logs.find((file, at) => {
    bytes += statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    return at >= MOST_LOGS || bytes > ALL_BYTES || (urls.get(file) ?? true);
  });
}

const urls = createStatCache(
  (file) => {
    const read = readRegular(file, LOG_BYTES);
    return read.state !== 'read' || USER_IN_URL.test(read.bytes.toString('latin1'));
  },
  { kept: MOST_LOGS },
);

/** Links are read as what they lead to. */
function listLogs(folder: string, logs: string[]): void {
  if (logs.length > MOST_LOGS || !isThere(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) listLogs(file, logs);
    else logs.push(file);
  }
}

function listWorktrees(folder: string): readonly string[] {
  if (!isThere(folder)) return [];
  return readdirSync(folder).map((name) => path.join(folder, name));
}

const isThere = (file: string) => statSync(file, { throwIfNoEntry: false }) !== undefined;
