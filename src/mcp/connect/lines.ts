/** Splits the output of a server into lines without letting it occupy the host. */
export interface ServerLines {
  add(bytes: Buffer): void;
  /** Drops what has not been taken. */
  stop(): void;
}

export interface LineOptions {
  /** The longest line in bytes. */
  readonly limit: number;
  /** While true, no more output is read. */
  throttle(wait: boolean): void;
  take(line: string): void;
  /** Called once, when the output can't be used any more. */
  fail(why: string): void;
}

/** Milliseconds of work before other things of the host get their turn. */
const BURST_MS = 8;
const PAUSE_MS = 8;
/** More lines than this in a window end the server: nobody asked for them. */
const MOST_LINES = 20_000;
const WINDOW_MS = 10_000;

/** What a server did that sends too many, after its name. */
export const FLOODS = 'sent far more messages than it was asked for.';

export function createLines({ limit, throttle, take, fail }: LineOptions): ServerLines {
  const queue: string[] = [];
  let open: Buffer[] = [];
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const rate = createRate();

  const stop = () => {
    stopped = true;
    clearTimeout(timer);
    queue.length = 0;
    open = [];
  };
  const abandon = (why: string) => {
    if (stopped) return;
    stop();
    throttle(false);
    fail(why);
  };
  const work = () => {
    timer = undefined;
    const end = performance.now() + BURST_MS;
    while (!stopped && queue.length > 0 && performance.now() < end) take(queue.shift() ?? '');
    if (stopped) return;
    throttle(queue.length > 0);
    if (queue.length > 0) timer = setTimeout(work, PAUSE_MS);
  };

  return {
    add(bytes) {
      if (stopped) return;
      let from = 0;
      for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
        if (!rate()) return abandon(`It ${FLOODS}`);
        queue.push(Buffer.concat([...open, bytes.subarray(from, at)]).toString('utf8'));
        open = [];
        size = 0;
        from = at + 1;
      }
      size += bytes.length - from;
      if (from < bytes.length) open.push(bytes.subarray(from));
      if (size > limit) return abandon(`It sent a message of more than ${limit >> 20} MB.`);
      if (timer === undefined) work();
    },
    stop,
  };
}

/** False once there were too many messages in the current window. */
export function createRate(): () => boolean {
  let since = performance.now();
  let count = 0;
  return () => {
    const now = performance.now();
    if (now - since > WINDOW_MS) {
      since = now;
      count = 0;
    }
    count += 1;
    return count <= MOST_LINES;
  };
}
