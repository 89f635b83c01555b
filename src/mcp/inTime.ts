import type { Clock } from '../base/clock.ts';

/** How long a turn waits for the editor: for values that entries leave to the user, and for what is kept. */
const EDITOR_MS = 500;

/** Resolves with `work`, or when it has taken too long. */
export async function inTime(clock: Clock, work: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = clock.after(EDITOR_MS, () => late.resolve());
  await Promise.race([work, late.promise]);
  timer.dispose();
}
