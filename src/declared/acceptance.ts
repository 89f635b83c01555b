import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import path from 'node:path';
import { type FileHash, hashRegular } from '../base/disk/readRegular.ts';
import { failure, type Outcome, success } from '../base/outcome.ts';
import { listCovered } from './covered/listCovered.ts';
import { createLookUps } from './covered/lookUps.ts';
import type { Manifest } from './parseManifest.ts';

/** What the user accepted, by file and SHA-256. The host keeps it. */
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

/** Hashes a file's content. Rejects when the signal aborts. */
type HashFile = (file: string, signal?: AbortSignal) => Promise<FileHash>;

/**
 * The current fingerprint of a manifest, whose hash an acceptance is bound to (corpus MA-053). It covers the manifest and everything it runs,
 * so that an edited entry or a replaced program needs a new acceptance. For a manifest that covers no other
 * file, it is the plain hash of its bytes. Fails if a covered file exists but can't be read.
 */
export async function getFingerprint(
  manifest: Manifest,
  signal?: AbortSignal,
): Promise<Outcome<Fingerprint>> {
  const { file } = manifest;
  const covered = await listCovered(manifest);
  if (!covered.ok) return covered;
  const covers = covered.data;
  const contents: (readonly [string, string])[] = [];
  const { pause } = createLookUps();
  for (const each of covers) {
    const hashed = await hashFile(each, signal);
    await pause();
    if (hashed.state === 'unreadable') return failure(`${each} cannot be read: ${hashed.why}.`);
    if (hashed.state === 'read')
      contents.push([path.relative(path.dirname(file), each), hashed.hash]);
  }
  const [only] = contents;
  const hash = contents.length === 1 && only ? only[1] : sha256(JSON.stringify(contents));
  return success({ file, hash, covers });
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Hashes files, and caches each hash until the file's metadata changes. */
function createHashFile(): HashFile {
  const known = new Map<string, { readonly facts: string; readonly hash: FileHash }>();
  return async (file, signal) => {
    const facts = readFacts(file);
    const cached = known.get(file);
    if (facts !== undefined && cached?.facts === facts) return cached.hash;
    const hash = await hashRegular(file, signal);
    // A file that changed meanwhile is hashed again the next time.
    if (facts !== undefined && facts === readFacts(file)) known.set(file, { facts, hash });
    return hash;
  };
}

/** Synchronous: most files didn't change, and a trip to another thread takes longer than the look. */
function readFacts(file: string): string | undefined {
  try {
    const { ino, dev, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    // `hashRegular` reports why.
    return undefined;
  }
}

const hashFile = createHashFile();
