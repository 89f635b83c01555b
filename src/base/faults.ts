/** The message of a thrown value, which can be anything. */
export function getMessage(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}

/** The error code of a system error, for example `ENOENT`. */
export function getCode(fault: unknown): string | undefined {
  const code = fault instanceof Error && 'code' in fault ? fault.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Whether the process exists, including processes of other users. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (fault) {
    return getCode(fault) === 'EPERM';
  }
}
