import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import path from 'node:path';

/** First bytes of what a POSIX system can execute: `#!`, ELF, and Mach-O in its spellings. */
const FORMATS = ['2321', '7f454c46', 'feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', 'cafebabe'];

/**
 * Why the system can't execute this program; undefined if it can, or decides itself. The system's
 * library would run such a file as a script of `/bin/sh`.
 */
export function findFormatFault(file: string, cwd: string | undefined): string | undefined {
  if (process.platform === 'win32' || !file.includes('/')) return undefined;
  const head = readHead(path.resolve(cwd ?? '', file));
  if (head === undefined || FORMATS.some((format) => head.startsWith(format))) return undefined;
  const what = head === '' ? 'The file is empty.' : 'The file has no executable format.';
  return `spawn ${file} ENOEXEC: ${what} A script must start with "#!" and its interpreter.`;
}

/** The first four bytes in hex; undefined for what is no file, can't be read or can't be executed. */
function readHead(file: string): string | undefined {
  let handle: number | undefined;
  try {
    // Opening a pipe would block.
    if (!statSync(file).isFile()) return undefined;
    accessSync(file, constants.X_OK);
    handle = openSync(file, 'r');
    const bytes = Buffer.alloc(4);
    return bytes.subarray(0, readSync(handle, bytes, 0, 4, 0)).toString('hex');
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
