import type { SessionConfigOption } from '@agentclientprotocol/sdk';
import { type AgentDefinition, missingAgent } from '../../agentDefinitions/definition.ts';
import type { Approval } from './policy/approval.ts';

/** The session's options, complete each time, as ACP wants them. */
export function toConfigOptions({
  approval,
  modelId,
  agent,
  agents,
}: {
  readonly approval: Approval;
  readonly modelId: string | undefined;
  /** The session's agent, by name. */
  readonly agent: string;
  /** Those it may be started as. */
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
          description: 'Ask before edits and commands, unless a rule decides.',
        },
        {
          value: 'acceptEdits',
          name: 'Accept edits',
          description: 'Edits in the workspace go through; everything else asks.',
        },
        {
          value: 'readOnly',
          name: 'Read only',
          description: 'The agent may read and search; it can change nothing and run nothing.',
        },
      ],
    },
    ...(modelId === undefined ? [] : [toModelOption(modelId)]),
    toAgentOption(agent, agents),
  ];
}

/** One model is configured at a time, so there is one to choose. */
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
