import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import { processMark, readMark } from '../../base/disk/processMark.ts';
import { getCode, getMessage } from '../../base/faults.ts';
import type { DataFolder } from '../config/dataFolder.ts';

/** The scratch folders of sessions without an open folder (spec CS-103), and the hosts that use them. */
export interface ScratchFolders {
  /** Creates a session's folder; this host uses it from now on. Absolute. */
  open(sessionId: string): string;
  /** This host ends, and the session may be opened again. */
  leave(sessionId: string): void;
  /** Removes a closed session's folder. */
  remove(sessionId: string): Promise<void>;
  /**
   * Removes the folders of sessions that were never closed, a week after their host ended; of a host that
   * was killed, a week after a sweep first saw that. A running host's folders stay. Resolves with why
   * others could not be removed; the next host tries again.
   */
  sweep(): Promise<readonly string[]>;
}

/** How long a session that was left, but not closed, keeps its folder. */
const KEPT_MS = 7 * 24 * 3600 * 1000;

const SESSION = /^ses_\w+$/;
/** What a host that was killed while it removed a folder may have left. */
const REMOVED = /^ses_\w+\.[\w-]+\.removed$/;

export function openScratchFolders(
  { scratch, state }: Pick<DataFolder, 'scratch' | 'state'>,
  clock: Clock = systemClock,
): ScratchFolders {
  const users = path.join(state, 'scratch');
  const toFolder = (sessionId: string) => path.join(scratch, sessionId);
  /** Holds an empty file for each host that uses the folder, named by its mark. */
  const toUsers = (sessionId: string) => path.join(users, sessionId);

  function isKept(sessionId: string): boolean {
    const marks = list(toUsers(sessionId));
    if (marks === 'unreadable') return true;
    // The user may open the session again, as after an editor that crashed: the week begins now.
    for (const mark of marks)
      if (readMark(mark) === 'ended') rmSync(path.join(toUsers(sessionId), mark), { force: true });
    if (marks.length > 0) return true;
    const since = changedAt(toUsers(sessionId)) ?? changedAt(toFolder(sessionId));
    return since !== undefined && clock.now() - since < KEPT_MS;
  }

  /** Moves the folder out of the way at once: the session may be opened while it is being removed. */
  async function remove(sessionId: string): Promise<void> {
    const removed = toFolder(`${sessionId}.${randomUUID()}.removed`);
    rmSync(toUsers(sessionId), { recursive: true, force: true });
    if (changedAt(toFolder(sessionId)) === undefined) return;
    renameSync(toFolder(sessionId), removed);
    await rm(removed, { recursive: true, force: true });
  }

  return {
    open(sessionId) {
      mkdirSync(toUsers(sessionId), { recursive: true, mode: 0o700 });
      writeFileSync(path.join(toUsers(sessionId), processMark()), '', { mode: 0o600 });
      mkdirSync(toFolder(sessionId), { recursive: true });
      return toFolder(sessionId);
    },
    leave(sessionId) {
      rmSync(path.join(toUsers(sessionId), processMark()), { force: true });
    },
    remove,
    async sweep() {
      const found = new Set([scratch, users].flatMap((each) => list(each)));
      const faults: string[] = [];
      for (const name of found) {
        try {
          if (REMOVED.test(name)) await rm(toFolder(name), { recursive: true, force: true });
          else if (SESSION.test(name) && !isKept(name)) await remove(name);
        } catch (fault) {
          faults.push(`${toFolder(name)}: ${getCode(fault) ?? getMessage(fault)}`);
        }
      }
      return faults;
    },
  };
}

/** Nothing of a folder that is not there. */
function list(folder: string): readonly string[] | 'unreadable' {
  try {
    return readdirSync(folder);
  } catch (fault) {
    return getCode(fault) === 'ENOENT' ? [] : 'unreadable';
  }
}

/** Milliseconds since the epoch; undefined if it does not exist. */
function changedAt(file: string): number | undefined {
  return lstatSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
