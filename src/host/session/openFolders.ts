import { BUILT_IN_AGENT } from '../../agentDefinitions/builtIn.ts';
import type { HostServices } from '../services/hostServices.ts';
import { effectiveCapabilities, type RequiringTool } from './policy/capabilities.ts';
import { createRuleList, toFolders, toPolicy } from './policy/policy.ts';
import type { ToolOwner } from './tools/sessionTools.ts';

const NO_TOOLS: readonly RequiringTool[] = [];

/** Used in place of a session when there is none: the built-in agent over the editor's folders. */
export type OpenFolders = ToolOwner;

export function openFolders({
  configuration,
  data,
  rules,
}: Pick<HostServices, 'configuration' | 'data'> &
  Partial<Pick<HostServices, 'rules'>>): OpenFolders {
  const current = () => configuration.current(data.scratch);
  const toSessionFacts = () => {
    const [cwd = data.scratch, ...additionalDirectories] = current().workspace?.roots ?? [];
    return { id: 'none', cwd, additionalDirectories, definition: BUILT_IN_AGENT };
  };
  const terms = { approval: 'ask', canAsk: true, rules: [] } as const;
  return {
    id: '',
    definition: BUILT_IN_AGENT,
    configuration: current,
    folders: () => toFolders(toSessionFacts(), current(), data),
    policy(tools = NO_TOOLS) {
      const { approval } = terms;
      const capabilities = effectiveCapabilities({ definition: BUILT_IN_AGENT, tools, approval });
      const listRules = createRuleList();
      const facts = {
        ...toSessionFacts(),
        ...terms,
        capabilities,
        scratchRules: [],
        listRules,
        ...(rules && { isStoredFor: rules.isStoredFor }),
        tools,
      };
      return toPolicy(facts, current(), data);
    },
  };
}
