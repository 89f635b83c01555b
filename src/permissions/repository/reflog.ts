import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { readRegular } from '../../base/disk/readRegular.ts';
import { createStatCache } from '../../base/disk/statCache.ts';
import type { GitFolder } from './gitFolder.ts';

// `git pull https://me:token@host/x` is noted with its arguments, for each reference that it moved.

const URL_WITH_USER = /:\/\/(?!git@)[^\s/@]+@/;
/** The log of a reference that was moved a hundred thousand times, in bytes. */
const LOG_BYTES = 16 * 1024 * 1024;
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
 * The logs of the repository's references that hold a URL with a user or password, or can't be read. Absolute.
 * With very many logs, the first that was not looked into counts.
 */
export function listLogsWithUrls({ own, common }: GitFolder): readonly string[] {
  const logs: string[] = [];
  const folders = [...new Set([own, common])].map((folder) => path.join(folder, 'logs'));
  for (const folder of [...folders, ...listWorktrees(path.join(common, 'worktrees'))])
    listLogs(folder, logs);
  const found = logs.slice(0, MOST_LOGS).filter((file) => urls.get(file) ?? true);
  return [...found, ...logs.slice(MOST_LOGS, MOST_LOGS + 1)];
}

const urls = createStatCache(
  (file) => {
    const read = readRegular(file, LOG_BYTES);
    return read.state !== 'read' || URL_WITH_USER.test(read.bytes.toString('latin1'));
  },
  { kept: MOST_LOGS },
);

/** Links are read as what they lead to. */
function listLogs(folder: string, logs: string[]): void {
  if (logs.length > MOST_LOGS || statSync(folder, { throwIfNoEntry: false }) === undefined) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) listLogs(file, logs);
    else logs.push(file);
  }
}

function listWorktrees(folder: string): readonly string[] {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(folder).map((name) => path.join(folder, name, 'logs'));
}
