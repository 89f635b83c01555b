import type { Clock } from '../../base/clock.ts';
import { ARM_DELAY } from '../../webview/messages/asks.ts';
import { plainNotice } from '../text/plainNotice.ts';

/** Shows a notice with buttons. Resolves with the one that the user chose. */
export type Notify = (
  message: string,
  ...buttons: readonly string[]
) => Thenable<string | undefined>;

/**
 * Notices are stacked: when one is answered, the next one slides into its place, where the second click
 * of a double click answers it too. Such an answer counts as none, and the notice is shown again. No text
 * makes a link.
 */
export function createSteadyNotices(show: Notify, clock: Clock): Notify {
  let answered = Number.NEGATIVE_INFINITY;
  return async (message, ...buttons) => {
    for (;;) {
      const chosen = await show(plainNotice(message), ...buttons);
      if (chosen === undefined) return undefined;
      const age = clock.now() - answered;
      answered = clock.now();
      // The system clock may be set back.
      if (age < 0 || age >= ARM_DELAY) return chosen;
    }
  };
}
