import { measurePromptRates } from './promptRates.ts';

/**
 * `npm run rates`: how often the shipped rules ask about lines that should be allowed, and allow
 * lines that should ask. `npm run rates first` also lists these lines of the first half. Those of
 * the second half are only counted, because they check rules that weren't made for them.
 */
const toPercent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`;

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
