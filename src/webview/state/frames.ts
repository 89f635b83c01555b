/** Runs work at most once a frame, with what came meanwhile. */
export interface FrameQueue<Value> {
  add(value: Value): void;
  /** Runs what was added, now. */
  flush(): void;
  /** Drops what was added. */
  clear(): void;
}

/** The parts of the browser's window that frames need. Tests replace it. */
export interface FrameWindow {
  requestAnimationFrame(callback: () => void): number;
  cancelAnimationFrame(handle: number): void;
  setTimeout(callback: () => void, delay: number): number;
  clearTimeout(handle: number): void;
}

/** Milliseconds. A page that is not drawn gets no frames, but has to stay up to date. */
const LATEST = 100;

export function createFrameQueue<Value>(
  { requestAnimationFrame, cancelAnimationFrame, setTimeout, clearTimeout }: FrameWindow,
  run: (values: readonly Value[]) => void,
): FrameQueue<Value> {
  let values: Value[] = [];
  let cancel: (() => void) | undefined;
  const clear = () => {
    cancel?.();
    cancel = undefined;
    values = [];
  };
  const flush = () => {
    const taken = values;
    clear();
    if (taken.length > 0) run(taken);
  };
  const schedule = () => {
    const frame = requestAnimationFrame(flush);
    const timer = setTimeout(flush, LATEST);
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  };
  return {
    add(value) {
      values.push(value);
      cancel ??= schedule();
    },
    flush,
    clear,
  };
}
