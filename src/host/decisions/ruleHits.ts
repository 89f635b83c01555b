import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import { readRegularText } from '../../base/disk/readRegular.ts';
import type { Disposable } from '../../base/disposable.ts';
import { getMessage } from '../../base/faults.ts';
import { isRecord, parseJson } from '../../base/json.ts';
import { MB } from '../../base/units.ts';
import type { DecisionEvent } from '../../gate/decisionEvent.ts';
import type { Rule } from '../../permissions/rules/rule.ts';
import { withFileLock } from '../../recorder/file/fileLock.ts';
import { readStamp } from '../config/fileStamp.ts';

/** How often a rule decided something. */
export interface RuleUse {
  readonly hits: number;
  /** Milliseconds since the epoch. */
  readonly lastUsed: number;
}

/** Counts what each rule decided, over all sessions and windows. */
export interface RuleHits extends Disposable {
  /** Counts the rules of a decision, each once. Takes no time of the call. */
  note(event: Pick<DecisionEvent, 'sessionId' | 'rule' | 'subjects'>): void;
  /** Undefined if it never decided anything. Rules of sessions are counted for each session. */
  find(rule: Rule, sessionId: string): RuleUse | undefined;
  /** Adds what is new to the file. */
  flush(): void;
}

export interface RuleHitsOptions {
  warn(message: string): void;
  readonly clock?: Clock;
}

/** Milliseconds in which hits are collected before they are written. */
const SETTLE = 2_000;

/** How long another host may take with the file, in milliseconds. Until then this one waits. */
const LOCK_WAIT = 500;

/** The rules whose hits are kept. Those used least recently are dropped. */
const MOST = 20_000;

type Uses = ReadonlyMap<string, RuleUse>;

/**
 * Keeps the hits in `file`, to which the hosts of all windows add theirs. Counting never fails: a damaged
 * file is moved aside and counted from zero, and what can't be written is tried again; each warns once.
 */
export function openRuleHits(file: string, options: RuleHitsOptions): RuleHits {
  const { warn, clock = systemClock } = options;
  const fresh = new Map<string, RuleUse>();
  const stored = createReader(file);
  let timer: Disposable | undefined;
  let warned = false;
  const warnOnce = (message: string) => {
    if (!warned) warn(message);
    warned = true;
  };
  const flush = () => {
    timer?.dispose();
    timer = undefined;
    if (fresh.size === 0) return;
    try {
      write(file, fresh, warnOnce);
      fresh.clear();
    } catch (fault) {
      warnOnce(`The hits of rules are not kept: ${getMessage(fault)}`);
    }
  };
  return {
    note({ sessionId, rule, subjects }) {
      const lastUsed = clock.now();
      const rules = new Set([rule, ...subjects.map((subject) => subject.rule)]);
      for (const each of rules) {
        if (each !== undefined) add(fresh, toKey(each, sessionId), { hits: 1, lastUsed });
      }
      if (fresh.size > 0) timer ??= clock.after(SETTLE, flush);
    },
    find(rule, sessionId) {
      const key = toKey(rule, sessionId);
      const [before, since] = [stored.read().get(key), fresh.get(key)];
      if (before === undefined || since === undefined) return since ?? before;
      return join(before, since);
    },
    flush,
    dispose: flush,
  };
}

function add(uses: Map<string, RuleUse>, key: string, use: RuleUse): void {
  const known = uses.get(key);
  uses.set(key, known === undefined ? use : join(known, use));
}

function join(a: RuleUse, b: RuleUse): RuleUse {
  return { hits: a.hits + b.hits, lastUsed: Math.max(a.lastUsed, b.lastUsed) };
}

/** Hashes of rules; objects of rules live as long as their configuration. */
const hashes = new WeakMap<Rule, string>();

/** The same for the same words in the same place, wherever in the list they stand. */
function toKey(rule: Rule, sessionId: string): string {
  let hash = hashes.get(rule);
  if (hash === undefined) {
    const { permission, pattern, action, flags, origin } = rule;
    const words = [permission, pattern, action, flags, origin?.layer, origin?.file];
    hash = createHash('sha256').update(JSON.stringify(words)).digest('base64url').slice(0, 22);
    hashes.set(rule, hash);
  }
  return rule.origin?.layer === 'session' ? `${hash}:${sessionId}` : hash;
}

/** Reads the file again after it changed. */
function createReader(file: string): { read(): Uses } {
  let known: Uses = new Map();
  let stamp: string | undefined;
  return {
    read() {
      const now = readStamp(file);
      if (now !== stamp) known = load(file) ?? new Map();
      stamp = now;
      return known;
    },
  };
}

/** Undefined if it is damaged; empty if there is none. */
function load(file: string): Map<string, RuleUse> | undefined {
  const read = readRegularText(file, 16 * MB);
  if (read.state === 'absent') return new Map();
  if (read.state === 'unreadable') return undefined;
  const value = parseJson(read.text);
  if (!isRecord(value)) return undefined;
  const uses = new Map<string, RuleUse>();
  for (const [key, use] of Object.entries(value)) {
    const [hits, lastUsed]: readonly unknown[] = Array.isArray(use) ? use : [];
    if (!isCount(hits) || !isCount(lastUsed)) return undefined;
    uses.set(key, { hits, lastUsed });
  }
  return uses;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function write(file: string, fresh: Uses, warn: (message: string) => void): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const addFresh = () => {
    const before = load(file);
    if (before === undefined) {
      const aside = `${file}.damaged`;
      renameSync(file, aside);
      warn(`The hits of rules could not be read and start at zero. The old file is ${aside}.`);
    }
    const uses = new Map(before);
    for (const [key, use] of fresh) add(uses, key, use);
    replaceFile(file, toText(uses));
  };
  withFileLock(`${file}.lock`, addFresh, LOCK_WAIT);
}

/** The file has all of the text or stays as it was. */
function replaceFile(file: string, text: string): void {
  const next = `${file}.${process.pid}.new`;
  try {
    writeFileSync(next, text, { mode: 0o600 });
    renameSync(next, file);
  } catch (fault) {
    rmSync(next, { force: true });
    throw fault;
  }
}

function toText(uses: Uses): string {
  const newest = [...uses].sort(([, a], [, b]) => b.lastUsed - a.lastUsed).slice(0, MOST);
  return `${JSON.stringify(
    Object.fromEntries(newest.map(([key, { hits, lastUsed }]) => [key, [hits, lastUsed]])),
  )}\n`;
}
