import { type ChildProcess, fork } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { findMutants, type Mutant } from './mutants.ts';
import type { Outcome, Trial } from './worker.ts';

/**
 * `npm run mutate [most] [words of a file's path …]`: changes the permission engine one place at a
 * time; its tests must notice 90 %.
 */
const ROOT = path.resolve(import.meta.dirname, '../..');
const FLOOR = 0.9;
/** Tables and types are data: a row too few is found by the corpus, not by a changed operator. */
const DATA = /^(default\w*|acts|policy|rule|subject|requirements|\w*Table)\.ts$/;
/** A mutant that loops forever is killed by the clock. */
const LIMIT_MS = 120_000;
/** How many mutants are tried side by side. */
const WORKERS = Number(process.env['MUTATE_WORKERS'] ?? Math.min(cpus().length, 4));
/** Modules are never unloaded, so a worker ends before it grows too large. */
const TRIALS_A_WORKER = 60;

interface Job extends Mutant {
  readonly file: string;
}

const [most, words] = parseArguments(process.argv.slice(2));
const jobs = choose(findJobs(), most);
const tests = findTests();
const survivors: Job[] = [];
let done = 0;
let next = 0;
let trials = 0;
await Promise.all(Array.from({ length: Math.max(1, WORKERS) }, work));

const killed = done - survivors.length;
const share = done === 0 ? 0 : killed / done;
for (const job of survivors.sort((a, b) => a.file.localeCompare(b.file) || a.at - b.at)) {
  console.log(`survived ${describe(job)}`);
}
for (const file of new Set(jobs.map((job) => job.file))) console.log(sayShare(file));
console.log(`${killed} of ${done} mutants killed, ${(share * 100).toFixed(1)} %`);
process.exitCode = share >= FLOOR ? 0 : 1;

/** Tries jobs in one process after another until none is left. */
async function work(): Promise<void> {
  while (next < jobs.length) {
    const worker = fork(path.join(import.meta.dirname, 'worker.ts'), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    try {
      if ((await tryOne(worker, undefined)) !== 'survived') {
        throw new Error('The tests fail without a mutant.');
      }
      for (let count = 0; count < TRIALS_A_WORKER && next < jobs.length; count += 1) {
        const job = jobs[next];
        next += 1;
        if (job === undefined) break;
        const outcome = await tryOne(worker, job);
        if (outcome === 'survived') survivors.push(job);
        if (outcome === 'survived') process.stderr.write(`survived ${describe(job)}\n`);
        done += 1;
        if (done % 25 === 0) process.stderr.write(`${done} done, ${survivors.length} survived\n`);
        if (outcome === 'ended') break;
      }
    } finally {
      worker.kill('SIGKILL');
    }
  }
}

/** `ended`: the mutant took the process with it, or all its time. */
function tryOne(
  worker: ChildProcess,
  job: Job | undefined,
): Promise<'killed' | 'survived' | 'ended'> {
  trials += 1;
  const trial: Trial = {
    number: trials,
    tests,
    ...(job !== undefined && { mutant: { ...job, file: path.join(ROOT, job.file) } }),
  };
  return new Promise((resolve) => {
    const end = (outcome: 'killed' | 'survived' | 'ended') => {
      clearTimeout(timer);
      worker.removeAllListeners();
      resolve(outcome);
    };
    const timer = setTimeout(() => end('ended'), LIMIT_MS);
    worker.on('message', ({ killedBy }: Outcome) =>
      end(killedBy === undefined ? 'survived' : 'killed'),
    );
    worker.on('exit', () => end('ended'));
    worker.send(trial);
  });
}

function describe({ file, at, from, to }: Job): string {
  const line = readFileSync(path.join(ROOT, file), 'utf8').slice(0, at).split('\n').length;
  return `${file}:${line} ${JSON.stringify(from)} -> ${JSON.stringify(to)}`;
}

function sayShare(file: string): string {
  const all = jobs.filter((job) => job.file === file).length;
  const left = survivors.filter((job) => job.file === file).length;
  return `${(((all - left) / all) * 100).toFixed(1).padStart(5)} % ${file} (${left} of ${all} survived)`;
}

/** The quick tests first: most mutants die by them. */
function findTests(): readonly string[] {
  const slow = [
    'Rules',
    'ruleOrder',
    'watchdog',
    'powershell',
    'explain',
    'nagging',
    'corpus',
    'shell/adv',
    'properties',
  ];
  const costOf = (file: string) => slow.findLastIndex((name) => file.includes(name)) + 1;
  return globSync('test/unit/permissions/**/*.test.ts', { cwd: ROOT })
    .filter((file) => !file.includes('differentialFuzz'))
    .sort((a, b) => costOf(a) - costOf(b) || a.localeCompare(b))
    .map((file) => path.join(ROOT, file));
}

function parseArguments([first = '', ...rest]: readonly string[]): [number, readonly string[]] {
  if (/^\d+$/.test(first)) return [Number(first), rest];
  return [Number.POSITIVE_INFINITY, first === '' ? rest : [first, ...rest]];
}

function findJobs(): Job[] {
  return globSync('src/permissions/**/*.ts', { cwd: ROOT })
    .filter((file) => !DATA.test(path.basename(file)))
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .sort()
    .flatMap((file) =>
      findMutants(readFileSync(path.join(ROOT, file), 'utf8')).map((mutant) => ({
        ...mutant,
        file,
      })),
    );
}

/** An even choice over all files, the same each time. */
function choose(all: Job[], limit: number): Job[] {
  if (all.length <= limit) return all;
  const step = all.length / limit;
  return Array.from({ length: limit }, (_, index) => all[Math.floor(index * step)]).filter(
    (job) => job !== undefined,
  );
}
