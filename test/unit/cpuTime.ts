/**
 * Milliseconds of processor time that the work takes on this thread. Limits hold against it: the tests run beside each
 * other, the machine may be busy with other things, and other threads of the process compile and collect.
 */
export async function cpuTime(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** The processor time of this thread that the longest step of the work took, in milliseconds. */
export async function longestStep(work: () => Promise<unknown>): Promise<number> {
  const now = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let [last, most, ended] = [now(), 0, false];
  const look = () => {
    most = Math.max(most, now() - last);
    last = now();
    if (!ended) setImmediate(look);
  };
  setImmediate(look);
  await work();
  ended = true;
  look();
  return most;
}
