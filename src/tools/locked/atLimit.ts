import type { DecideAtLimit } from '../../runtime/atLimit.ts';
import type { Runtime } from '../../runtime/runtime.ts';

/** How much longer a command runs when the user lets it, in milliseconds. */
const MORE_MS = 120_000;

/**
 * Asks the user what to do with a command that has reached its time limit. It runs on meanwhile, and
 * without an answer in time it is stopped as if nobody had been asked. Undefined if nobody can be asked.
 */
export function toAtLimit(
  { session: { askAtLimit }, limits, waiting }: Runtime,
  command: { readonly title: string; readonly timeoutMs: number },
): DecideAtLimit | undefined {
  const { commandAnswerMs: answerMs } = limits;
  if (askAtLimit === undefined || answerMs === 0) return undefined;
  let ranMs = command.timeoutMs;
  return async (over) => {
    // The user decides from now on how long it runs; the call's own limit counts again when it ends.
    void waiting?.during(() => whenAborted(over));
    const asked = { title: command.title, ranMs, moreMs: MORE_MS, answerMs };
    const answer = await askAtLimit(asked, AbortSignal.any([over, AbortSignal.timeout(answerMs)]));
    ranMs += MORE_MS;
    return answer === 'continue' ? { moreMs: MORE_MS } : answer;
  };
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
