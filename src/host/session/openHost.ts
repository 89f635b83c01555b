import type { HostServices } from '../services/hostServices.ts';
import type { Sessions } from './sessions.ts';

/** The open host of one client, which serves the client's requests. */
export interface OpenHost {
  readonly services: HostServices;
  readonly sessions: Sessions;
}
