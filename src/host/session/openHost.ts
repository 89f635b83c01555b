import type { HostServices } from '../services/hostServices.ts';
import type { Sessions } from './sessions.ts';

/** A host that is open for one client: what the requests of that client work with. */
export interface OpenHost {
  readonly services: HostServices;
  readonly sessions: Sessions;
}
