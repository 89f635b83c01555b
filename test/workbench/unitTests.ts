import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { nodeTestArguments, parseSuiteResult } from './nodeTest.ts';
import { ROOT } from './paths.ts';
import { reportSuite, type SuiteResult } from './suite.ts';

/**
 * `npm run test:unit [words of a file's path …]`: the unit tests. To start a process and load the code
 * takes longer than most files take to run, so the files of the folders below share a process each.
 * All others have one of their own: they change the process, or start others and count them.
 */
const SHARED: readonly (readonly string[])[] = [
  ['permissions'],
  [
    ...['acp', 'agent', 'agentDefinitions', 'base', 'diff', 'extension', 'gate'],
    ...['language-server', 'recorder', 'settings', 'webview'],
  ],
  ['guidance', 'mutate', 'tools'],
];
/** Files of shared folders that need a process of their own. */
const ALONE: ReadonlySet<string> = new Set(['language-server/server.test.ts']);

const FOLDER = path.join(ROOT, 'test/unit');
/** Loaded before the tests. URLs, as `--import` takes no path of Windows. */
const LOADED = ['seeds', 'leftOpen'].map(
  (name) => pathToFileURL(path.join(ROOT, `test/workbench/${name}.ts`)).href,
);
/** Milliseconds for a file, or for a test of a shared process: one that hangs is a failure with a name. */
const LIMIT = 900_000;
const words = process.argv.slice(2);
const files = globSync('**/*.test.ts', { cwd: FOLDER })
  .map((name) => name.replaceAll(path.sep, '/'))
  .filter((name) => words.length === 0 || words.some((word) => name.includes(word)))
  .sort();
const scratch = mkdtempSync(path.join(tmpdir(), 'gatehouse-unit-'));

const shared = SHARED.map((folders) => files.filter((name) => isIn(folders, name)));
const own = files.filter((name) => !shared.some((names) => names.includes(name)));
const [first = [], ...others] = shared;
/** Processes of an `own` job at a time. Node would run one on two cores, and most wait half the time. */
const AT_ONCE = Math.max(2, Math.ceil(availableParallelism() / 2));
/** The longest first. Those that share a process wait for others, too, so the first folder has two. */
const jobs: readonly Job[] = [
  ...toHalves(first).map((names, half) => toShared(names, `shared-0-${half}`)),
  ...others.map((names, at) => toShared(names, `shared-${at + 1}`)),
  ...toHalves(own).map((names, half) => ({
    ...{ names, group: `own-${half}`, processes: AT_ONCE },
    options: [`--test-concurrency=${AT_ONCE}`],
  })),
];
const results = await runJobs(jobs, 2 * AT_ONCE);
rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
reportSuite('unit', {
  passed: results.reduce((sum, { passed }) => sum + passed, 0),
  failed: results.flatMap(({ failed }) => failed),
});

interface Job {
  readonly names: readonly string[];
  readonly group: string;
  readonly options: readonly string[];
  /** That it runs at a time. */
  readonly processes: number;
}

function toShared(names: readonly string[], group: string): Job {
  return { names, group, options: ['--test-isolation=none'], processes: 1 };
}

function toHalves(names: readonly string[]): readonly (readonly string[])[] {
  return [0, 1].map((half) => names.filter((_, at) => at % 2 === half));
}

/** Starts them in their order, as long as no more processes than `most` run. */
async function runJobs(jobs: readonly Job[], most: number): Promise<readonly SuiteResult[]> {
  const running = new Set<Promise<void>>();
  const results: SuiteResult[] = [];
  let free = most;
  for (const { names, group, options, processes } of jobs) {
    while (free < processes) await Promise.race(running);
    free -= processes;
    const job: Promise<void> = run(names, group, options).then((result) => {
      results.push(result);
      free += processes;
      running.delete(job);
    });
    running.add(job);
  }
  await Promise.all(running);
  return results;
}

function isIn(folders: readonly string[], name: string): boolean {
  return !ALONE.has(name) && folders.includes(name.slice(0, Math.max(0, name.indexOf('/'))));
}

async function run(
  names: readonly string[],
  group: string,
  options: readonly string[],
): Promise<SuiteResult> {
  if (names.length === 0) return { passed: 0, failed: [] };
  const counts = path.join(scratch, `${group}.json`);
  const all = names.map((name) => path.join(FOLDER, name));
  const given = [
    ...nodeTestArguments(counts),
    `--test-timeout=${LIMIT}`,
    ...LOADED.flatMap((url) => ['--import', url]),
    ...options,
    ...all,
  ];
  const child = spawn(process.execPath, given, {
    cwd: ROOT,
    // The files import much the same modules: each is stripped of its types and compiled once.
    env: { ...process.env, NODE_COMPILE_CACHE: path.join(scratch, 'compiled') },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const code = await new Promise<number | null>((resolve) => {
    child.on('close', resolve);
    child.on('error', (error) => {
      console.error(error.message);
      resolve(1);
    });
  });
  const result = parseSuiteResult(counts);
  // A process that says all is well but ends in an error is not well.
  if (code === 0 || result.failed.length > 0) return result;
  return { passed: result.passed, failed: [`The ${group} tests ended with code ${code}.`] };
}
