import { parentPort } from 'node:worker_threads';
import { findChanged, readPaths } from './folderTable.ts';
import type { FolderJob, FolderReply } from './folderThreads.ts';

/** The thread that looks whether folders changed. */
const known = new Map<number, readonly string[]>();

parentPort?.on('message', ({ number, table, first, step }: FolderJob) => {
  const paths = known.get(table.id) ?? readPaths(table);
  if (known.size >= KEPT && !known.has(table.id)) known.clear();
  known.set(table.id, paths);
  const changed = findChanged(paths, table.stamps, first, step);
  parentPort?.postMessage({ number, changed } satisfies FolderReply);
});

/** How many tables' paths are kept: a workspace has few folders, and each a table. */
const KEPT = 4;

parentPort?.postMessage('ready');
