import { failure, type Outcome } from '../base/outcome.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { startTimeLimit, toEitherWaiting, type Waiting } from '../runtime/waiting.ts';

/** The signals of one call: the turn's, and the one that abandons the call. */
export interface CallSignals {
  readonly signal: AbortSignal;
  /** Aborted when the call is abandoned, so that everything it started ends as well. */
  readonly given: AbortController;
  /** What it runs in: time in which the call or a confined program waits for the user does not count. */
  readonly runtime?: Pick<Runtime, 'confined' | 'waiting'>;
}

/**
 * The tool's result, or an error when it takes longer than `limit` milliseconds, not counting those in which it
 * waits for the user, or outlives an abort.
 */
export function bounded<Result>(
  work: Promise<Result>,
  limit: number,
  { signal, given, runtime }: CallSignals,
): Promise<Result | Outcome<never>> {
  return new Promise((resolve, reject) => {
    const limits: (() => void)[] = [];
    const stop = () => {
      for (const stopLimit of limits) stopLimit();
      signal.removeEventListener('abort', onAbort);
    };
    const giveUpAfter = (ms: number, text: string, during?: Waiting) => {
      if (ms === Infinity) return;
      const giveUp = () => {
        stop();
        resolve(failure(text));
        given.abort();
      };
      // NaN gives up immediately.
      limits.push(startTimeLimit(Number.isNaN(ms) ? 0 : ms, giveUp, during));
    };
    const onAbort = () => giveUpAfter(ABORT_GRACE_MS, 'The call was aborted.');
    giveUpAfter(
      limit,
      `The tool did not finish within ${limit} ms and was stopped. ${NEXT}`,
      toEitherWaiting(runtime?.confined?.waiting, runtime?.waiting),
    );
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    Promise.resolve(work).finally(stop).then(resolve, reject);
  });
}

const NEXT = 'It may have had effects already: check them first, then retry with a smaller task.';

/** Milliseconds a tool has after an abort to return what it has (spec CA-17). */
const ABORT_GRACE_MS = 3000;

/** A tool may return anything (spec VC-7). */
export function isOutcome(value: unknown): value is Outcome<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const ok = Reflect.get(value, 'ok');
  if (ok === true) return 'data' in value && isTextOrAbsent(Reflect.get(value, 'lint'));
  return ok === false && typeof Reflect.get(value, 'error') === 'string';
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}
