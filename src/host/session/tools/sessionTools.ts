import { type AgentDefinition, hasTool } from '../../../agentDefinitions/definition.ts';
import type { PolicyFolders } from '../../../permissions/patterns/roots.ts';
import type { SessionTools } from '../../../tools/composeTools.ts';
import { createRegistry } from '../../../tools/registry.ts';
import type { HostConfiguration } from '../../config/configuration.ts';
import type { HostServices } from '../../services/hostServices.ts';
import { searchHosts } from './callSession.ts';

/** Whose tools they are: a session, or the open folders. */
export interface ToolOwner {
  readonly id: string;
  /** The agent that gets the tools. */
  readonly definition: AgentDefinition;
  configuration(): HostConfiguration;
  folders(): PolicyFolders;
}

/**
 * The tools as they are now: what the model gets, what a call finds, and what the user's list shows. The
 * registry holds those that the owner's agent has; the list shows the others, too.
 */
export async function sessionTools(
  services: Pick<HostServices, 'tools'>,
  owner: ToolOwner,
): Promise<SessionTools> {
  const catalog = await services.tools();
  const { definition } = owner;
  const { settings, workspace } = owner.configuration();
  const { disabled, ...declared } = settings.declaredTools;
  const session = {
    id: owner.id,
    agent: definition.name,
    folders: owner.folders().workspace,
    trusted: workspace?.trusted ?? true,
    searchHosts: searchHosts(settings.webSearch),
    ...declared,
  };
  const found = await catalog.get(session, disabled);
  if (definition.tools === undefined) return found;
  const own = found.registry.list().filter(({ id }) => hasTool(definition, id));
  return { ...found, registry: createRegistry(own) };
}
