import { type AgentDefinition, hasTool } from '../../../agentDefinitions/definition.ts';
import type { PolicyFolders } from '../../../permissions/patterns/roots.ts';
import type { SessionTools } from '../../../tools/composeTools.ts';
import { createRegistry } from '../../../tools/registry.ts';
import { type HostConfiguration, isTrusted } from '../../config/configuration.ts';
import type { HostServices } from '../../services/hostServices.ts';
import { searchHosts } from './callSession.ts';

/** The owner of a tool set: a session, or the open folders. */
export interface ToolOwner {
  readonly id: string;
  /** The agent that uses the tools. */
  readonly definition: AgentDefinition;
  configuration(): HostConfiguration;
  folders(): PolicyFolders;
}

/**
 * The current tools, for the model, for calls and for the Tools view. The registry holds the tools of
 * the owner's agent; the list includes all others.
 */
export async function sessionTools(
  services: Pick<HostServices, 'client' | 'tools'>,
  owner: ToolOwner,
): Promise<SessionTools> {
  const catalog = await services.tools();
  const { definition } = owner;
  const configuration = owner.configuration();
  const { settings } = configuration;
  const { disabled, ...declared } = settings.declaredTools;
  const session = {
    id: owner.id,
    agent: definition.name,
    folders: owner.folders().workspace,
    trusted: isTrusted(configuration, services.client.facts.configure),
    searchHosts: searchHosts(settings.webSearch),
    ...declared,
  };
  const found = await catalog.get(session, disabled);
  if (definition.tools === undefined) return found;
  const own = found.registry.list().filter((tool) => hasTool(definition, tool));
  return { ...found, registry: createRegistry(own) };
}
