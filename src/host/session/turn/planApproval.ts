import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import { BUILD_AGENT, BUILT_IN_AGENT } from '../../../agentDefinitions/builtIn.ts';
import { getMessage } from '../../../base/faults.ts';
import type { HostServices } from '../../services/hostServices.ts';

/** What the user's approval of a plan changes (spec CS-35): the turn that runs keeps its agent. */
export interface PlanApproval {
  /** The agent of the next turns; absent: that of the session. */
  next?: string;
  /** The metadata of the next message of the user. */
  readonly metadata: { readonly agent?: string };
  approve(): void;
}

interface PlanningSession {
  readonly id: string;
  idle(): Promise<void>;
  choices(): Promise<{
    readonly configOptions: SessionConfigOption[];
    readonly modes: SessionModeState;
  }>;
}

export function createPlanApproval(
  { client, warn }: HostServices,
  session: PlanningSession,
): PlanApproval {
  const approval: PlanApproval = {
    get metadata() {
      return approval.next === undefined ? {} : { agent: BUILD_AGENT };
    },
    approve() {
      approval.next = BUILT_IN_AGENT.name;
      tell().catch((error) => warn(getMessage(error)));
    },
  };
  /** The mode of the turn that runs is still the plan's. */
  async function tell(): Promise<void> {
    await session.idle();
    const { configOptions, modes } = await session.choices();
    const { currentModeId } = modes;
    await client.update(session.id, { sessionUpdate: 'current_mode_update', currentModeId });
    await client.update(session.id, { sessionUpdate: 'config_option_update', configOptions });
  }
  return approval;
}
