import { spawn } from 'node:child_process';
import { findRipgrep } from '../src/runtime/search/ripgrep.ts';
import { interleave, type Row } from './row.ts';
import { openToolBed, plantCorpus } from './toolBed.ts';

const ROUNDS = 21;
const FILES = 12_000;

/**
 * Searches through the gate, compared with ripgrep alone for the same pattern with its output
 * discarded.
 */
export async function grepRows(): Promise<readonly Row[]> {
  const rg = await findRipgrep(undefined);
  if (!rg.ok) throw new Error(rg.error);
  using bed = openToolBed();
  plantCorpus(bed.workspace, FILES);
  const rows: Row[] = [];
  for (const { name, pattern, limit } of SEARCHES) {
    const contenders = {
      ours: () => bed.time('grep', { pattern }),
      raw: () => timeRaw(rg.data, pattern, bed.workspace),
    };
    await interleave(2, contenders);
    const { ours, raw } = await interleave(ROUNDS, contenders);
    rows.push({
      goal: `grep, ${name}, ${FILES} files`,
      anchor: `rg ${raw.toFixed(0)} ms`,
      ratio: ours / raw,
      limit,
    });
  }
  return rows;
}

const SEARCHES = [
  { name: 'no hit', pattern: 'zzz_never_here_zzz', limit: 1.1 },
  { name: 'few hits', pattern: 'createConnectionPool\\w*|unbash', limit: 1.1 },
  { name: 'frequent, limit 200', pattern: 'return\\s+\\w+', limit: 0.35 },
] as const;

async function timeRaw(rg: string, pattern: string, cwd: string): Promise<number> {
  const started = performance.now();
  const args = ['--no-config', '-n', '-H', '--no-heading', '--color=never', '-e', pattern, './'];
  const child = spawn(rg, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.resume();
  await new Promise((resolve) => child.once('close', resolve));
  return performance.now() - started;
}
