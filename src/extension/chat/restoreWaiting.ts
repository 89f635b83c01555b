import type { Disposable } from '../../base/disposable.ts';
import type { HostLink } from '../host/hostLink.ts';
import type { Chats } from './chats.ts';
import { describeError } from './errorCard.ts';

export interface RestoreParts {
  readonly chats: Pick<Chats, 'open' | 'load'>;
  readonly link: Pick<HostLink, 'onDidConnect'>;
  /** The folder in which the window's sessions are started. */
  cwd(): string;
  log(message: string): void;
}

/**
 * Opens the sessions of this window's folder in which something waits for the user whenever a host
 * starts, so that their requests come back although no view shows them. One after another: the
 * session that the user sees must not wait for them.
 */
export function restoreWaiting({ chats, link, cwd, log }: RestoreParts): Disposable {
  return link.onDidConnect(async (connection) => {
    try {
      const { sessionIds } = await connection.call('waitingSessions', { cwd: cwd() });
      // The oldest first, for requests are listed in the order in which they are made.
      for (const id of sessionIds.toReversed()) await chats.load(chats.open(id));
    } catch (error) {
      log(`Could not open the sessions that wait for the user: ${describeError(error)}`);
    }
  });
}
