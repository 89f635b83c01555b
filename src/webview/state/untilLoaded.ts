/** Milliseconds before the second attempt. Each further one waits twice as long, up to `LONGEST`. */
const FIRST = 1_000;
const LONGEST = 30_000;

/**
 * Loads something, and tries again for as long as that fails: a remote window can be cut off for a moment.
 * Returns what ends it.
 *
 * @param wait runs the work after as many milliseconds, and returns what cancels that
 */
export function untilLoaded<Loaded>(
  load: () => Promise<Loaded>,
  use: (loaded: Loaded) => void,
  wait: (work: () => void, delay: number) => () => void,
): () => void {
  let ended = false;
  let cancel: (() => void) | undefined;
  const attempt = (delay: number) => {
    load().then(
      (loaded) => {
        if (!ended) use(loaded);
      },
      () => {
        if (!ended) cancel = wait(() => attempt(Math.min(LONGEST, delay * 2)), delay);
      },
    );
  };
  attempt(FIRST);
  return () => {
    ended = true;
    cancel?.();
  };
}
