import type { Clock } from '../../base/clock.ts';
import type { SessionCopies } from './sessionCopies.ts';

export interface RetriedCopies {
  /** Rejects when the test could not be made; the next use tries again then. */
  open(): Promise<SessionCopies>;
  /** Undefined when they were never opened. Tests nothing. */
  opened(): Promise<SessionCopies | undefined>;
}

/**
 * The copies, opened once on first use. While the sandbox isn't proven, a use after a minute tests it again, and one
 * after bubblewrap changed does at once: a full disk or a missing program must not last as long as the host.
 */
export function createRetriedCopies(
  test: () => Promise<SessionCopies>,
  clock: Pick<Clock, 'now'>,
): RetriedCopies {
  let opening: Promise<SessionCopies> | undefined;
  let testedAt = 0;
  const start = (before?: SessionCopies): Promise<SessionCopies> => {
    const run = async () => {
      await before?.dispose();
      const opened = await test();
      testedAt = clock.now();
      return opened;
    };
    const started = run();
    opening = started;
    started.catch(() => {
      if (opening === started) opening = undefined;
    });
    return started;
  };
  return {
    async open() {
      const current = opening;
      if (current === undefined) return start();
      const opened = await current;
      if (opening !== current) return opening ?? start();
      const isRecent = clock.now() - testedAt < RETRY_MS;
      return opened.state.proven || (isRecent && opened.isCurrent()) ? opened : start(opened);
    },
    opened: async () => opening?.catch(() => undefined),
  };
}

const RETRY_MS = 60_000;
