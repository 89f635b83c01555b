import type { SessionConfigOption } from '@agentclientprotocol/sdk';
import { type AgentDefinition, missingAgent } from '../../agentDefinitions/definition.ts';
import type { Approval } from './policy/approval.ts';

/** All options of the session: ACP requires the complete list each time. */
export function toConfigOptions({
  approval,
  modelId,
  agent,
  agents,
}: {
  readonly approval: Approval;
  readonly modelId: string | undefined;
  /** The name of the session's agent. */
  readonly agent: string;
  /** The agents that it may be started as. */
  readonly agents: readonly AgentDefinition[];
}): SessionConfigOption[] {
  return [
    {
      id: 'approval',
      name: 'Approval',
      category: 'mode',
      type: 'select',
      currentValue: approval,
      options: [
        {
          value: 'ask',
          name: 'Ask',
          description: 'Ask before edits and commands, unless a rule applies.',
        },
        {
          value: 'acceptEdits',
          name: 'Accept edits',
          description: 'Allow edits in the workspace without asking; ask about everything else.',
        },
        {
          value: 'readOnly',
          name: 'Read only',
          description: 'The agent can read and search, but cannot change files or run commands.',
        },
      ],
    },
    ...(modelId === undefined ? [] : [toModelOption(modelId)]),
    toAgentOption(agent, agents),
  ];
}

/** Only one model is configured at a time, so the list has one entry. */
function toModelOption(id: string): SessionConfigOption {
  return {
    id: 'model',
    name: 'Model',
    category: 'model',
    type: 'select',
    currentValue: id,
    options: [{ value: id, name: id }],
  };
}

function toAgentOption(agent: string, agents: readonly AgentDefinition[]): SessionConfigOption {
  const isThere = agents.some(({ name }) => name === agent);
  const listed = isThere ? agents : [missingAgent(agent), ...agents];
  return {
    id: 'agent',
    name: 'Agent',
    category: '_agent',
    type: 'select',
    currentValue: agent,
    options: listed.map(({ name, description }) => ({ value: name, name, description })),
  };
}
