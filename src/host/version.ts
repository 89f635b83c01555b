import { readFileSync } from 'node:fs';

/** The product's version, out of the package.json that lies two folders above sources and bundle alike. */
export const VERSION = readVersion();

function readVersion(): string {
  try {
    const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    const { version }: { readonly version?: unknown } = JSON.parse(text);
    return typeof version === 'string' ? version : 'unknown';
  } catch {
    // A bundle that was copied away from its package still serves; it cannot say which it is.
    return 'unknown';
  }
}
