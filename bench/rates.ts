import { measureCopyRates } from './copyRates.ts';
import { measurePromptRates } from './promptRates.ts';

/**
 * `npm run rates`: how often the shipped rules ask about lines that should be allowed, and allow
 * lines that should ask. `npm run rates first` also lists these lines of the first half. Those of
 * the second half are only counted, because they check rules that weren't made for them. `npm run rates copy`
 * runs the lines that ask in a copy of a small project, with every answer a rejection (Linux with bubblewrap);
 * `npm run rates copy 5` one of five.
 */
if (process.argv[2] === 'copy') await printCopyRates();
else await printPromptRates();

async function printCopyRates(): Promise<void> {
  const { outcomes, missing, changed } = await measureCopyRates(Number(process.argv[3] ?? 1));
  const lines = [...outcomes.values()].reduce((sum, each) => sum + each.length, 0);
  for (const [outcome, found] of outcomes) {
    process.stdout.write(
      `${outcome}: ${found.length} of ${lines} (${toPercent(found.length, lines)})\n`,
    );
  }
  process.stdout.write(
    `${changed.length} changed the workspace before an answer; programs of ${missing} others are missing\n`,
  );
  for (const line of changed) process.stdout.write(`changed: ${JSON.stringify(line)}\n`);
}

async function printPromptRates(): Promise<void> {
  for (const rates of await measurePromptRates()) {
    const { half, ordinary, needlessAsks, guarded, wrongAllows } = rates;
    process.stdout.write(
      `${half} half: ${needlessAsks.length} of ${ordinary} ask needlessly (${toPercent(needlessAsks.length, ordinary)}), ` +
        `${wrongAllows.length} of ${guarded} are wrongly allowed\n`,
    );
    if (half !== 'first' || process.argv[2] !== 'first') continue;
    for (const line of needlessAsks) process.stdout.write(`asks: ${JSON.stringify(line)}\n`);
    for (const line of wrongAllows) process.stdout.write(`allowed: ${JSON.stringify(line)}\n`);
  }
}

function toPercent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`;
}
