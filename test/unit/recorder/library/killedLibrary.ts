import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { removePartial } from '../../../../src/recorder/library/removeSession.ts';
import { openRecorder, type Recorder } from '../../../../src/recorder/recorder.ts';
import { createRandom } from '../../random.ts';
import { findBase, TURNS } from './libraryWriter.ts';

export interface LibraryReport {
  /** How many kills came within each kind of work. */
  readonly within: Readonly<Record<string, number>>;
  /** One line per error; empty when nothing acknowledged was lost and nothing half done is left. */
  readonly faults: readonly string[];
}

/**
 * Kills a process `count` times with SIGKILL while it rewinds, forks, imports and deletes sessions, always
 * on the same file, and checks the file after each kill.
 */
export async function killLibrary(count: number, seed: number): Promise<LibraryReport> {
  const random = createRandom(seed);
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-library-'));
  const file = path.join(folder, 'gatehouse.db');
  const within: Record<string, number> = {};
  const faults: string[] = [];
  const known = new Set<string>();
  let digest: string | undefined;
  try {
    for (let kill = 0; kill < count; kill++) {
      const lines = await runAndKill(file, seed + kill, { lines: 2 + random(8), ms: random(30) });
      const last = lines.at(-1)?.split(' ') ?? [];
      if (last[0] === 'begin') within[last[1] ?? ''] = (within[last[1] ?? ''] ?? 0) + 1;
      note(known, lines);
      const found = await findFaults(file, known, digest);
      digest = found.digest;
      faults.push(...found.faults.map((fault) => `kill ${kill} (${lines.at(-1)}): ${fault}`));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return { within, faults };
}

/** Everything that the writer said up to its end, which comes after so many lines and milliseconds. */
async function runAndKill(
  file: string,
  seed: number,
  end: { readonly lines: number; readonly ms: number },
): Promise<string[]> {
  const script = path.join(import.meta.dirname, 'libraryWriter.ts');
  const child = spawn(process.execPath, [script, file, String(seed)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let received = '';
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const enough = Promise.withResolvers<void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    received += text;
    if (received.split('\n').length > end.lines) enough.resolve();
  });
  const closed = new Promise<NodeJS.Signals | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (_code, signal) => resolve(signal));
  });
  await Promise.race([enough.promise, closed]);
  await delay(end.ms);
  child.kill('SIGKILL');
  if ((await closed) !== 'SIGKILL') throw new Error(`the writer ended by itself: ${errors}`);
  // The last line may be incomplete.
  return received.split('\n').slice(0, -1);
}

/** Follows which sessions must be there. One whose deletion has begun may be gone. */
function note(known: Set<string>, lines: readonly string[]): void {
  for (const line of lines) {
    const [state, work, id = ''] = line.split(' ');
    if (work === 'delete') known.delete(id);
    else if (state === 'done') known.add(id);
  }
}

async function findFaults(file: string, known: ReadonlySet<string>, before: string | undefined) {
  const recorder = openRecorder(file);
  try {
    const { database } = recorder.store;
    const faults: string[] = [...recorder.notices];
    const check = Object.values(database.get('PRAGMA integrity_check') ?? {})[0];
    if (check !== 'ok') faults.push(`integrity_check: ${check}`);
    const listed = recorder.listSessions({ limit: 10_000 }).sessions.map(({ id }) => id);
    const base = findBase(recorder) ?? '';
    for (const id of known)
      if (!listed.includes(id)) faults.push(`${id} was acknowledged and is gone`);
    for (const id of listed) faults.push(...findHalf(recorder, id));
    const digest = digestOf(recorder, base);
    if (before !== undefined && digest !== before)
      faults.push('a rewind changed more than hidden_at');
    faults.push(...findGaps(recorder, base));
    await removePartial(recorder.store);
    const rows = database.get(ORPHANS) ?? {};
    if (Number(rows['partial']) > 0) faults.push('a half written session is left');
    if (Number(rows['orphans']) > 0) faults.push('rows without a session are left');
    return { faults, digest };
  } finally {
    recorder.close();
  }
}

const ORPHANS = `SELECT
  (SELECT count(*) FROM chat_sessions WHERE json_extract(metadata_json, '$.partial') IS NOT NULL) AS partial,
  (SELECT count(*) FROM chat_messages WHERE session_id NOT IN (SELECT id FROM chat_sessions))
  + (SELECT count(*) FROM chat_parts WHERE session_id NOT IN (SELECT id FROM chat_sessions)) AS orphans`;

/** A session in the list is whole: each prompt has its answer, with its call. */
function findHalf(recorder: Recorder, id: string): readonly string[] {
  const messages = recorder.messages(id);
  const answers = messages.filter(({ role }) => role === 'assistant');
  const parts = answers.filter((each) => each.parts.some(({ type }) => type === 'tool-bash'));
  const whole = messages.length === answers.length * 2 && parts.length === answers.length;
  const most = messages.length <= TURNS * 2 && messages.length > 0;
  return whole && most ? [] : [`${id} is listed and has ${messages.length} messages`];
}

/** All rows of the session, but for what a rewind may change. */
function digestOf(recorder: Recorder, id: string): string {
  const { database } = recorder.store;
  const rows = [
    ...database.all(
      `SELECT id, role, json_remove(metadata_json, '$.hidden_at') AS metadata, created_at
       FROM chat_messages WHERE session_id = ? ORDER BY rowid`,
      id,
    ),
    ...database.all('SELECT * FROM chat_parts WHERE session_id = ? ORDER BY rowid', id),
  ];
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex');
}

/** What a rewind hid is the end of the session, whole. */
function findGaps(recorder: Recorder, id: string): readonly string[] {
  const hidden = recorder.messages(id).map(({ metadata }) => metadata.hidden_at !== undefined);
  const first = hidden.indexOf(true);
  return first < 0 || hidden.slice(first).every(Boolean) ? [] : ['a rewind hid only a part'];
}
