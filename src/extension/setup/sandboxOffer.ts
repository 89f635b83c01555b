import type { Translate } from '../text/translate.ts';

export interface SandboxOfferParts {
  /** The user's own values, on this machine. */
  readonly memory: {
    get(key: string): unknown;
    update(key: string, value: unknown): Thenable<void>;
  };
  /** The user's value of `gatehouse.sandbox.autoRun`. Undefined: it is not set. */
  autoRun(): unknown;
  turnOn(): Thenable<void>;
  notify(message: string, ...buttons: readonly string[]): Thenable<string | undefined>;
  onError(error: unknown): void;
  readonly t: Translate;
}

/** Global state key: the offer was shown on this machine. */
const KEY = 'gatehouse.sandboxOffered';

/** Whether commands in a copy may be offered: once, and not to a user who has set it, to either value. */
export function wantsSandboxOffer({
  memory,
  autoRun,
}: Pick<SandboxOfferParts, 'memory' | 'autoRun'>): boolean {
  return memory.get(KEY) !== true && autoRun() === undefined;
}

/** Offers that commands run in a copy, the first time that one would have saved a request. */
export async function offerSandbox(parts: SandboxOfferParts): Promise<void> {
  const { memory, notify, turnOn, t } = parts;
  if (!wantsSandboxOffer(parts)) return;
  try {
    await memory.update(KEY, true);
    const on = t('Turn On');
    const chosen = await notify(
      t(
        'Commands that no rule covers can run in a copy of the workspace instead of asking first. You review what they change.',
      ),
      on,
      t('Not Now'),
    );
    if (chosen === on) await turnOn();
  } catch (error) {
    parts.onError(error);
  }
}
