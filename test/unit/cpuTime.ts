/**
 * Milliseconds of CPU time that the work takes. Limits hold against it, not against the clock: the
 * tests run beside each other, and the machine may be busy with other things.
 */
export async function cpuTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
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
