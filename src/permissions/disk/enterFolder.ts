import { realpathSync } from 'node:fs';

/**
 * Whether `cd` may lead elsewhere than to the folder with each `..` removed together with the name
 * before it: bash enters the path as written if that folder doesn't exist, so `..` may follow a link.
 * Both paths are absolute.
 */
export function mayLeadElsewhere(written: string, logical: string): boolean {
  if (!/\/\.\.(?:\/|$)/.test(written)) return false;
  const real = toReal(written);
  return real !== undefined && real !== toReal(logical);
}

/** Undefined: there is no such folder. */
function toReal(path: string): string | undefined {
  try {
    // The other variant resolves `..` textually first.
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
