import type { AccessParts } from '../models/access.ts';
import type { HostServices } from '../services/hostServices.ts';

/** The access of requests that belong to no session: the user's own settings. */
export function toAccessParts({ client, env, configuration, data }: HostServices): AccessParts {
  return { client, env, settings: configuration.current(data.scratch).settings.model };
}
