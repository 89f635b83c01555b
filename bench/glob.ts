import { spawn } from 'node:child_process';
import { findRipgrep } from '../src/runtime/search/ripgrep.ts';
import { interleave, type Row } from './row.ts';
import { openToolBed, plantCorpus } from './toolBed.ts';

const ROUNDS = 21;
const FILES = 12_000;

/** Listing files newest first, through the gate, compared with unsorted `rg --files`. */
export async function globRows(): Promise<readonly Row[]> {
  const rg = await findRipgrep(undefined);
  if (!rg.ok) throw new Error(rg.error);
  using bed = openToolBed();
  plantCorpus(bed.workspace, FILES);
  const rows: Row[] = [];
  for (const pattern of ['**/index.js', '**/*.d.ts']) {
    const contenders = {
      ours: () => bed.time('glob', { pattern }),
      raw: () => timeRaw(rg.data, bed.workspace),
    };
    await interleave(2, contenders);
    const { ours, raw } = await interleave(ROUNDS, contenders);
    rows.push({
      goal: `glob ${pattern}, newest first, ${FILES} files`,
      anchor: `rg --files ${raw.toFixed(0)} ms`,
      ratio: ours / raw,
      limit: 1.3,
    });
  }
  return rows;
}

async function timeRaw(rg: string, cwd: string): Promise<number> {
  const started = performance.now();
  const args = ['--no-config', '--files', './'];
  const child = spawn(rg, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.resume();
  await new Promise((resolve) => child.once('close', resolve));
  return performance.now() - started;
}
