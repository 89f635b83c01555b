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
];
/** Files of shared folders that need a process of their own. */
const ALONE: ReadonlySet<string> = new Set(['language-server/server.test.ts']);

const FOLDER = path.join(ROOT, 'test/unit');
/** A URL, as `--import` takes no path of Windows. */
const SEEDS = pathToFileURL(path.join(ROOT, 'test/workbench/seeds.ts')).href;
const words = process.argv.slice(2);
const files = globSync('**/*.test.ts', { cwd: FOLDER })
  .map((name) => name.replaceAll(path.sep, '/'))
  .filter((name) => words.length === 0 || words.some((word) => name.includes(word)))
  .sort();
const scratch = mkdtempSync(path.join(tmpdir(), 'gatehouse-unit-'));

const shared = SHARED.map((folders) => files.filter((name) => isIn(folders, name)));
const own = files.filter((name) => !shared.some((names) => names.includes(name)));
// Node would run one file at a time on two cores, and most files wait for processes half the time.
const concurrency = `--test-concurrency=${Math.max(2, availableParallelism() - 1)}`;
const [first = [], ...others] = shared;
// Its files wait for processes, too, and a process runs one at a time.
const halves = [0, 1].map((half) => first.filter((_, at) => at % 2 === half));
const results = (
  await Promise.all([
    ...halves.map(async (names, half) => [
      await run(names, `shared-0-${half}`, ['--test-isolation=none']),
    ]),
    runOthers(),
  ])
).flat();
rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
reportSuite('unit', {
  passed: results.reduce((sum, { passed }) => sum + passed, 0),
  failed: results.flatMap(({ failed }) => failed),
});

/** Beside the first folder, which takes half of the time. */
async function runOthers(): Promise<readonly SuiteResult[]> {
  const results: SuiteResult[] = [];
  for (const [at, names] of others.entries()) {
    results.push(await run(names, `shared-${at + 1}`, ['--test-isolation=none']));
  }
  return [...results, await run(own, 'own', [concurrency])];
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
  const given = [...nodeTestArguments(counts), '--import', SEEDS, ...options, ...all];
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
