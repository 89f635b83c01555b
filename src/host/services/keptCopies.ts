import path from 'node:path';
import { getMessage } from '../../base/faults.ts';
import { describeKept } from '../../runtime/files/journal.ts';
import type { LeftFile } from '../../runtime/files/restore.ts';
import type { Client } from '../client/client.ts';
import { toNotice } from '../client/notice.ts';

/** Files whose interrupted write was not undone, until a chat has said so. */
export interface KeptCopies {
  add(kept: LeftFile): void;
  /** Tells a session about the files in its folders, once for all sessions. */
  tell(sessionId: string, folders: readonly string[]): Promise<void>;
}

/** Each is also reported to the log: no session may be opened in its folder. */
export function createKeptCopies({
  client,
  warn,
}: {
  readonly client: Pick<Client, 'facts' | 'update'>;
  warn(message: string): void;
}): KeptCopies {
  const untold = new Set<LeftFile>();
  return {
    add(kept) {
      untold.add(kept);
      warn(describeKept(kept));
    },
    async tell(sessionId, folders) {
      for (const kept of [...untold]) {
        if (!folders.some((folder) => isBelow(folder, kept.file))) continue;
        untold.delete(kept);
        const update = toNotice(client.facts, TITLE, describeKept(kept));
        await client.update(sessionId, update).catch((fault) => warn(getMessage(fault)));
      }
    },
  };
}

const TITLE = 'An interrupted write was not undone.';

function isBelow(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
