import { isDeepStrictEqual } from 'node:util';
import type { SandboxStatus } from '../../acp/gatehouse/configure.ts';
import type { SandboxState } from '../../runtime/sandbox/sandbox.ts';
import type { Client } from '../client/client.ts';
import { notifyClient } from '../client/requestClient.ts';
import type { Settings } from '../config/settings.ts';

export interface SandboxStatusParts {
  readonly client: Client;
  settings(): Pick<Settings, 'sandboxMode' | 'runsInCopy'>;
  warn(message: string): void;
}

/** What is known of the self-test. */
export interface SandboxProof {
  /** Whether it passed in this process. */
  isProven(): boolean;
  /** Whether it passed here, or in an earlier process on the same machine. Tests nothing. */
  wasProven(): Promise<boolean>;
  /** Tests the sandbox, unless that was done. It isn't proven when bwrap is another by now. */
  prove(): Promise<SandboxState>;
}

/** Tells a client that shows it what the sandbox is at the moment. */
export function createSandboxStatus({ client, settings, warn }: SandboxStatusParts) {
  let tested: SandboxState | undefined;
  let sent: SandboxStatus | undefined;
  let offered = false;
  const notify = (status: SandboxStatus): void => {
    notifyClient(client, 'sandboxChanged', status).catch((error) => warn(String(error)));
  };
  const publish = (): void => {
    if (!client.facts.sandbox) return;
    const status = toStatus(settings().sandboxMode, tested);
    if (isDeepStrictEqual(status, sent)) return;
    sent = status;
    notify(status);
  };
  return {
    /** Call it when the settings changed. */
    publish,
    /** Undefined: not tested in this process. */
    state: () => tested,
    /** Whether the client would offer that commands run in a copy. */
    wantsOffer(): boolean {
      const { sandboxMode, runsInCopy } = settings();
      return client.facts.sandboxOffer && !offered && !runsInCopy && sandboxMode !== 'off';
    },
    /** Sends the offer once, if the self-test passes. */
    async offer(prove: () => Promise<SandboxState>): Promise<void> {
      if (offered) return;
      offered = true;
      const state = await prove();
      // Where commands look only, there is no copy to offer.
      if (state.proven && !state.looksOnly)
        notify({ ...toStatus(settings().sandboxMode, state), offer: true });
    },
    /** Call it when the self-test ended. */
    tested(state: SandboxState): void {
      tested = state;
      publish();
    },
  };
}

function toStatus(mode: Settings['sandboxMode'], tested: SandboxState | undefined): SandboxStatus {
  if (mode === 'off') return { state: 'off' };
  const required = mode === 'require' && { required: true };
  if (tested === undefined) return { state: 'untested', ...required };
  if (tested.proven) return { state: 'proven', ...required };
  return { state: 'unproven', reason: tested.reason, ...required };
}
