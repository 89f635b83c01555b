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

/** The approval mode of a session. Autopilot exists only while the sandbox is proven. */
export class SessionApproval {
  #chosen: Approval;
  readonly #services: ApprovalServices;
  readonly #configuration: () => HostConfiguration;

  constructor(
    chosen: Approval,
    services: ApprovalServices,
    configuration: () => HostConfiguration,
  ) {
    this.#chosen = chosen;
    this.#services = services;
    this.#configuration = configuration;
  }

  /** The mode in force: Autopilot is Ask while nothing proves that commands can run in a copy. */
  get current(): Approval {
    if (this.#chosen !== 'autopilot') return this.#chosen;
    return !this.#isOff && this.#services.sandbox.isProven() ? 'autopilot' : 'ask';
  }

  /** Returns why the mode can't be set. */
  async set(approval: Approval): Promise<string | undefined> {
    const fault = approval === 'autopilot' ? await this.#findFault() : undefined;
    if (fault === undefined) this.#chosen = approval;
    return fault;
  }

  /** Leaves a mode that does not exist any more, and tells the client. `list` gives the options then. */
  async check(sessionId: string, list: () => Promise<SessionConfigOption[]>): Promise<void> {
    if (this.#chosen !== 'autopilot') return;
    const fault = await this.#findFault();
    if (fault === undefined) return;
    this.#chosen = 'ask';
    await tellAutopilotEnded(this.#services, sessionId, await list(), fault);
  }

  /** Whether Autopilot is listed. Tests nothing. */
  async offersAutopilot(): Promise<boolean> {
    return !this.#isOff && (await this.#services.sandbox.wasProven());
  }

  get #isOff(): boolean {
    return this.#configuration().settings.sandboxMode === 'off';
  }

  /** Why there is no Autopilot, as a sentence. Tests the sandbox if nothing has yet. */
  async #findFault(): Promise<string | undefined> {
    if (this.#isOff) return 'Autopilot needs the sandbox, which gatehouse.sandbox.mode turns off.';
    const state = await this.#services.sandbox.prove();
    return state.proven ? undefined : `Autopilot needs the sandbox. ${state.reason}`;
  }
}

type ApprovalServices = Pick<HostServices, 'client' | 'warn' | 'sandbox'>;

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
