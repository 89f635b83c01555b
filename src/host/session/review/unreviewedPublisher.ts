import { notifyClient } from '../../client/requestClient.ts';
import type { HostServices } from '../../services/hostServices.ts';
import type { UnreviewedChanges } from './unreviewedChanges.ts';

/** Keeps the list of unreviewed files current that a client shows. */
export class UnreviewedPublisher {
  readonly #services: Pick<HostServices, 'client' | 'recorder' | 'warn'>;
  readonly #sessionId: string;
  readonly #changes: Pick<UnreviewedChanges, 'list'>;
  /** The state of what was sent last; undefined: nothing was sent. */
  #sent: string | undefined;

  constructor(
    services: Pick<HostServices, 'client' | 'recorder' | 'warn'>,
    sessionId: string,
    changes: Pick<UnreviewedChanges, 'list'>,
  ) {
    this.#services = services;
    this.#sessionId = sessionId;
    this.#changes = changes;
  }

  publish(): void {
    const { client, recorder, warn } = this.#services;
    if (!client.facts.unreviewed) return;
    const sessionId = this.#sessionId;
    this.#sent = recorder.unreviewedStamp(sessionId);
    const files = this.#changes.list();
    notifyClient(client, 'unreviewedChanged', { sessionId, files }).catch((error) =>
      warn(String(error)),
    );
  }

  /** Publishes what another window changed. */
  refresh(): void {
    if (this.#sent === undefined) return;
    if (this.#sent !== this.#services.recorder.unreviewedStamp(this.#sessionId)) this.publish();
  }
}
