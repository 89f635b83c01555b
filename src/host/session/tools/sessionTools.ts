import { type AgentDefinition, hasTool } from '../../../agentDefinitions/definition.ts';
import type { McpServer } from '../../../base/tools/mcpServer.ts';
import type { PolicyFolders } from '../../../permissions/patterns/roots.ts';
import type { Policy } from '../../../permissions/rules/policy.ts';
import type { SessionTools } from '../../../tools/composeTools.ts';
import { createRegistry, type Registry } from '../../../tools/registry.ts';
import type { SourceSession } from '../../../tools/toolSource.ts';
import { type HostConfiguration, isTrusted } from '../../config/configuration.ts';
import type { HostServices } from '../../services/hostServices.ts';
import type { RequiringTool } from '../policy/capabilities.ts';
import { searchHosts } from './callSession.ts';
import { createHiddenFiles } from './hiddenFiles.ts';
import { type OfferedTools, offerTools } from './offeredTools.ts';

/** The owner of a tool set: a session, or the open folders. */
export interface ToolOwner {
  readonly id: string;
  /** The agent that uses the tools. */
  readonly definition: AgentDefinition;
  configuration(): HostConfiguration;
  folders(): PolicyFolders;
  /** The policy for a call of now. Default of `tools`: those of the last call. */
  policy(tools?: readonly RequiringTool[]): Policy;
  /** The servers that the client of the session gave. */
  readonly mcpServers?: readonly McpServer[];
}

/**
 * The current tools, for the model, for calls and for the Tools view. The registry holds the tools of
 * the owner's agent; the list includes all others.
 */
export async function sessionTools(
  services: Pick<HostServices, 'client' | 'compiler' | 'tools'>,
  owner: ToolOwner,
): Promise<SessionTools> {
  const catalog = await services.tools();
  const { definition } = owner;
  const { disabled } = owner.configuration().settings.declaredTools;
  const found = await catalog.get(toSourceSession(services, owner), disabled);
  if (definition.tools === undefined) return found;
  const own = found.registry.list().filter((tool) => hasTool(definition, tool));
  return { ...found, registry: createRegistry(own) };
}

/** What the tools of an owner depend on. */
export function toSourceSession(
  { client, compiler }: Pick<HostServices, 'client' | 'compiler'>,
  owner: ToolOwner,
): SourceSession {
  const configuration = owner.configuration();
  const { settings } = configuration;
  const { disabled: _, ...declared } = settings.declaredTools;
  return {
    id: owner.id,
    agent: owner.definition.name,
    folders: owner.folders().workspace,
    trusted: isTrusted(configuration, client.facts.configure),
    searchHosts: searchHosts(settings.webSearch),
    ...declared,
    mcp: {
      configured: settings.mcp,
      servers: owner.mcpServers ?? [],
      startMs: settings.limits.serverStartMs,
    },
    hidden: createHiddenFiles(compiler, owner),
    editorTools: settings.editorTools,
  };
}

/** What of these tools a turn offers. What its searches find is stored with the session. */
export function offerSessionTools(
  { recorder }: Pick<HostServices, 'recorder'>,
  owner: ToolOwner,
  registry: Registry,
): OfferedTools {
  const { id, definition } = owner;
  const stored = recorder.session(id)?.metadata['found_tools'];
  const found = Array.isArray(stored) ? stored.filter((each) => typeof each === 'string') : [];
  const save = (ids: readonly string[]) => recorder.setFoundTools(id, ids);
  const settings = owner.configuration().settings.toolSearch;
  return offerTools({ registry, definition, settings, found, save });
}
