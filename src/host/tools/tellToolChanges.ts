import { type Clock, systemClock } from '../../base/clock.ts';
import type { ToolCatalog } from '../../tools/toolCatalog.ts';
import type { Client } from '../client/client.ts';
import { notifyClient } from '../client/requestClient.ts';

/** Changes within this time are told once, in milliseconds: a server may change its list as often as it likes. */
const TOGETHER_MS = 200;

/** Tells a client that shows the tools when they, or what awaits a review, may be others. */
export function tellToolChanges(
  client: Pick<Client, 'facts' | 'peer'>,
  catalog: Pick<ToolCatalog, 'onDidChange'>,
  clock: Clock = systemClock,
): void {
  if (!client.facts.toolChanges) return;
  let isWaiting = false;
  catalog.onDidChange(() => {
    if (isWaiting) return;
    isWaiting = true;
    clock.after(TOGETHER_MS, () => {
      isWaiting = false;
      // A client that is gone is told nothing.
      notifyClient(client, 'toolsChanged', {}).catch(() => undefined);
    });
  });
}
