import { failure, type Outcome } from '../base/outcome.ts';
import type { AskReply } from './call.ts';

/** The tool's answer; an error when it takes longer than `limit` milliseconds, or than an abort may take. */
export function bounded(
  work: Promise<unknown>,
  limit: number,
  signal: AbortSignal,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timers: NodeJS.Timeout[] = [];
    const failAfter = (ms: number, text: string) => {
      if (Number.isFinite(ms)) timers.push(setTimeout(() => resolve(failure(text)), ms));
    };
    failAfter(limit, `The tool did not end within ${limit} ms and was given up.`);
    const onAbort = () => failAfter(ABORT_GRACE_MS, 'The call was aborted.');
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    const stop = () => {
      for (const timer of timers) clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    Promise.resolve(work).then(resolve, reject).finally(stop);
  });
}

/** Milliseconds a tool has after an abort to hand over what it has (CA-17). */
const ABORT_GRACE_MS = 3000;

/** Resolves to `cancelled` when the turn is aborted: a later click has no effect (VC-39). */
export function settle(reply: Promise<AskReply>, signal: AbortSignal): Promise<AskReply> {
  const aborted = new Promise<AskReply>((resolve) => {
    const cancel = () => resolve({ outcome: 'cancelled' });
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  });
  return Promise.race([reply, aborted]);
}

/** What a tool gave back may be anything (VC-7). */
export function isOutcome(value: unknown): value is Outcome<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const ok = Reflect.get(value, 'ok');
  if (ok === true) return 'data' in value;
  return ok === false && typeof Reflect.get(value, 'error') === 'string';
}
