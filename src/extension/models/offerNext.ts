import type { Disposable } from '../../base/disposable.ts';
import { shorten, showHidden } from '../../base/hidden.ts';
import type { ErrorItem } from '../../webview/messages/chatState.ts';
import type { ChatSession } from '../chat/chatSession.ts';
import type { Chats } from '../chat/chats.ts';
import type { HostLink } from '../host/hostLink.ts';
import { findNextModel } from '../setup/nextModel.ts';

export interface OfferNextParts {
  readonly chats: Pick<Chats, 'onDidChange'>;
  readonly link: Pick<HostLink, 'connection'>;
  log(message: string): void;
}

/** Failures that concern one model or its account. */
const OF_MODEL = new Set(['model-gone', 'model-refused', 'quota']);
/** Characters of a name on a button. */
const NAME = 40;

/** Offers the next model on the card of a failure after which another one may answer. */
export function offerNext(parts: OfferNextParts): Disposable {
  return parts.chats.onDidChange(({ session, change }) => {
    if (change.type !== 'item' || change.item.kind !== 'error') return;
    const { item } = change;
    if (item.next !== undefined || !OF_MODEL.has(item.cause ?? '')) return;
    offer(parts, session, item).catch((error: unknown) =>
      parts.log(`Could not look for another model: ${String(error)}`),
    );
  });
}

async function offer(
  { link }: OfferNextParts,
  session: ChatSession,
  item: ErrorItem,
): Promise<void> {
  const failed = session.state.choices?.find(({ id }) => id === 'model')?.current?.value;
  if (failed === undefined) return;
  const connection = await link.connection();
  const { providers } = await connection.call('models', { unasked: true });
  const found = findNextModel(providers, failed, item.cause === 'quota');
  // The user may have gone on.
  if (found === undefined || session.state.items.at(-1)?.id !== item.id) return;
  const { ref, id, name = id, account } = found.model;
  // The conversation goes there, and someone else may pay.
  const where = account ?? found.provider.label;
  const next = { ref, name: `${toLabel(name)} (${toLabel(where)})` };
  session.apply({ type: 'item', item: { ...item, next } });
}

function toLabel(name: string): string {
  return shorten(showHidden(name), NAME);
}
