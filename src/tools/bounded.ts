import { failure, type Outcome } from '../base/outcome.ts';
import { LONGEST_TIMER } from '../base/units.ts';

/** The signals of one call: the turn's, and the one that gives the call up. */
export interface CallSignals {
  readonly signal: AbortSignal;
  /** Aborted when a call is given up, so that what it started ends as well. */
  readonly given: AbortController;
}

/** The tool's answer; an error when it takes longer than `limit` milliseconds, or than an abort may take. */
export function bounded<Result>(
  work: Promise<Result>,
  limit: number,
  { signal, given }: CallSignals,
): Promise<Result | Outcome<never>> {
  return new Promise((resolve, reject) => {
    const timers: NodeJS.Timeout[] = [];
    const stop = () => {
      for (const timer of timers) clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    const giveUpAfter = (ms: number, text: string) => {
      if (ms === Infinity) return;
      const giveUp = () => {
        stop();
        resolve(failure(text));
        given.abort();
      };
      // What is no number of milliseconds at all gives up at once.
      timers.push(setTimeout(giveUp, Number.isNaN(ms) ? 0 : Math.min(ms, LONGEST_TIMER)));
    };
    const onAbort = () => giveUpAfter(ABORT_GRACE_MS, 'The call was aborted.');
    giveUpAfter(limit, `The tool did not end within ${limit} ms and was given up. ${NEXT}`);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    Promise.resolve(work).finally(stop).then(resolve, reject);
  });
}

const NEXT = 'What it had done by then is not known: look before you call again, with less to do.';

/** Milliseconds a tool has after an abort to hand over what it has (spec CA-17). */
const ABORT_GRACE_MS = 3000;

/** What a tool gave back may be anything (spec VC-7). */
export function isOutcome(value: unknown): value is Outcome<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const ok = Reflect.get(value, 'ok');
  if (ok === true) return 'data' in value;
  return ok === false && typeof Reflect.get(value, 'error') === 'string';
}
