import type { Evaluation } from '../decide/evaluation.ts';
import type { ReadGit } from '../rules/policy.ts';

/** How long git is asked, in milliseconds, unless the policy limits it. */
const LOOK_MS = 2000;
/** Starting a program takes long on some machines, and a look that is cut off asks. */
const SLOWER = 4;

/**
 * Runs `use` with a git that stops answering when the time is over, counted from `started`
 * (`performance.now()`).
 */
export async function askGit<T>(
  { policy }: Evaluation,
  started: number,
  use: (read: ReadGit, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { readGit } = policy;
  const lookMs = policy.lookMs === undefined ? LOOK_MS : policy.lookMs * SLOWER;
  const stop = new AbortController();
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(
    () => {
      stop.abort();
      late.resolve(undefined);
    },
    Math.max(0, lookMs - (performance.now() - started)),
  );
  try {
    // A git that doesn't answer doesn't hold up the decision.
    return await use((...asked) => Promise.race([readGit(...asked), late.promise]), stop.signal);
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}
