import type { SessionConfigOption } from '@agentclientprotocol/sdk';
import { getMessage } from '../../../base/faults.ts';
import type { HostConfiguration } from '../../config/configuration.ts';
import type { HostServices } from '../../services/hostServices.ts';
import type { Approval } from './approval.ts';

interface ApprovingSession {
  readonly approval?: Approval;
  configuration(): HostConfiguration;
}

/** Commands that no rule decides run in a copy: by the settings, or because the session is in Autopilot. */
export function runsInCopy(session: ApprovingSession): boolean {
  return session.configuration().settings.runsInCopy || session.approval === 'autopilot';
}

/** The approval mode of a session, stored with it. Autopilot exists only while the sandbox is proven. */
export class SessionApproval {
  #chosen: Approval;
  /** How often the user chose, so that a test of the sandbox doesn't override a newer choice. */
  #choices = 0;
  readonly #services: ApprovalServices;
  readonly #session: ConfiguredSession;

  constructor(chosen: Approval, services: ApprovalServices, session: ConfiguredSession) {
    this.#chosen = chosen;
    this.#services = services;
    this.#session = session;
  }

  /** The mode in force: Autopilot is Ask while nothing proves that commands can run in a copy. */
  get current(): Approval {
    if (this.#chosen !== 'autopilot') return this.#chosen;
    return !this.#isOff && this.#services.sandbox.isProven() ? 'autopilot' : 'ask';
  }

  /** Returns why the mode can't be set. */
  async set(approval: Approval): Promise<string | undefined> {
    const choice = ++this.#choices;
    const fault = approval === 'autopilot' ? await this.#findFault() : undefined;
    if (fault !== undefined) return fault;
    if (choice !== this.#choices) return 'Another approval mode was chosen in the meantime.';
    // Stored first: if that fails, nothing has changed.
    this.#services.recorder.setApproval(this.#session.id, approval);
    this.#chosen = approval;
    return undefined;
  }

  /** Leaves a mode that does not exist any more, and tells the client. `list` gives the options then. */
  async check(list: () => Promise<SessionConfigOption[]>): Promise<void> {
    if (this.#chosen !== 'autopilot') return;
    const choice = this.#choices;
    const fault = await this.#findFault();
    if (fault === undefined || choice !== this.#choices || this.#chosen !== 'autopilot') return;
    this.#chosen = 'ask';
    this.#storeAsk();
    await tellAutopilotEnded(this.#services, this.#session.id, await list(), fault);
  }

  /** What can't be stored is found again when the session is reopened. */
  #storeAsk(): void {
    try {
      this.#services.recorder.setApproval(this.#session.id, 'ask');
    } catch (fault) {
      this.#services.warn(getMessage(fault));
    }
  }

  /** Whether Autopilot is listed. Tests nothing. */
  async offersAutopilot(): Promise<boolean> {
    return !this.#isOff && (await this.#services.sandbox.wasProven());
  }

  get #isOff(): boolean {
    return this.#session.configuration().settings.sandboxMode === 'off';
  }

  /** Why there is no Autopilot, as a sentence. Tests the sandbox if nothing has yet. */
  async #findFault(): Promise<string | undefined> {
    if (this.#isOff) return 'Autopilot needs the sandbox, which gatehouse.sandbox.mode turns off.';
    const state = await this.#services.sandbox.prove();
    return state.proven ? undefined : `Autopilot needs the sandbox. ${state.reason}`;
  }
}

interface ConfiguredSession extends Pick<ApprovingSession, 'configuration'> {
  readonly id: string;
}

type ApprovalServices = Pick<HostServices, 'client' | 'recorder' | 'warn' | 'sandbox'>;

/** Tells the client that the session is in Ask again. What can't be sent goes to the log. */
async function tellAutopilotEnded(
  { client, warn }: ApprovalServices,
  sessionId: string,
  configOptions: SessionConfigOption[],
  fault: string,
): Promise<void> {
  const title = 'Autopilot has ended. The session asks again.';
  warn(`${title} ${fault}`);
  const failed = (error: unknown) => warn(getMessage(error));
  const changed = { sessionUpdate: 'config_option_update', configOptions } as const;
  await client.update(sessionId, changed).catch(failed);
  if (!client.facts.notices) return;
  const notice = {
    sessionUpdate: 'notice',
    severity: 'warning',
    title,
    description: fault,
  } as const;
  await client.update(sessionId, notice).catch(failed);
}
