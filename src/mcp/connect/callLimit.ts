import { startTimeLimit, type Waiting } from '../../runtime/waiting.ts';

/** Progress renews a call's time limit, but not for ever. */
const LONGEST_CALL_MS = 10 * 60_000;

/** The time limit of a call. The time in which the user answers the server does not count. */
export function createCallLimit(ms: number, waiting: Waiting) {
  const over = new AbortController();
  const end = () => over.abort();
  let stop = startTimeLimit(ms, end, waiting);
  const stopAll = startTimeLimit(Math.max(ms, LONGEST_CALL_MS), end, waiting);
  return {
    signal: over.signal,
    renew() {
      stop();
      stop = startTimeLimit(ms, end, waiting);
    },
    stop() {
      stop();
      stopAll();
    },
  };
}
