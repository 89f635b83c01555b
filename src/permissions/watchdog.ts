import type { Call, Judgement, Policy } from './policy.ts';

/** What the built-in watchdog is told. */
export interface WatchdogOptions {
  /** Secrets the host knows: they may stand in no argument. */
  readonly secrets: readonly string[];
  /** The same call this often in a row is a doom loop. */
  readonly repeatLimit: number;
}

export function createBuiltInWatchdog(_options: WatchdogOptions) {
  return {
    judge: (
      call: Call,
      policy: Policy,
      judge: (call: Call, policy: Policy) => Promise<Judgement>,
    ): Promise<Judgement> => judge(call, policy),
  };
}
