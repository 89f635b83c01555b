import path from 'node:path';
import type { Disposable } from '../../base/disposable.ts';
import type { Event } from '../../base/event.ts';
import { notifyClient } from '../client/requestClient.ts';
import type { HostServicesOptions } from './hostServices.ts';
import { openReviewSignal, type ReviewSignal } from './reviewSignal.ts';

/** What the hosts of all windows tell each other. */
export interface Signals extends Disposable {
  readonly reviewSignal: ReviewSignal;
  /** Call when a session of the list has changed: clients that list sessions are told in every window. */
  sessionsChanged(): void;
  /** Fires when a window has called it. */
  readonly onDidChangeSessions: Event<void>;
}

export function openSignals(
  state: string,
  { client, warn }: Pick<HostServicesOptions, 'client' | 'warn'>,
): Signals {
  const reviewSignal = openReviewSignal(path.join(state, 'reviews'));
  const listSignal = openReviewSignal(path.join(state, 'listed'));
  listSignal.onDidSend(() => {
    if (!client.facts.sessions) return;
    notifyClient(client, 'sessionsChanged', {}).catch((error) => warn(String(error)));
  });
  return {
    reviewSignal,
    sessionsChanged: () => listSignal.send(),
    onDidChangeSessions: listSignal.onDidSend,
    dispose() {
      reviewSignal.dispose();
      listSignal.dispose();
    },
  };
}
