import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readRegularText } from '../../base/disk/readRegular.ts';
import { isRecord, parseJson, toRecord } from '../../base/json.ts';
import { MB } from '../../base/units.ts';
import { parseRules } from '../../permissions/rules/parseRules.ts';
import type { StoredRule } from '../../permissions/rules/policy.ts';
import { withFileLock } from '../../recorder/file/fileLock.ts';
import { readStamp } from './fileStamp.ts';

/**
 * What the user accepted of a workspace's files, by content hash and workspace folder. Stored
 * outside every repository (spec decision 8, decision 12).
 */
export interface Acceptances {
  /**
   * `hash`: SHA-256 in hex of the file's bytes, or of one rule (`ruleHash`). Throws if the store can't be
   * read or written; what it holds is then kept.
   */
  accept(file: string, hash: string, accepted: boolean): void;
  /** Accepts them in one write. Throws as `accept` does. */
  acceptAll(file: string, hashes: readonly string[]): void;
  has(file: string, hash: string): boolean;
  /** The rules that `keepRules` kept last for the file; none if that can't be read. */
  keptRules(file: string): readonly StoredRule[];
  /** Keeps the accepted rules of a file, so that what changed since can be shown. They accept nothing. */
  keepRules(file: string, rules: readonly StoredRule[]): void;
  /** Changes with every acceptance, made in this process or another. */
  stamp(): string;
}

type Store = Readonly<Record<string, readonly string[]>>;

export function openAcceptances(store: string): Acceptances {
  let known: Store = {};
  let stamp: string | undefined;
  // Reread when it changed: another window may have revoked an acceptance.
  const load = () => {
    const now = readStamp(store);
    if (now !== stamp) known = readStore(store);
    stamp = now;
    return known;
  };
  const change = (file: string, to: (hashes: readonly string[]) => readonly string[]) => {
    const key = toKey(file);
    mkdirSync(path.dirname(store), { recursive: true, mode: 0o700 });
    withFileLock(`${store}.lock`, () => {
      const current = readForChange(store);
      writeStore(store, { ...current, [key]: to(current[key] ?? []) });
    });
    // Two writes may have the same timestamp.
    stamp = undefined;
  };
  const has = (file: string, hash: string) => (load()[toKey(file)] ?? []).includes(hash);
  return {
    has,
    accept: (file, hash, accepted) =>
      change(file, (hashes) => {
        const others = hashes.filter((each) => each !== hash);
        return accepted ? [...others, hash] : others;
      }),
    acceptAll: (file, added) => change(file, (hashes) => [...new Set([...hashes, ...added])]),
    keptRules: (file) => {
      const read = readRegularText(rulesFile(store), STORE_BYTES);
      const kept = read.state === 'read' ? toRecord(parseJson(read.text))[toKey(file)] : [];
      return parseRules(Array.isArray(kept) ? kept : [], 'project').rules;
    },
    keepRules(file, rules) {
      const kept = rules.map(({ permission, pattern, action }) => ({
        permission,
        pattern,
        action,
      }));
      const target = rulesFile(store);
      withFileLock(`${store}.lock`, () => {
        const read = readRegularText(target, STORE_BYTES);
        const others = read.state === 'read' ? toRecord(parseJson(read.text)) : {};
        writeStore(target, { ...others, [toKey(file)]: kept });
      });
    },
    stamp: () => readStamp(store),
  };
}

/** The texts of accepted rules, of which the store has the hashes only. */
function rulesFile(store: string): string {
  return `${store.replace(/\.json$/, '')}-rules.json`;
}

/** The hash under which a workspace rule is accepted. An edited rule has another hash. */
export function ruleHash(rule: {
  readonly permission: string;
  readonly pattern: string;
  readonly action: string;
}): string {
  return sha256(JSON.stringify([rule.permission, rule.pattern, rule.action]));
}

/** In hex. */
export function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Folders of a workspace that hold files which are accepted. */
const OWN_FOLDERS: ReadonlySet<string> = new Set(['.vscode', '.gatehouse', '.claude']);

/**
 * The name under which what is accepted of a file is kept: that of its workspace folder with links resolved, and from there
 * on as written. A workspace may have links to the files of another, and has not been accepted with it.
 */
function toKey(file: string): string {
  const whole = path.resolve(file);
  const names = whole.split(path.sep);
  const own = names.findLastIndex((name, at) => at > 0 && OWN_FOLDERS.has(name));
  const start = own > 0 ? own : names.length - 1;
  return path.join(
    realFolder(names.slice(0, start).join(path.sep) + path.sep),
    ...names.slice(start),
  );
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // The acceptance in a deleted folder can still be revoked.
    return path.resolve(folder);
  }
}

/** A store that can't be read accepts nothing, which only tightens. */
function readStore(store: string): Store {
  const read = readRegularText(store, STORE_BYTES);
  return read.state === 'read' ? toStore(parseJson(read.text)) : {};
}

/** The store as it is to be changed. A damaged one must not be replaced by an almost empty one. */
function readForChange(store: string): Store {
  const read = readRegularText(store, STORE_BYTES);
  if (read.state === 'absent') return {};
  if (read.state === 'unreadable') throw new Error(`${store} cannot be read: ${read.why}.`);
  const value = parseJson(read.text);
  if (!isRecord(value)) throw new Error(`${store} is damaged. Move it away and accept again.`);
  return toStore(value);
}

/** Far more than any user accepts. */
const STORE_BYTES = 64 * MB;

function toStore(value: unknown): Store {
  return Object.fromEntries(
    Object.entries(toRecord(value)).map(([key, hashes]) => [
      key,
      Array.isArray(hashes) ? hashes.filter((each) => typeof each === 'string') : [],
    ]),
  );
}

function writeStore(store: string, value: object): void {
  const next = `${store}.${process.pid}.new`;
  writeFileSync(next, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(next, store);
}
