import { readFileSync } from 'node:fs';

/** Reads a file below `/proc`. Empty when there is no such process or no `/proc`. */
export function readProc(name: string): string {
  try {
    return readFileSync(`/proc/${name}`, 'latin1');
  } catch {
    // It has exited or belongs to another user.
    return '';
  }
}
