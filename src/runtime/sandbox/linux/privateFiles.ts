import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * What lies below /etc for root alone, such as password hashes and private keys: as root, the sandbox
 * still owns these files, so they are masked. Other users can't read them anyway. Links are left out:
 * what they lead to is found by itself.
 */
export function findPrivateFiles(folder = '/etc'): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isSymbolicLink()) return [];
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
    if (entry.isDirectory()) return (mode & 0o5) === 0 ? [file] : findPrivateFiles(file);
    return entry.isFile() && (mode & 0o4) === 0 ? [file] : [];
  });
}
