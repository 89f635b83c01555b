import type { Stats } from 'node:fs';

/** A stamp that changes whenever the file is written, replaced or truncated. */
export function toStamp({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join(':');
}
