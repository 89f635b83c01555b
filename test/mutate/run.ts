import { globSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { createRandom } from '../defaults/sweep.ts';
import { EQUIVALENTS } from './equivalents.ts';
import { ROOT } from './kept.ts';
import { measureTests, selectTests, type Test } from './measure.ts';
import { findMutants, type Mutant } from './mutants.ts';
import { startWorker, type Worker } from './process.ts';
import type { TestId } from './worker.ts';

/**
 * `npm run mutate [most] [words of a file's path …] [--seed=1] [--again=FILE] [--kept]`: changes the
 * permission engine one place at a time; its tests must notice 90 %. With `--kept` only tests are run that have been
 * measured before.
 */
const FLOOR = 0.9;
/** Tables and types are data: a row too few is found by the corpus, not by a changed operator. */
const DATA = /^(default\w*|acts|policy|rule|subject|requirements|\w*Table)\.ts$/;
/** How many mutants are tried side by side. */
const WORKERS = Math.max(1, Number(process.env['MUTATE_WORKERS'] ?? Math.min(cpus().length, 4)));
/** What tests leave behind adds up, so a worker ends before it grows too large. */
const TRIALS_A_WORKER = 300;

const { most, words, seed, again, kept } = parseArguments(process.argv.slice(2));
/**
 * The tests of one mutant may compute for this long, unless it is tried again: what only later ones
 * notice counts as unnoticed.
 */
const BUDGET_MS = again === undefined ? 15_000 : Number.POSITIVE_INFINITY;

interface Job extends Mutant {
  readonly file: string;
}

const jobs = choose(findJobs(), most);
const tests = await measureTests(WORKERS, (text) => process.stderr.write(text), kept);
/** How many mutants of a source file each test killed. */
const kills = new Map<string, number>();
/** Tests that fail, or pass, on the sources as they are, which have changed since they were measured. */
const broken = new Set<Test>();
const sound = new Set<Test>();
const survivors: Job[] = [];
/** The survivors that more tests may notice than those that they were tried with. */
const unsettled = new Set<Job>();
const tried: Job[] = [];
let next = 0;
// What was tried until then is a sample of all.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    next = jobs.length;
  });
await Promise.all(Array.from({ length: WORKERS }, work));

const done = tried.length;
const killed = done - survivors.length;
const share = done === 0 ? 0 : killed / done;
for (const job of survivors.sort((a, b) => a.file.localeCompare(b.file) || a.at - b.at)) {
  console.log(`survived ${describe(job)}`);
}
for (const file of [...new Set(tried.map((job) => job.file))].sort()) console.log(sayShare(file));
const bound = unsettled.size === 0 ? '' : `; of the others, ${unsettled.size} not with all tests`;
console.log(`${killed} of ${done} mutants killed, ${(share * 100).toFixed(1)} %${bound}`);
process.exitCode = share >= FLOOR ? 0 : 1;

/** Tries jobs in one process after another until none is left. */
async function work(): Promise<void> {
  while (next < jobs.length) {
    const worker = startWorker();
    try {
      for (let count = 0; count < TRIALS_A_WORKER && next < jobs.length; count += 1) {
        const job = jobs[next];
        next += 1;
        if (job === undefined) break;
        const outcome = await tryOne(worker, job);
        if (outcome === 'survived') {
          survivors.push(job);
          process.stderr.write(`survived ${describe(job)}\n`);
        }
        if (outcome !== 'invalid') tried.push(job);
        if (tried.length % 25 === 0)
          process.stderr.write(`${tried.length} done, ${survivors.length} survived\n`);
        if (outcome === 'ended') break;
      }
    } finally {
      worker.stop();
    }
  }
}

/** `ended`: the mutant took the process with it, or all its time; `invalid`: it is no TypeScript. */
async function tryOne(
  worker: Worker,
  job: Job,
): Promise<'killed' | 'survived' | 'ended' | 'invalid'> {
  const killsBy = ({ file, test }: TestId) => kills.get(`${job.file} ${file} ${test}`) ?? 0;
  const known = tests.filter((each) => !broken.has(each));
  const { tests: chosen, more } = selectTests(job, known, killsBy, BUDGET_MS);
  if (chosen.length === 0) return 'survived';
  const cpus = new Map(chosen.map(({ file, test, cpu }) => [`${file} ${test}`, cpu]));
  const trial = {
    mutant: { ...job, file: path.join(ROOT, job.file) },
    tests: chosen.map(({ file, test }) => ({ file, test })),
  };
  const answer = await worker.ask(trial, (file, test) => 10 * (cpus.get(`${file} ${test}`) ?? 0));
  if (answer === 'ended') return 'ended';
  if ('invalid' in answer) return 'invalid';
  const killer = 'killedBy' in answer ? answer.killedBy : undefined;
  if (killer === undefined && more) unsettled.add(job);
  if (killer === undefined) return 'survived';
  const test = chosen.find((each) => each.file === killer.file && each.test === killer.test);
  if (test !== undefined && !(await isSound(worker, test, job))) return tryOne(worker, job);
  const key = `${job.file} ${killer.file} ${killer.test}`;
  kills.set(key, (kills.get(key) ?? 0) + 1);
  return 'killed';
}

/** Whether the test passes without a mutant; it is run again, unless it was measured on these sources. */
async function isSound(worker: Worker, test: Test, { file }: Job): Promise<boolean> {
  if (test.current || sound.has(test)) return true;
  const same = { at: 0, from: '', to: '', file: path.join(ROOT, file) };
  const answer = await worker.ask({ mutant: same, tests: [test] }, () => 10 * test.cpu);
  const passes = answer !== 'ended' && 'killedBy' in answer && answer.killedBy === undefined;
  (passes ? sound : broken).add(test);
  return passes;
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

function describe({ file, at, from, to }: Job): string {
  const line = readFileSync(path.join(ROOT, file), 'utf8').slice(0, at).split('\n').length;
  return `${file}:${line} ${JSON.stringify(from)} -> ${JSON.stringify(to)}`;
}

function sayShare(file: string): string {
  const all = tried.filter((job) => job.file === file).length;
  const left = survivors.filter((job) => job.file === file).length;
  return `${(((all - left) / all) * 100).toFixed(1).padStart(5)} % ${file} (${left} of ${all} survived)`;
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
    again === undefined ? undefined : new Set(readFileSync(again, 'utf8').split('\n'));
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
    .filter((job) => earlier === undefined || earlier.has(`survived ${describe(job)}`));
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
