import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import { processMark, readMark } from '../../base/disk/processMark.ts';
import { readRegularText } from '../../base/disk/readRegular.ts';
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

export function openScratchFolders(
  { scratch, state }: Pick<DataFolder, 'scratch' | 'state'>,
  clock: Clock = systemClock,
): ScratchFolders {
  const users = path.join(state, 'scratch');
  const toFolder = (sessionId: string) => path.join(scratch, sessionId);
  /** Holds the mark of the host that uses the folder; empty after it ended. */
  const toUser = (sessionId: string) => path.join(users, sessionId);

  function isKept(sessionId: string): boolean {
    const user = readRegularText(toUser(sessionId));
    if (user.state === 'unreadable') return true;
    if (user.state === 'read' && user.text !== '') {
      // The user may open the session again, as after an editor that crashed.
      if (readMark(user.text) === 'ended') leave(sessionId);
      return true;
    }
    const since = changedAt(user.state === 'read' ? toUser(sessionId) : toFolder(sessionId));
    return since !== undefined && clock.now() - since < KEPT_MS;
  }

  function leave(sessionId: string): void {
    if (changedAt(toUser(sessionId)) !== undefined) writeFileSync(toUser(sessionId), '');
  }

  async function remove(sessionId: string): Promise<void> {
    await rm(toFolder(sessionId), { recursive: true, force: true });
    await rm(toUser(sessionId), { force: true });
  }

  return {
    open(sessionId) {
      mkdirSync(users, { recursive: true, mode: 0o700 });
      writeFileSync(toUser(sessionId), processMark(), { mode: 0o600 });
      mkdirSync(toFolder(sessionId), { recursive: true });
      return toFolder(sessionId);
    },
    leave,
    remove,
    async sweep() {
      const found = new Set([...list(scratch), ...list(users)]);
      const faults: string[] = [];
      for (const name of found) {
        if (!SESSION.test(name)) continue;
        try {
          if (!isKept(name)) await remove(name);
        } catch (fault) {
          faults.push(`${toFolder(name)}: ${getCode(fault) ?? getMessage(fault)}`);
        }
      }
      return faults;
    },
  };
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // There was no scratch folder yet.
    return [];
  }
}

/** Milliseconds since the epoch; undefined if it does not exist. */
function changedAt(file: string): number | undefined {
  return lstatSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
