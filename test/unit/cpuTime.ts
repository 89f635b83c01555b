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
