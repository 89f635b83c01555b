import type { Stats } from 'node:fs';

/**
 * Whether this user made a file or folder read-only. Replacing a file needs no write permission on it, so its mode is
 * checked.
 */
export function isReadOnly({ mode, uid }: Stats): boolean {
  const me = process.geteuid?.();
  return (mode & 0o200) === 0 && me !== 0 && (me === undefined || me === uid);
}
