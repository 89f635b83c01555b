import type { HistoryUpdate } from '../../../acp/gatehouse/history.ts';
import type { AcpConnection } from '../../host/connection.ts';

/** Messages that a session opens with. The others follow. */
export const TAIL = 100;
/** Messages of a page of those. */
const PAGE = 500;

export interface EarlierParts {
  readonly connection: Pick<AcpConnection, 'call'>;
  readonly sessionId: string;
  /** The host's cursor of the messages before those that are shown. */
  readonly before: string;
  /** Whether they still belong before what is shown. */
  wanted(): boolean;
  /** Takes a page, newest first, as updates in their order. */
  take(updates: readonly HistoryUpdate[]): void;
}

/** Loads the messages before those that a session has opened with. */
export async function loadEarlier({
  connection,
  sessionId,
  ...parts
}: EarlierParts): Promise<void> {
  let before: string | undefined = parts.before;
  while (before !== undefined) {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(
      connection,
      sessionId,
      before,
    );
    if (!parts.wanted()) return;
    parts.take(page.updates);
    before = page.before;
  }
}

function readPage(connection: EarlierParts['connection'], sessionId: string, before: string) {
  return connection.call('history', { sessionId, before, limit: PAGE });
}
