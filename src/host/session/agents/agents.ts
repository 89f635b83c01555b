import path from 'node:path';
import { BUILD_AGENT, BUILT_IN_AGENT } from '../../../agentDefinitions/builtIn.ts';
import type { AgentDefinition } from '../../../agentDefinitions/definition.ts';
import { type DiscoveredAgents, discoverAgents } from '../../../agentDefinitions/discover.ts';
import { failure, type Outcome, success } from '../../../base/outcome.ts';
import { type HostConfiguration, isTrusted } from '../../config/configuration.ts';
import { userSettingsFile } from '../../config/dataFolder.ts';
import type { HostServices } from '../../services/hostServices.ts';

/** The agent of sessions that do not name one. */
export function getDefaultAgent(env: NodeJS.ProcessEnv): string {
  return env['GATEHOUSE_AGENT'] || BUILT_IN_AGENT.name;
}

/** Where to look for agents: a session, or one that is about to start. */
export interface AgentScope {
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  configuration(): HostConfiguration;
}

/** The agents that sessions can be started as, reread each time. */
export interface Agents {
  discover(scope: AgentScope): Promise<DiscoveredAgents>;
}

type Part = Pick<HostServices, 'acceptances' | 'client' | 'env' | 'warn'>;

export function createAgents({ acceptances, client, env, warn }: Part): Agents {
  const config = path.dirname(userSettingsFile(env));
  const home = env['HOME'] || env['USERPROFILE'] || config;
  const warned = new Set<string>();
  return {
    async discover(scope) {
      const configuration = scope.configuration();
      const trusted = isTrusted(configuration, client.facts.configure);
      const { workspace } = configuration;
      const folders = workspace?.roots ?? [scope.cwd, ...scope.additionalDirectories];
      const found = await discoverAgents({
        workspace: trusted ? folders : [],
        ...{ config, home, acceptances },
      });
      for (const warning of found.warnings) {
        if (!warned.has(warning)) warn(warning);
        warned.add(warning);
      }
      return found;
    },
  };
}

/** The user's sessions can be started as primary agents, an agent's own sessions as subagents. */
export function startableAgents(
  { definitions }: DiscoveredAgents,
  parent: string | undefined,
): readonly AgentDefinition[] {
  const other = parent === undefined ? 'subagent' : 'primary';
  return definitions.filter(({ mode }) => mode !== other);
}

/** `build` is another name of the default agent, unless a definition has it. */
function findNamed(
  definitions: readonly AgentDefinition[],
  name: string,
): AgentDefinition | undefined {
  const own = definitions.find((each) => each.name === name);
  if (own !== undefined || name !== BUILD_AGENT) return own;
  return definitions.find((each) => each.name === BUILT_IN_AGENT.name);
}

/** The name under which an agent is listed, which for `build` may be that of the default agent. */
export function toListedName(definitions: readonly AgentDefinition[], name: string): string {
  return findNamed(definitions, name)?.name ?? name;
}

/** The agent with that name. The error lists the available agents, or says what must be accepted first. */
export function pickAgent(
  found: DiscoveredAgents,
  name: string,
  parent: string | undefined,
): Outcome<AgentDefinition> {
  const startable = startableAgents(found, parent);
  const definition = findNamed(startable, name);
  if (definition !== undefined) return success(definition);
  const waiting = found.waiting.find((each) => each.name === name);
  if (waiting !== undefined) {
    return failure(
      `The agent "${name}" comes from the workspace and is inactive until you accept it: gatehouse accept ${waiting.file}`,
    );
  }
  const broken = found.broken.find((each) => each.name === name);
  if (broken !== undefined) return failure(`The agent "${name}" cannot start. ${broken.why}`);
  const names = startable.map((each) => each.name).join(', ');
  return failure(`There is no agent "${name}" that can be started here. Available: ${names}.`);
}
