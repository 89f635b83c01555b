import { appendFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import { readRegularText } from '../../base/disk/readRegular.ts';
import type { Disposable } from '../../base/disposable.ts';
import { getMessage } from '../../base/faults.ts';
import { isRecord, parseJson } from '../../base/json.ts';
import { MB } from '../../base/units.ts';
import { type Redact, redactDeep } from '../../declared/run/redact.ts';
import type { DecisionEvent } from '../../gate/decisionEvent.ts';
import type { Rule } from '../../permissions/rules/rule.ts';
import { createRuleLists, type RuleLists, type RuleRefs } from './ruleLists.ts';

/** Keeps the decisions of each session, with the rules in force (spec CS-98). */
export interface DecisionLog {
  /** Never throws, and writes nothing before it returns. */
  write(event: DecisionEvent): void;
  /** The decisions of a session, oldest first, also those not written yet. */
  read(sessionId: string): Promise<LogContent>;
  /** The rules that a decision refers to, as far as they are still there. */
  rules(refs: unknown): readonly Rule[];
  /** Writes what is left. */
  close(): Promise<void>;
}

export interface LogContent {
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** How many lines could not be read. */
  readonly damaged: number;
}

export interface DecisionLogOptions {
  readonly folder: string;
  /** Replaces secrets in what is written. */
  readonly redact: Redact;
  /** Called at most once. */
  warn(message: string): void;
  readonly clock?: Clock;
  /** The size in bytes at which a log is renamed; the one before it is dropped. Default: 2 MB. */
  readonly fullAt?: number;
  /** The logs that are kept; those not written for longest are dropped. Default: 300. */
  readonly most?: number;
}

/** Milliseconds in which decisions are collected before they are written. */
const SETTLE = 200;

/** Decisions that wait to be written. More are dropped, with a warning. */
const MOST_WAITING = 10_000;

/** Lists of rules that are kept, besides those that were used last. */
const MOST_LISTS = 1_000;

interface Entry {
  readonly at: number;
  readonly event: DecisionEvent;
  readonly refs: RuleRefs;
}

export function openDecisionLog(options: DecisionLogOptions): DecisionLog {
  const { folder, redact, clock = systemClock } = options;
  const lists = createRuleLists(path.join(folder, 'rules'), redact);
  const write = createWriter(options, lists);
  let warned = false;
  let waiting: Entry[] = [];
  let timer: Disposable | undefined;
  let writing = Promise.resolve();
  const warn = (what: unknown) => {
    if (!warned) options.warn(`Decisions are not logged: ${getMessage(what)}`);
    warned = true;
  };
  const flush = (): Promise<void> => {
    timer?.dispose();
    timer = undefined;
    const entries = waiting;
    waiting = [];
    if (entries.length > 0) writing = writing.then(() => write(entries)).catch(warn);
    return writing;
  };
  return {
    write(event) {
      if (waiting.length >= MOST_WAITING) return warn('too many of them wait to be written.');
      waiting.push({ at: clock.now(), event, refs: lists.toRefs(event.rules) });
      timer ??= clock.after(SETTLE, flush);
    },
    async read(sessionId) {
      await flush();
      const file = toFile(folder, sessionId);
      return readLines([`${file}.1`, file]);
    },
    rules: (refs) => lists.load(toRefs(refs)),
    close: flush,
  };
}

function createWriter(options: DecisionLogOptions, lists: RuleLists) {
  const { folder, redact, fullAt = 2 * MB, most = 300 } = options;
  let opened = false;

  async function open(): Promise<void> {
    await mkdir(path.join(folder, 'rules'), { recursive: true, mode: 0o700 });
    if (opened) return;
    opened = true;
    await removeOldest(folder, 2 * most);
    await removeOldest(path.join(folder, 'rules'), MOST_LISTS);
  }

  return async (entries: readonly Entry[]): Promise<void> => {
    await open();
    for (const { refs } of entries) await lists.store(refs);
    for (const [sessionId, own] of Map.groupBy(entries, ({ event }) => event.sessionId)) {
      const file = toFile(folder, sessionId);
      const size = await getSize(file);
      if (size >= fullAt) await rename(file, `${file}.1`);
      const text = own.map((entry) => toLine(entry, redact)).join('');
      // A line that a killed host didn't finish must not spoil the next one.
      const cut = size > 0 && size < fullAt && !(await endsLine(file)) ? '\n' : '';
      await appendFile(file, cut + text, { mode: 0o600 });
    }
  };
}

/** Ids of sessions are names; any other text is not used as one. */
function toFile(folder: string, sessionId: string): string {
  const name = /^[\w-]{1,80}$/.test(sessionId)
    ? sessionId
    : `x${Buffer.from(sessionId).toString('hex').slice(0, 80)}`;
  return path.join(folder, `${name}.jsonl`);
}

function toLine({ at, event, refs }: Entry, redact: Redact): string {
  const { rules: _rules, ...rest } = event;
  const line = { event: 'permission.evaluate', at, ...rest, rules: refs };
  return `${JSON.stringify(redactDeep(line, redact))}\n`;
}

async function getSize(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  if (found !== undefined && !found.isFile()) throw new Error(`${file} is not a file.`);
  return found?.size ?? 0;
}

async function endsLine(file: string): Promise<boolean> {
  const { open } = await import('node:fs/promises');
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
    return buffer[0] === 10;
  } finally {
    await handle.close();
  }
}

async function removeOldest(folder: string, most: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /\.json/.test(name));
  if (names.length <= most) return;
  const files = await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name);
      const time = (await stat(file).catch(() => undefined))?.mtimeMs ?? 0;
      return { file, time };
    }),
  );
  const old = files.sort((a, b) => b.time - a.time).slice(most);
  await Promise.all(old.map(({ file }) => rm(file, { force: true })));
}

/** More than a log and the batch after which it is renamed. */
const LOG_BYTES = 64 * MB;

function readLines(files: readonly string[]): LogContent {
  const lines: Readonly<Record<string, unknown>>[] = [];
  let damaged = 0;
  for (const file of files) {
    const read = readRegularText(file, LOG_BYTES);
    if (read.state === 'unreadable') damaged += 1;
    if (read.state !== 'read') continue;
    for (const line of read.text.split('\n')) {
      if (line.trim() === '') continue;
      const value = parseJson(line);
      if (isRecord(value)) lines.push(value);
      else damaged += 1;
    }
  }
  return { lines, damaged };
}

function toRefs(value: unknown): RuleRefs {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([source, hash]) =>
      typeof hash === 'string' ? [[source, hash] as const] : [],
    ),
  );
}
