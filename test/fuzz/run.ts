import { fuzz } from './differential.ts';
import { fuzzNames } from './oddNames.ts';
import { fuzzOffers } from './offers.ts';
import { fuzzReaders } from './readers/fuzzReaders.ts';

/**
 * `npm run fuzz [lines] [seed]`: a million lines unless told otherwise. SIGTERM ends the first and longest
 * part, of generated lines, with what was found until then; the others follow in any case.
 */
const count = Number(process.argv[2] ?? 1_000_000);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
const started = performance.now();
let isEnded = false;
process.once('SIGTERM', () => {
  isEnded = true;
});
let told = 0;
let shown = 0;
const result = await fuzz(count, seed, ({ lines, misses }) => {
  // At once: the rest may take an hour.
  for (const { line, why } of misses.slice(shown, 50)) {
    process.stdout.write(`${why}: ${JSON.stringify(line)}\n`);
  }
  shown = misses.length;
  if (lines - told >= 50_000) {
    told = lines;
    process.stderr.write(`${lines} lines, ${misses.length} misses\n`);
  }
  return !isEnded;
});
const seconds = Math.round((performance.now() - started) / 1000);
process.stdout.write(
  `${result.lines} lines, seed ${seed}, ${result.allowed} allowed and run, ${result.started} programs started, ` +
    `${result.misses.length} misses, ${seconds} s${result.isolated ? '' : ', without a namespace'}\n`,
);
const offers = await fuzzOffers(Math.ceil(count / 500), seed);
for (const { line, why } of offers.misses.slice(0, 50)) {
  process.stdout.write(`${why}: ${line}\n`);
}
process.stdout.write(
  `${offers.lines} lines in folders with links, ${offers.offered} offered another, ${offers.misses.length} misses\n`,
);
const names = await fuzzNames(Math.ceil(count / 10_000), seed);
for (const { line, why } of names.misses.slice(0, 50)) {
  process.stdout.write(`${why}: ${line}\n`);
}
process.stdout.write(
  `${names.lines} lines that pass odd names, ${names.allowed} allowed and run, ${names.misses.length} misses\n`,
);
const readers = await fuzzReaders(Math.ceil(count / 50), seed);
for (const { line, why } of readers.misses.slice(0, 50)) {
  process.stdout.write(`${why}: ${line}\n`);
}
process.stdout.write(
  `${readers.lines} lines of reading programs, ${readers.allowed} allowed and run under strace, ${readers.misses.length} misses\n`,
);
const misses = [result, offers, names, readers].flatMap((each) => each.misses);
process.exitCode = misses.length === 0 ? 0 : 1;
