import type {
  ListSessionsRequest,
  ListSessionsResponse,
  SessionInfo,
} from '@agentclientprotocol/sdk';
import { readSessionInfoMeta } from '../../acp/gatehouse/sessionList.ts';

export interface SessionListParts {
  /** One page of the sessions of a folder. */
  list(request: ListSessionsRequest): Promise<ListSessionsResponse>;
}

interface FolderList {
  readonly cwd: string;
  sessions: readonly SessionInfo[];
  /** Undefined when all are loaded. */
  cursor: string | undefined;
}

/**
 * The sessions of some folders, newest first, in pages. The host pages those of one folder; sessions older
 * than what is missing of another folder are held back, so that no page inserts rows above those shown.
 */
export class SessionList {
  readonly #parts: SessionListParts;
  readonly #folders: readonly FolderList[];

  private constructor(parts: SessionListParts, folders: readonly FolderList[]) {
    this.#parts = parts;
    this.#folders = folders;
  }

  /** Loads the first pages, and more of them until at least `least` sessions are there, or all. */
  static async load(
    parts: SessionListParts,
    cwds: readonly string[],
    least = 0,
  ): Promise<SessionList> {
    const folders = await Promise.all(
      [...new Set(cwds)].map(async (cwd): Promise<FolderList> => {
        const { sessions, nextCursor } = await parts.list({ cwd });
        return { cwd, sessions, cursor: nextCursor ?? undefined };
      }),
    );
    const list = new SessionList(parts, folders);
    while (list.hasMore && list.sessions.length < least) await list.loadMore();
    return list;
  }

  get hasMore(): boolean {
    return this.#folders.some(({ cursor }) => cursor !== undefined);
  }

  get sessions(): readonly SessionInfo[] {
    const horizon = Math.max(Number.NEGATIVE_INFINITY, ...this.#open.map(toOldest));
    return this.#folders
      .flatMap(({ sessions }) => sessions)
      .filter((session) => isPinned(session) || toTime(session) >= horizon);
  }

  /** Loads one more page of the folder whose missing sessions are the newest. */
  async loadMore(): Promise<void> {
    const [folder] = this.#open.toSorted((a, b) => toOldest(b) - toOldest(a));
    if (folder === undefined) return;
    const { cwd, cursor } = folder;
    const page = await this.#parts.list({ cwd, ...(cursor !== undefined && { cursor }) });
    folder.sessions = [...folder.sessions, ...page.sessions];
    // A host that sends the same page again must not be asked for ever.
    const next = page.sessions.length === 0 ? undefined : page.nextCursor;
    folder.cursor = next == null || next === cursor ? undefined : next;
  }

  get #open(): readonly FolderList[] {
    return this.#folders.filter(({ cursor }) => cursor !== undefined);
  }
}

/** Those missing are older. The host sends all pinned sessions first, whatever their time. */
function toOldest({ sessions }: FolderList): number {
  const last = sessions.findLast((session) => !isPinned(session));
  return last === undefined ? Number.POSITIVE_INFINITY : toTime(last);
}

function isPinned(session: SessionInfo): boolean {
  return readSessionInfoMeta(session)?.pinned === true;
}

/** Milliseconds since the epoch. A session without a time is the oldest. */
export function toTime(session: Pick<SessionInfo, 'updatedAt'> | undefined): number {
  const time = session?.updatedAt == null ? Number.NaN : Date.parse(session.updatedAt);
  return Number.isFinite(time) ? time : 0;
}
