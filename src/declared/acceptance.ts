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
  const hashed = await hashCovered(manifest, signal);
  return hashed.ok ? success(toFingerprint(manifest, hashed.data)) : hashed;
}

/**
 * The fingerprint of a manifest as it was parsed. Fails if one of the files that it was parsed from is another one by now:
 * then an acceptance would cover something else than what is shown and run.
 */
export async function getParsedFingerprint(manifest: Manifest): Promise<Outcome<Fingerprint>> {
  const hashed = await hashCovered(manifest);
  if (!hashed.ok) return hashed;
  for (const [file, hash] of manifest.readAs) {
    if (hashed.data.get(file) === hash) continue;
    return failure(`${file} changed while it was read. Try again.`);
  }
  return success(toFingerprint(manifest, hashed.data));
}

/** The hash of each covered file; undefined: it is not there. */
type Hashes = ReadonlyMap<string, string | undefined>;

async function hashCovered(manifest: Manifest, signal?: AbortSignal): Promise<Outcome<Hashes>> {
  const covered = await listCovered(manifest);
  if (!covered.ok) return covered;
  const hashes = new Map<string, string | undefined>();
  const { pause } = createLookUps();
  for (const each of covered.data) {
    const hashed = await hashFile(each, signal);
    await pause();
    if (hashed.state === 'unreadable') return failure(`${each} cannot be read: ${hashed.why}.`);
    hashes.set(each, hashed.state === 'read' ? hashed.hash : undefined);
  }
  return success(hashes);
}

function toFingerprint({ file }: Manifest, hashes: Hashes): Fingerprint {
  const folder = path.dirname(file);
  const contents = [...hashes].flatMap(([each, hash]) =>
    hash === undefined ? [] : [[path.relative(folder, each), hash] as const],
  );
  const [only] = contents;
  const hash = contents.length === 1 && only ? only[1] : sha256(JSON.stringify(contents));
  return { file, hash, covers: [...hashes.keys()] };
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
