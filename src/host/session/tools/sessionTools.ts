import type { Policy } from '../../../permissions/rules/policy.ts';
import type { SessionTools } from '../../../tools/composeTools.ts';
import type { HostConfiguration } from '../../config/configuration.ts';
import type { HostServices } from '../../services/hostServices.ts';
import { sessionlessPolicy } from '../policy/policy.ts';
import { searchHosts } from './callSession.ts';

/** Whose tools they are: a session, or the open folders. */
export interface ToolOwner {
  readonly id: string;
  configuration(): HostConfiguration;
  policy(): Policy;
}

/** The tools as they are now: what the model gets, what a call finds, and what the user's list shows. */
export async function sessionTools(
  services: Pick<HostServices, 'tools'>,
  owner: ToolOwner,
): Promise<SessionTools> {
  const catalog = await services.tools();
  const { settings, workspace } = owner.configuration();
  const { disabled, ...declared } = settings.declaredTools;
  const session = {
    id: owner.id,
    agent: 'gatehouse',
    folders: owner.policy().folders.workspace,
    trusted: workspace?.trusted ?? true,
    searchHosts: searchHosts(settings.webSearch),
    ...declared,
  };
  return catalog.get(session, disabled);
}

/** Stands for a new session over the open folders, where a request names none. */
export function openFolders(services: Pick<HostServices, 'configuration' | 'data'>): ToolOwner {
  return {
    id: '',
    configuration: () => services.configuration.current(services.data.scratch),
    policy: () => sessionlessPolicy(services),
  };
}
