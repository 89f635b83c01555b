import { rm } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import { readRegular } from '../../base/disk/readRegular.ts';
import type { Disposable } from '../../base/disposable.ts';
import { getMessage } from '../../base/faults.ts';
import { isRecord, parseJson } from '../../base/json.ts';
import { MB } from '../../base/units.ts';
import { type Redact, redactDeep } from '../../declared/run/redact.ts';
import type { DecisionEvent } from '../../gate/decisionEvent.ts';
import type { Rule } from '../../permissions/rules/rule.ts';
import { createLogWriter, type LogWriter, type LogWriterOptions } from './logWriter.ts';
import { createRuleLists, type RuleLists, type RuleRefs } from './ruleLists.ts';

/** Keeps the decisions of each session, with the rules in force (spec CS-98). */
export interface DecisionLog {
  /** Never throws, and writes nothing before it returns. */
  write(event: DecisionEvent): void;
  /** The decisions of a session, oldest first, also those that aren't written yet or can't be. */
  read(sessionId: string): Promise<LogContent>;
  /** The rules that a decision refers to, as far as they are still there. */
  rules(refs: unknown): readonly Rule[];
  /** Deletes the logs of deleted sessions. */
  remove(sessionIds: readonly string[]): Promise<void>;
  /** Writes what is left. */
  close(): Promise<void>;
}

export interface LogContent {
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** How many lines could not be read. */
  readonly damaged: number;
}

export interface DecisionLogOptions extends LogWriterOptions {
  /** Replaces secrets in what is written. */
  readonly redact: Redact;
  /** Called when writing begins to fail, and when decisions are dropped; each once until writing succeeds. */
  warn(message: string): void;
  readonly clock?: Clock;
}

/** Milliseconds in which decisions are collected before they are written. */
const SETTLE = 200;

/** Milliseconds until decisions that could not be written are tried again. */
const RETRY = 5_000;

/** Decisions that wait to be written. More are dropped, with a warning. */
const MOST_WAITING = 10_000;
const DROPPED = `${MOST_WAITING} of them wait to be written, and newer ones are dropped.`;

interface Entry {
  readonly at: number;
  readonly event: DecisionEvent;
  readonly refs: RuleRefs;
}

export function openDecisionLog(options: DecisionLogOptions): DecisionLog {
  const { folder, redact, clock = systemClock } = options;
  const lists = createRuleLists(path.join(folder, 'rules'), redact);
  const write = createWrite({ folder, redact, lists, writer: createLogWriter(options) });
  const [failing, dropping] = [createWarning(options.warn), createWarning(options.warn)];
  let waiting: Entry[] = [];
  let timer: Disposable | undefined;
  let writing = Promise.resolve();
  let closed = false;
  const writeWaiting = async (): Promise<void> => {
    const { written, fault } = await write([...waiting]);
    waiting = waiting.filter((entry) => !written.has(entry));
    if (fault === undefined) {
      failing.clear();
      dropping.clear();
      return;
    }
    failing.tell(`${getMessage(fault)}. They are kept in memory and tried again.`);
    if (!closed) timer ??= clock.after(RETRY, flush);
  };
  const flush = (): Promise<void> => {
    timer?.dispose();
    timer = undefined;
    writing = writing.then(() => (waiting.length > 0 ? writeWaiting() : undefined));
    return writing;
  };
  return {
    write(event) {
      if (waiting.length >= MOST_WAITING) return dropping.tell(DROPPED);
      waiting.push({ at: clock.now(), event, refs: lists.toRefs(event.rules) });
      timer ??= clock.after(SETTLE, flush);
    },
    async read(sessionId) {
      await flush();
      const file = toFile(folder, sessionId);
      const left = waiting.filter(({ event }) => event.sessionId === sessionId);
      return readLines(
        [`${file}.1`, file],
        left.map((entry) => toLine(entry, redact)),
      );
    },
    rules: (refs) => lists.load(toRefs(refs)),
    remove: (sessionIds) => flush().then(() => removeLogs(folder, sessionIds)),
    close() {
      closed = true;
      return flush();
    },
  };
}

interface WriteParts {
  readonly folder: string;
  readonly redact: Redact;
  readonly lists: RuleLists;
  readonly writer: LogWriter;
}

interface Written {
  readonly written: ReadonlySet<Entry>;
  /** Why others aren't written. */
  readonly fault?: unknown;
}

/** Writes entries to the logs of their sessions. A log that fails does not keep others from being written. */
function createWrite({ folder, redact, lists, writer }: WriteParts) {
  return async (entries: readonly Entry[]): Promise<Written> => {
    const written = new Set<Entry>();
    try {
      await writer.prepare();
      for (const { refs } of entries) await lists.store(refs);
    } catch (fault) {
      return { written, fault };
    }
    let failed: unknown;
    for (const [sessionId, own] of Map.groupBy(entries, ({ event }) => event.sessionId)) {
      const texts = own.map((entry) => toLine(entry, redact));
      const { lines, fault } = await writer.append(toFile(folder, sessionId), texts);
      for (const entry of own.slice(0, lines)) written.add(entry);
      failed ??= fault;
    }
    return failed === undefined ? { written } : { written, fault: failed };
  };
}

/** Tells of a failure once until it is cleared. */
function createWarning(warn: (message: string) => void) {
  let warned = false;
  return {
    tell(why: string): void {
      if (!warned) warn(`Decisions are not logged: ${why}`);
      warned = true;
    },
    clear(): void {
      warned = false;
    },
  };
}

/** Deletes the logs of sessions from the folder of all logs. */
export async function removeLogs(folder: string, sessionIds: readonly string[]): Promise<void> {
  for (const file of sessionIds.map((id) => toFile(folder, id))) {
    await rm(file, { force: true });
    await rm(`${file}.1`, { force: true });
  }
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

/** More than a log and the batch after which it is renamed. */
const LOG_BYTES = 64 * MB;

/** The lines of the files and then the others. */
function readLines(files: readonly string[], others: readonly string[]): LogContent {
  const lines: Readonly<Record<string, unknown>>[] = [];
  let damaged = 0;
  const add = (text: string) => {
    for (const line of text.split('\n')) {
      if (line.trim() === '') continue;
      const value = parseJson(line);
      if (isRecord(value)) lines.push(value);
      else damaged += 1;
    }
  };
  for (const file of files) {
    const read = readRegular(file, LOG_BYTES);
    if (read.state === 'unreadable') damaged += 1;
    // Bytes that are no text must not hide the other lines.
    if (read.state === 'read') add(read.bytes.toString());
  }
  for (const line of others) add(line);
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
