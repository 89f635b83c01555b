import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { toRecord } from '../../base/json.ts';
import { readStamp } from './fileStamp.ts';

/**
 * What the user accepted of the files a workspace brings, by content hash and real path, kept
 * outside every repository (spec decision 8, decision 12).
 */
export interface Acceptances {
  /** SHA-256 in hex of the file's bytes, or of one rule (`ruleHash`). */
  accept(file: string, hash: string, accepted: boolean): void;
  has(file: string, hash: string): boolean;
  /** The file as it is now was accepted as a whole. */
  hasFile(file: string): boolean;
  /** Changes with every acceptance, whichever process it was made in. */
  stamp(): string;
}

type Store = Readonly<Record<string, readonly string[]>>;

export function openAcceptances(store: string): Acceptances {
  let known: Store = {};
  let stamp: string | undefined;
  // Read again when it changed: another window may have taken an acceptance back.
  const load = () => {
    const now = readStamp(store);
    if (now !== stamp) known = readStore(store);
    stamp = now;
    return known;
  };
  const has = (file: string, hash: string) => (load()[realPath(file)] ?? []).includes(hash);
  return {
    has,
    hasFile: (file) => {
      const hash = fileHash(file);
      return hash !== undefined && has(file, hash);
    },
    accept(file, hash, accepted) {
      const current = readStore(store);
      const key = realPath(file);
      const others = (current[key] ?? []).filter((each) => each !== hash);
      writeStore(store, { ...current, [key]: accepted ? [...others, hash] : others });
      // Two writes may fall into one tick of the disk's clock.
      stamp = undefined;
    },
    stamp: () => readStamp(store),
  };
}

/** The hash under which one workspace rule is accepted; a rule edited later is another rule. */
export function ruleHash(rule: {
  readonly permission: string;
  readonly pattern: string;
  readonly action: string;
}): string {
  return sha256(JSON.stringify([rule.permission, rule.pattern, rule.action]));
}

function fileHash(file: string): string | undefined {
  try {
    return sha256(readFileSync(file));
  } catch {
    // A file that cannot be read was not accepted either.
    return undefined;
  }
}

/** In hex. */
export function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    // The acceptance of a file that no longer exists can still be revoked.
    return path.resolve(file);
  }
}

/** A damaged store accepts nothing: that only tightens. */
function readStore(store: string): Store {
  try {
    const value = toRecord(JSON.parse(readFileSync(store, 'utf8')));
    return Object.fromEntries(
      Object.entries(value).map(([key, hashes]) => [
        key,
        Array.isArray(hashes) ? hashes.filter((each) => typeof each === 'string') : [],
      ]),
    );
  } catch {
    // Not there yet, or damaged.
    return {};
  }
}

function writeStore(store: string, value: object): void {
  mkdirSync(path.dirname(store), { recursive: true, mode: 0o700 });
  const next = `${store}.${process.pid}.new`;
  writeFileSync(next, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(next, store);
}
