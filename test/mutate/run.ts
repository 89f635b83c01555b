import { spawn } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { applyMutant, findMutants, type Mutant } from './mutants.ts';

/**
 * `npm run mutate [most] [words of a file's path …]`: changes the permission engine one place at a
 * time; its tests must notice 90 %.
 */
const ROOT = path.resolve(import.meta.dirname, '../..');
const FLOOR = 0.9;
/** Tables are data: a row too few is found by the corpus, not by a changed operator. */
const DATA = /(Table|defaults?\w*|acts|policy|rule|subject|requirements)\.ts$/;
const LIMIT_MS = 120_000;

interface Job extends Mutant {
  readonly file: string;
}

const [most, words] = parseArguments(process.argv.slice(2));
const jobs = choose(findJobs(), most);
const survivors: Job[] = [];
let done = 0;
await Promise.all(Array.from({ length: Math.max(1, Math.min(cpus().length, 4)) }, work));

const killed = done - survivors.length;
const share = done === 0 ? 0 : killed / done;
for (const { file, at, from, to } of survivors.sort(
  (a, b) => a.file.localeCompare(b.file) || a.at - b.at,
)) {
  const line = readFileSync(path.join(ROOT, file), 'utf8').slice(0, at).split('\n').length;
  console.log(`survived ${file}:${line} ${JSON.stringify(from)} -> ${JSON.stringify(to)}`);
}
console.log(`${killed} of ${done} mutants killed, ${(share * 100).toFixed(1)} %`);
process.exitCode = share >= FLOOR ? 0 : 1;

/** Works in a copy of its own until no job is left. */
async function work(): Promise<void> {
  const copy = mkdtempSync(path.join(tmpdir(), 'gatehouse-mutate-'));
  try {
    for (const folder of [
      'src',
      'test/unit/permissions',
      'test/fuzz',
      'test/fixtures',
      'test/mutate',
    ]) {
      mkdirSync(path.join(copy, path.dirname(folder)), { recursive: true });
      cpSync(path.join(ROOT, folder), path.join(copy, folder), { recursive: true });
    }
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
    writeFileSync(path.join(copy, 'package.json'), '{"type":"module"}');
    if (!(await passes(copy))) throw new Error('The tests fail without a mutant.');
    for (let job = jobs.pop(); job !== undefined; job = jobs.pop()) {
      const target = path.join(copy, job.file);
      const source = readFileSync(path.join(ROOT, job.file), 'utf8');
      writeFileSync(target, applyMutant(source, job));
      if (await passes(copy)) {
        survivors.push(job);
        process.stderr.write(`survived: ${job.file} at ${job.at}, ${job.from} -> ${job.to}\n`);
      }
      writeFileSync(target, source);
      done += 1;
      if (done % 25 === 0) process.stderr.write(`${done} done, ${survivors.length} survived\n`);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function passes(copy: string): Promise<boolean> {
  const files = globSync('test/unit/permissions/**/*.test.ts', { cwd: copy })
    .filter((file) => !file.includes('differentialFuzz'))
    .sort((a, b) => costOf(a) - costOf(b) || a.localeCompare(b));
  const reporter = path.join(copy, 'test/mutate/bail.mjs');
  const args = ['--test', '--test-isolation=none', `--test-reporter=${reporter}`, ...files];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: copy, stdio: 'ignore' });
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve(code === 0);
    });
  });
}

/** The quick tests first: most mutants die by them. */
function costOf(file: string): number {
  const slow = ['watchdog', 'explain', 'nagging', 'powershell', 'corpus', 'properties'];
  return slow.findIndex((name) => file.includes(name)) + 1;
}

function parseArguments([first = '', ...rest]: readonly string[]): [number, readonly string[]] {
  if (/^\d+$/.test(first)) return [Number(first), rest];
  return [Number.POSITIVE_INFINITY, first === '' ? rest : [first, ...rest]];
}

function findJobs(): Job[] {
  return globSync('src/permissions/**/*.ts', { cwd: ROOT })
    .filter((file) => !DATA.test(path.basename(file)))
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
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
