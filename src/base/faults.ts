/** What a fault says. Anything can be thrown. */
export function getMessage(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}

/** The system's code of a fault, for example `ENOENT`. */
export function getCode(fault: unknown): string | undefined {
  const code = fault instanceof Error && 'code' in fault ? fault.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Also a process of another user runs. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (fault) {
    return getCode(fault) === 'EPERM';
  }
}
