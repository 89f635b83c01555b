import path from 'node:path';
import { BUILT_IN_AGENT } from '../../agentDefinitions/builtIn.ts';
import type { AgentDefinition } from '../../agentDefinitions/definition.ts';
import { type DiscoveredAgents, discoverAgents } from '../../agentDefinitions/discover.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { HostConfiguration } from '../config/configuration.ts';
import { userSettingsFile } from '../config/dataFolder.ts';
import type { HostServices } from '../services/hostServices.ts';

/** The agent of sessions that name none. */
export function getDefaultAgent(env: NodeJS.ProcessEnv): string {
  return env['GATEHOUSE_AGENT'] || BUILT_IN_AGENT.name;
}

/** Where agents are looked for: a session, or one that is about to start. */
export interface AgentPlace {
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  configuration(): HostConfiguration;
}

/** The agents that sessions can be started as, read anew each time. */
export interface Agents {
  discover(place: AgentPlace): Promise<DiscoveredAgents>;
}

type Part = Pick<HostServices, 'acceptances' | 'client' | 'env' | 'warn'>;

export function createAgents({ acceptances, client, env, warn }: Part): Agents {
  const config = path.dirname(userSettingsFile(env));
  const warned = new Set<string>();
  return {
    async discover(place) {
      const { workspace } = place.configuration();
      // A client that sends its settings says whether it trusts the workspace; before that nothing is read.
      const trusted = workspace?.trusted ?? !client.facts.configure;
      const folders = workspace?.roots ?? [place.cwd, ...place.additionalDirectories];
      const found = await discoverAgents({
        workspace: trusted ? folders : [],
        config,
        acceptances,
      });
      for (const warning of found.warnings) {
        if (!warned.has(warning)) warn(warning);
        warned.add(warning);
      }
      return found;
    },
  };
}

/** Those that may be started: the user's sessions run primary agents, an agent's own sessions subagents. */
export function startableAgents(
  { definitions }: DiscoveredAgents,
  parent: string | undefined,
): readonly AgentDefinition[] {
  const other = parent === undefined ? 'subagent' : 'primary';
  return definitions.filter(({ mode }) => mode !== other);
}

/** The agent of that name; the error says what there is, or what has to be accepted first. */
export function pickAgent(
  found: DiscoveredAgents,
  name: string,
  parent: string | undefined,
): Outcome<AgentDefinition> {
  const startable = startableAgents(found, parent);
  const definition = startable.find((each) => each.name === name);
  if (definition !== undefined) return success(definition);
  const waiting = found.waiting.find((each) => each.name === name);
  if (waiting !== undefined) {
    return failure(
      `The agent "${name}" comes with the workspace and does nothing until you accept it: gatehouse accept ${waiting.file}`,
    );
  }
  const names = startable.map((each) => each.name).join(', ');
  return failure(`There is no agent "${name}" to start here. Available: ${names}.`);
}
