import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openDatabase } from '../../../src/recorder/file/database.ts';

export type Journal = 'wal' | 'delete';

export interface KillReport {
  readonly kills: number;
  readonly acknowledged: number;
  /** One line per error; empty when every acknowledged row was found. */
  readonly faults: readonly string[];
}

/**
 * Kills a writing process `count` times with SIGKILL, each at another point of its work, always on the
 * same file. After each kill the file is checked whole and every acknowledged row is looked up.
 */
export async function killWriters(count: number, journal: Journal): Promise<KillReport> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-durability-'));
  const file = path.join(folder, 'gatehouse.db');
  const faults: string[] = [];
  let acknowledged = 0;
  try {
    for (let kill = 0; kill < count; kill++) {
      const lines = await runAndKill(file, journal, 1 + ((kill * 7) % 40));
      acknowledged += lines.length;
      faults.push(...findFaults(file, journal, lines).map((fault) => `kill ${kill}: ${fault}`));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return { kills: count, acknowledged, faults };
}

/** Everything the writer acknowledged up to its end, which comes after `enough` lines. */
export function runAndKill(file: string, journal: Journal, enough: number): Promise<string[]> {
  const script = path.join(import.meta.dirname, 'writer.ts');
  const child = spawn(process.execPath, [script, file, journal], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    let received = '';
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      received += text;
      if (received.split('\n').length > enough) child.kill('SIGKILL');
    });
    child.on('error', reject);
    child.on('close', (_code, signal) => {
      if (signal !== 'SIGKILL') reject(new Error(`the writer ended by itself: ${errors}`));
      // The last line may be incomplete.
      else resolve(received.split('\n').slice(0, -1));
    });
  });
}

function findFaults(file: string, journal: Journal, lines: readonly string[]): string[] {
  const database = openDatabase(file, () => 0, { rollbackJournal: journal === 'delete' });
  const faults: string[] = [...database.notices];
  const check = Object.values(database.get('PRAGMA integrity_check') ?? {})[0];
  if (check !== 'ok') faults.push(`integrity_check: ${check}`);
  if (database.journal !== journal) faults.push(`the journal is ${database.journal}`);
  for (const line of lines) {
    const [kind, id = '', rest] = line.split(' ');
    const found =
      kind === 'call'
        ? database.get('SELECT tool_state AS found FROM chat_parts WHERE tool_call_id = ?', id)
        : database.get(
            "SELECT length(json_extract(data_json, '$.text')) AS found FROM chat_parts WHERE id = ?",
            id,
          );
    // A call may have advanced after it was acknowledged, but never gone back.
    const isLater = rest === 'input-available' && found?.['found'] === 'output-available';
    if (String(found?.['found']) !== rest && !isLater) {
      faults.push(`acknowledged "${line}", found ${String(found?.['found'])}`);
    }
  }
  database.close();
  return faults;
}
