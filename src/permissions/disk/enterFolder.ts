import { lstatSync, realpathSync } from 'node:fs';

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

/** Whether the path, or one of the names below it, is a link. What can't be looked up may be one. */
export function leadsOverLink(path: string, names: readonly string[]): boolean {
  for (let length = 0; length <= names.length; length += 1) {
    try {
      // Names such as `..` are left to the kernel, which follows links before them.
      if (lstatSync([path, ...names.slice(0, length)].join('/')).isSymbolicLink()) return true;
    } catch (error) {
      return !(
        error instanceof Error &&
        'code' in error &&
        /^(?:ENOENT|ENOTDIR)$/.test(`${error.code}`)
      );
    }
  }
  return false;
}
