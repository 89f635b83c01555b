import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DEFAULT_RULES, readOnlyCommands } from '../../src/permissions/defaults/defaults.ts';
import { familyOf } from './families.ts';
import { makeBed } from './repositories.ts';
import { startServer } from './server.ts';
import { sweepRows } from './sweep.ts';
import { hasStrace, installTools } from './tools.ts';

/**
 * `npm run test:defaults [pattern] [--seed=1]`: runs the rows of the shipped rules, with every option
 * that they let through, in a hostile repository under strace. Needs Linux; on Debian it installs
 * missing programs, as root. Ends with code 1 if a command does harm, or a row can't be run.
 */
const filter = new RegExp(process.argv[2]?.startsWith('--') === false ? process.argv[2] : '.');
const seed = Number(process.argv.find((word) => word.startsWith('--seed='))?.slice(7) ?? 1);

/** Programs of another system. */
const ELSEWHERE = /^sw_vers$/;

const start = performance.now();
const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-tools-'));
const bed = makeBed(installTools(folder));
const server = await startServer();
try {
  if (!hasStrace()) throw new Error('strace is needed, and may not trace here.');
  const rows = readOnlyCommands().filter(([pattern]) => filter.test(pattern));
  const argued = rows.filter((row) => familyOf(row).argued !== undefined);
  const options = { rows, rules: DEFAULT_RULES, bed, server: server.address };
  const result = await sweepRows({ ...options, pairs: 6, seed, jobs: 2 });
  const missing = [...result.missing].filter((pattern) => !ELSEWHERE.test(pattern));
  const minutes = ((performance.now() - start) / 60_000).toFixed(1);
  for (const finding of result.findings) console.log(`harm: ${finding}`);
  for (const [pattern] of rows.filter((row) => !argued.includes(row)))
    if (!result.rows.has(pattern) && !result.missing.has(pattern))
      console.log(`not run: ${pattern}: each of its commands asks in the hostile repository`);
  for (const pattern of missing) console.log(`not run: ${pattern}: its program isn't at hand`);
  console.log(
    `${result.rows.size} of ${rows.length} rows, ${argued.length} argued in docs/default-commands.md; ` +
      `${result.ran} commands run, ${result.asked} asked about; ` +
      `${result.findings.length} findings; ${minutes} minutes; seed ${seed}`,
  );
  if (result.findings.length + missing.length > 0) process.exitCode = 1;
} finally {
  server.close();
  bed.dispose();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
