import { globSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { createRandom } from '../defaults/sweep.ts';
import { EQUIVALENTS } from './equivalents.ts';
import { type Job, Judge, type Known, type Outcome } from './judge.ts';
import { ROOT } from './kept.ts';
import { measureTests } from './measure.ts';
import { findMutants } from './mutants.ts';
import { startWorker } from './process.ts';

/**
 * `npm run mutate [most] [words of a file's path …] [--seed=1] [--again=FILE] [--kept]`: changes the
 * permission engine one place at a time; its tests must notice 90 %. Tests that fail without a mutant
 * are named and left out. With `--kept` only tests are run that have been measured before, so survivors
 * prove nothing.
 */
const FLOOR = 0.9;
/** Tables and types are data: a row too few is found by the corpus, not by a changed operator. */
const DATA = /^(default\w*|acts|policy|rule|subject|requirements|\w*Table)\.ts$/;
/** How many mutants are tried side by side. */
const WORKERS = Math.max(1, Number(process.env['MUTATE_WORKERS'] ?? Math.min(cpus().length, 4)));

const LABELS = {
  killed: 'killed',
  timedOut: 'ran out of time',
  died: 'ended the process',
  notJudged: 'not judged',
  invalid: 'no TypeScript',
} as const;

const { most, words, seed, again, kept } = parseArguments(process.argv.slice(2));
/**
 * The tests of one mutant may compute for this long, unless it is tried again: what only later ones
 * notice is told as a survivor that was not tried with all tests.
 */
const BUDGET_MS = again === undefined ? 15_000 : Number.POSITIVE_INFINITY;

const report = (text: string) => void process.stderr.write(text);
const jobs = choose(findJobs(), most);
const { tests, unmeasured } = await measureTests(WORKERS, report, kept);
if (unmeasured > 0) report(`${unmeasured} test files were not measured, and aren't run\n`);
const known: Known = {
  tests,
  partly: unmeasured > 0,
  budget: BUDGET_MS,
  kills: new Map(),
  red: new Set(),
  report,
};
const tried: { readonly job: Job; readonly outcome: Outcome }[] = [];
let next = 0;
// What was tried until then is a sample of all.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    next = jobs.length;
  });
await Promise.all(Array.from({ length: WORKERS }, work));
conclude();

/** Tries jobs until none is left. */
async function work(): Promise<void> {
  const judge = new Judge(known, () => startWorker());
  try {
    while (next < jobs.length) {
      const job = jobs[next];
      next += 1;
      if (job === undefined) break;
      const outcome = await judge.judge(job);
      if (outcome.kind === 'invalid') continue;
      tried.push({ job, outcome });
      if (outcome.kind !== 'killed') report(`${describe(job, outcome)}\n`);
      if (tried.length % 25 === 0) report(`${tried.length} done\n`);
    }
  } finally {
    judge.stop();
  }
}

/** Says what became of the mutants. One that no sound test runs counts as unnoticed. */
function conclude(): void {
  const count = (...kinds: Outcome['kind'][]) =>
    tried.filter(({ outcome }) => kinds.includes(outcome.kind)).length;
  for (const { job, outcome } of tried
    .filter(({ outcome }) => outcome.kind !== 'killed')
    .sort((a, b) => a.job.file.localeCompare(b.job.file) || a.job.at - b.job.at))
    console.log(describe(job, outcome));
  for (const file of [...new Set(tried.map(({ job }) => job.file))].sort())
    console.log(sayShare(file));
  const noticed = count('killed', 'timedOut', 'died');
  const share = tried.length === 0 ? 0 : noticed / tried.length;
  const partly = tried.filter(({ outcome }) => outcome.kind === 'survived' && !outcome.all).length;
  console.log(
    `${noticed} of ${tried.length} mutants noticed, ${(share * 100).toFixed(1)} %: ${count('killed')} failed a test, ` +
      `${count('timedOut')} ran out of time, ${count('died')} ended the process; ${count('survived')} survived, ` +
      `${partly} of them not tried with all tests; ${count('notJudged')} not judged. ` +
      `${known.red.size} tests left out, since they don't pass without a mutant.`,
  );
  process.exitCode = share >= FLOOR && known.red.size === 0 ? 0 : 1;
}

function isEquivalent({ file, at, from, to }: Job): boolean {
  const source = readFileSync(path.join(ROOT, file), 'utf8');
  const line = source.slice(source.lastIndexOf('\n', at - 1) + 1).split('\n')[0] ?? '';
  return EQUIVALENTS.some(
    (each) =>
      file.endsWith(`/${each.file}`) &&
      each.line === line.trim() &&
      each.from === from &&
      each.to === to,
  );
}

function describe(job: Job, outcome: Outcome): string {
  if (outcome.kind !== 'survived') return `${LABELS[outcome.kind]} ${locate(job)}`;
  return `survived ${locate(job)}${outcome.all ? '' : ' (not tried with all tests)'}`;
}

function locate({ file, at, from, to }: Job): string {
  const line = readFileSync(path.join(ROOT, file), 'utf8').slice(0, at).split('\n').length;
  return `${file}:${line} ${JSON.stringify(from)} -> ${JSON.stringify(to)}`;
}

function sayShare(file: string): string {
  const all = tried.filter(({ job }) => job.file === file);
  const left = all.filter(({ outcome: { kind } }) => kind === 'survived' || kind === 'notJudged');
  const share = ((all.length - left.length) / all.length) * 100;
  return `${share.toFixed(1).padStart(5)} % ${file} (${left.length} of ${all.length} unnoticed)`;
}

function parseArguments(args: readonly string[]) {
  const flag = (name: string) =>
    args.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
  const [first = '', ...rest] = args.filter((word) => !word.startsWith('--'));
  const counted = /^\d+$/.test(first);
  return {
    most: counted ? Number(first) : Number.POSITIVE_INFINITY,
    words: counted || first === '' ? rest : [first, ...rest],
    seed: Number(flag('seed') ?? 1),
    again: flag('again'),
    kept: args.includes('--kept'),
  };
}

/** With `again`, only the mutants that survived by the output of an earlier run. */
function findJobs(): Job[] {
  const earlier =
    again === undefined ? undefined : new Set(readFileSync(again, 'utf8').split(/\n| \(not tried/));
  return globSync('src/permissions/**/*.ts', { cwd: ROOT })
    .filter((file) => !DATA.test(path.basename(file)))
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .sort()
    .flatMap((file) =>
      findMutants(readFileSync(path.join(ROOT, file), 'utf8')).map((mutant) => ({
        ...mutant,
        file,
      })),
    )
    .filter((job) => !isEquivalent(job))
    .filter((job) => earlier === undefined || earlier.has(`survived ${locate(job)}`));
}

/** Mutants of all files in a mixed order, so that those tried by any time are a sample of all. */
function choose(all: Job[], limit: number): Job[] {
  const random = createRandom(seed);
  const keyed = all.map((job) => ({ job, key: random() }));
  return keyed
    .sort((a, b) => a.key - b.key)
    .slice(0, limit)
    .map(({ job }) => job);
}
