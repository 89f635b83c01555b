import type { Disposable } from '../../../base/disposable.ts';
import { getMessage } from '../../../base/faults.ts';
import { toNotice } from '../../client/notice.ts';
import type { OpenHost } from '../openHost.ts';

/** Tells the user when a session that is open here was deleted in another window. */
export function followDeletions(host: OpenHost): Disposable {
  const told = new Set<string>();
  return host.services.onDidChangeSessions(() => {
    for (const { id } of host.sessions.all()) {
      if (told.has(id) || !isDeleted(host, id)) continue;
      told.add(id);
      tell(host, id);
    }
  });
}

function isDeleted({ services: { recorder, warn } }: OpenHost, sessionId: string): boolean {
  try {
    return recorder.session(sessionId) === undefined;
  } catch (fault) {
    // The history is being repaired: the next signal, or the next prompt, finds out.
    warn(getMessage(fault));
    return false;
  }
}

function tell({ services: { recorder, client, warn } }: OpenHost, sessionId: string): void {
  // Its row must not come back when a damaged file is replaced.
  recorder.store.drop(sessionId);
  client
    .update(sessionId, toNotice(client.facts, TITLE, TEXT))
    .catch((fault) => warn(getMessage(fault)));
}

const TITLE = 'This session no longer exists.';
const TEXT =
  'It was deleted in another window, and what you see here is stored nowhere any more. Copy what you still need, and go on in a new chat.';
