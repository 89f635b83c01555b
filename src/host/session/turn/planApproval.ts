import path from 'node:path';
import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import { BUILD_AGENT } from '../../../agentDefinitions/builtIn.ts';
import { getMessage } from '../../../base/faults.ts';
import { isBusy } from '../../../recorder/file/faults.ts';
import type { HostServices } from '../../services/hostServices.ts';

/** What the user's approval of a plan changes (spec CS-35): the turn that runs keeps its agent. */
export interface PlanApproval {
  /** The name of the session's plan as a document. No file is there. */
  readonly file: string;
  /** The agent of the next turns; undefined: that of the session. */
  readonly next: string | undefined;
  /** The metadata of the next message of the user. */
  readonly metadata: { readonly agent?: string };
  /** A message of the user begins a turn, whose mode the client is to know. */
  begun(): void;
  /** Resolves when the approval of this call's plan is stored, so that it outlives the host. */
  approve(toolCallId: string, signal: AbortSignal): Promise<void>;
}

interface PlanningSession {
  readonly id: string;
  idle(): Promise<void>;
  choices(): Promise<{
    readonly configOptions: SessionConfigOption[];
    readonly modes: SessionModeState;
  }>;
}

/** The history alone knows the approval: another window may change it, and a rewind withdraws it. */
export function createPlanApproval(
  { client, data, recorder, warn }: HostServices,
  session: PlanningSession,
): PlanApproval {
  /** What the client is to be told, known before the next turn begins. */
  let untold: ReturnType<PlanningSession['choices']> | undefined;
  async function tell(): Promise<void> {
    const found = untold;
    untold = undefined;
    if (found === undefined) return;
    const { configOptions, modes } = await found;
    const { currentModeId } = modes;
    await client.update(session.id, { sessionUpdate: 'current_mode_update', currentModeId });
    await client.update(session.id, { sessionUpdate: 'config_option_update', configOptions });
  }
  const approval: PlanApproval = {
    file: path.join(data.user, 'plans', session.id, 'plan.md'),
    get next() {
      return recorder.hasApprovedPlan(session.id) ? BUILD_AGENT : undefined;
    },
    get metadata() {
      return approval.next === undefined ? {} : { agent: BUILD_AGENT };
    },
    begun: () => void tell().catch((error) => warn(getMessage(error))),
    async approve(toolCallId, signal) {
      for (;;) {
        await recorder.free(signal);
        try {
          recorder.setApprovedPlan(session.id, toolCallId);
          break;
        } catch (error) {
          // Another program was faster, and nothing was stored.
          if (!isBusy(error)) throw error;
        }
      }
      untold = session.choices();
      // Nobody may wait for it until the turn has ended, and a rejection that nobody handles would end the host.
      untold.catch(() => undefined);
      // The mode of the turn that runs is still the plan's; the next one may follow at once.
      session
        .idle()
        .then(tell)
        .catch((error) => warn(getMessage(error)));
    },
  };
  return approval;
}
