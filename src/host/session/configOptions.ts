import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import { formatModelRef, type ModelRef } from '../../agent/models/provider.ts';
import { type AgentDefinition, missingAgent } from '../../agentDefinitions/definition.ts';
import type { Approval } from './policy/approval.ts';

/** Which agent a session runs as, and which it could. */
interface AgentChoice {
  /** The name of the session's agent. */
  readonly agent: string;
  /** The agents that it may be started as. */
  readonly agents: readonly AgentDefinition[];
}

export interface SessionChoices {
  readonly configOptions: SessionConfigOption[];
  readonly modes: SessionModeState;
}

interface Options extends AgentChoice {
  readonly approval: Approval;
  /** Whether commands can run in a copy, without which there is no such mode. */
  readonly autopilot: boolean;
  readonly model: ModelRef | undefined;
}

/** What the client can choose: the options, and the agents as modes too. */
export function toChoices(options: Options): SessionChoices {
  return { configOptions: toConfigOptions(options), modes: toModes(options) };
}

/** All options of the session: ACP requires the complete list each time. */
function toConfigOptions({
  approval,
  autopilot,
  model,
  agent,
  agents,
}: Options): SessionConfigOption[] {
  return [
    toAgentOption({ agent, agents }),
    {
      id: 'approval',
      name: 'Approval',
      category: '_approval',
      type: 'select',
      currentValue: approval,
      options: autopilot ? [...APPROVALS, AUTOPILOT] : [...APPROVALS],
    },
    ...(model === undefined ? [] : [toModelOption(model)]),
  ];
}

const APPROVALS = [
  {
    value: 'ask',
    name: 'Ask',
    description: 'Ask before edits and commands, unless a rule applies.',
  },
  {
    value: 'acceptEdits',
    name: 'Accept Edits',
    description: 'Allow edits in the workspace without asking; ask about everything else.',
  },
  {
    value: 'readOnly',
    name: 'Read Only',
    description: 'The agent can read and search, but cannot change files or run commands.',
  },
];

const AUTOPILOT = {
  value: 'autopilot',
  name: 'Autopilot',
  description:
    'Allow edits in the workspace, and run commands that no rule decides in a copy of it. What they change there is reviewed.',
};

/** ACP's modes are the agents (spec CS-66): the same list as the option of category `mode`. */
function toModes(choice: AgentChoice): SessionModeState {
  return {
    currentModeId: choice.agent,
    availableModes: listAgents(choice).map(({ name, description }) => ({
      ...{ id: name, name, description },
    })),
  };
}

/** Only the model in use is listed: the request for models lists the others, which takes a moment. */
function toModelOption(ref: ModelRef): SessionConfigOption {
  const value = formatModelRef(ref);
  return {
    id: 'model',
    name: 'Model',
    category: 'model',
    type: 'select',
    currentValue: value,
    options: [{ value, name: ref.id, description: describePayer(ref) }],
  };
}

function toAgentOption(choice: AgentChoice): SessionConfigOption {
  return {
    id: 'agent',
    name: 'Agent',
    category: 'mode',
    type: 'select',
    currentValue: choice.agent,
    options: listAgents(choice).map(({ name, description }) => ({
      ...{ value: name, name, description },
    })),
  };
}

/** The session's agent is always listed, even if it is gone. */
function listAgents({ agent, agents }: AgentChoice): readonly AgentDefinition[] {
  return agents.some(({ name }) => name === agent) ? agents : [missingAgent(agent), ...agents];
}

/** Which account pays. */
function describePayer({ provider }: ModelRef): string {
  switch (provider) {
    case 'ollama':
    case 'lmstudio':
    case 'llamacpp':
      return 'Runs on a server of yours and costs nothing.';
    case 'vscode':
      return "Billed by VS Code to your account at the model's provider.";
    case 'openai-compatible':
      return 'Billed by the endpoint to the account of the API key, if at all.';
    default:
      return 'Billed to the account of the API key.';
  }
}
