import { readFileSync } from 'node:fs';

/** The product's version, from package.json, which is two folders above both the sources and the bundle. */
export const VERSION = readVersion();

function readVersion(): string {
  try {
    const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    const { version }: { readonly version?: unknown } = JSON.parse(text);
    return typeof version === 'string' ? version : 'unknown';
  } catch {
    // A bundle that was copied out of its package still works, without a version.
    return 'unknown';
  }
}
