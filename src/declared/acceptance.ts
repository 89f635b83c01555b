import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { MB } from '../base/units.ts';
import type { Manifest } from './parseManifest.ts';

/** What the user accepted, by real path and SHA-256. The host keeps it. */
export interface AcceptedManifests {
  has(file: string, hash: string): boolean;
}

/** What an acceptance of a manifest covers. */
export interface Fingerprint {
  readonly file: string;
  /** SHA-256 in hex over the names and contents of `covers`; if one changes, the user is asked again. */
  readonly hash: string;
  /** Absolute paths: the manifest, its neighbours, and the programs and modules it would run. */
  readonly covers: readonly string[];
}

/** The SHA-256 of a file's bytes in hex; undefined when there is no such file. */
export type HashFile = (file: string) => string | undefined;

/**
 * The hash that an acceptance is bound to (corpus MA-053). It covers the manifest and everything it runs,
 * so that an edited entry or a replaced program needs a new acceptance. For a manifest that covers no other
 * file, it is the plain hash of its bytes.
 */
export function fingerprint(manifest: Manifest, hashFile: HashFile): Fingerprint {
  const { file } = manifest;
  const covers = [...new Set([file, ...manifest.covers])];
  const contents = covers.flatMap((each) => {
    const hash = hashFile(each);
    return hash === undefined ? [] : [[path.relative(path.dirname(file), each), hash] as const];
  });
  const [only] = contents;
  const hash = contents.length === 1 && only ? only[1] : sha256(JSON.stringify(contents));
  return { file, hash, covers };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Programs may be large, so they are hashed in blocks of this many bytes. */
const BLOCK = MB;

/** Hashes files, and caches each hash until the file's metadata changes. */
export function createHashFile(): HashFile {
  const known = new Map<string, { readonly facts: string; readonly hash: string }>();
  return (file) => {
    let handle: number | undefined;
    try {
      handle = openSync(file, 'r');
      const { ino, dev, size, mtimeNs, ctimeNs } = fstatSync(handle, { bigint: true });
      const facts = [dev, ino, size, mtimeNs, ctimeNs].join(' ');
      const cached = known.get(file);
      if (cached?.facts === facts) return cached.hash;
      const hash = readHash(handle);
      known.set(file, { facts, hash });
      return hash;
    } catch {
      // A missing or unreadable file can't be covered, nor run.
      return undefined;
    } finally {
      if (handle !== undefined) closeSync(handle);
    }
  };
}

function readHash(handle: number): string {
  const hash = createHash('sha256');
  const block = Buffer.alloc(BLOCK);
  for (let count = readSync(handle, block); count > 0; count = readSync(handle, block)) {
    hash.update(block.subarray(0, count));
  }
  return hash.digest('hex');
}
