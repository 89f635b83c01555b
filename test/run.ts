import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { installNewBubblewrap } from './defaults/newBubblewrap.ts';
import { installBubblewrap, installStrace } from './defaults/tools.ts';
import { ensureChromium } from './workbench/chromium.ts';
import { installServer } from './workbench/install.ts';
import { runningNow, tellWhatIsLeft } from './workbench/leftRunning.ts';
import { parseSuiteResult } from './workbench/nodeTest.ts';
import { RESULTS, ROOT } from './workbench/paths.ts';
import type { SuiteResult } from './workbench/suite.ts';
import { buildVsix } from './workbench/vsix.ts';

/**
 * `npm test`: every stage in order. A stage that failed does not stop the ones after it, unless
 * they need what it makes. Ends with one line, `N passed, N failed`.
 */
interface Stage {
  readonly name: string;
  run(): SuiteResult;
}

const scratch = mkdtempSync(path.join(tmpdir(), 'gatehouse-test-'));
const vsix = path.join(RESULTS, 'gatehouse.vsix');

const LINT = ['check', '--config-path=.vscode', '--diagnostic-level=warn', 'src', 'test', 'bench'];

const STAGES: readonly Stage[] = [
  { name: 'types', run: () => command('node_modules/typescript/bin/tsc', ['-p', '.']) },
  {
    name: 'webview types',
    run: () => command('node_modules/typescript/bin/tsc', ['-p', 'src/webview']),
  },
  { name: 'lint', run: () => command('node_modules/@biomejs/biome/bin/biome', LINT) },
  { name: 'build', run: () => step(buildVsix) },
  { name: 'install', run: () => step(installAll) },
  { name: 'unit', run: () => suite('test/workbench/unitTests.ts') },
  { name: 'in-host', run: () => suite('test/workbench/hostTests.ts') },
  { name: 'browser', run: () => suite('test/workbench/browserTests.ts') },
];

// Everything the tests speak to is on loopback, which is no proxy's business.
for (const name of ['NO_PROXY', 'no_proxy']) {
  process.env[name] = [process.env[name], '127.0.0.1', 'localhost'].filter(Boolean).join(',');
}
rmSync(RESULTS, { recursive: true, force: true, maxRetries: 5 });
const results = STAGES.map(runStage);
rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });

const failed = results.flatMap((result) => result.failed);
const passed = results.reduce((sum, result) => sum + result.passed, 0);
if (failed.length > 0) process.exitCode = 1;
console.log(`\n${failed.map((line) => `failed: ${line}\n`).join('')}`);
console.log(`${passed} passed, ${failed.length} failed`);

function runStage({ name, run }: Stage): SuiteResult {
  console.log(`\n== ${name}`);
  const start = performance.now();
  const before = runningNow();
  const result = run();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`-- ${name}: ${result.passed} passed, ${result.failed.length} failed, ${seconds} s`);
  if (process.env['CI']) tellWhatIsLeft(before);
  return { ...result, failed: result.failed.map((line) => `${name}: ${line}`) };
}

/** A tool whose exit code is its verdict counts as one test. */
function command(program: string, args: readonly string[]): SuiteResult {
  const { status } = spawnSync(process.execPath, [program, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status === 0) return { passed: 1, failed: [] };
  return { passed: 0, failed: [`exit code ${status}`] };
}

/** A step of our own: what it throws is the failure. */
function step(run: () => unknown): SuiteResult {
  try {
    run();
    return { passed: 1, failed: [] };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    console.error(message);
    return { passed: 0, failed: [message.split('\n')[0] ?? message] };
  }
}

function installAll(): void {
  installServer();
  ensureChromium();
  installStrace();
  installBubblewrap();
  installNewBubblewrap();
}

function suite(script: string): SuiteResult {
  const counts = path.join(scratch, `${path.basename(script)}.json`);
  const env = {
    ...process.env,
    TEST_COUNTS: counts,
    TEST_SCOPE: process.env['TEST_SCOPE'] ?? 'usual',
    ...(existsSync(vsix) ? { TEST_VSIX: vsix } : {}),
  };
  const { status } = spawnSync(process.execPath, [script], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return ended(parseSuiteResult(counts), status);
}

/** A suite that says all is well but ends in an error is not well. */
function ended(result: SuiteResult, status: number | null): SuiteResult {
  if (status === 0 || result.failed.length > 0) return result;
  return { passed: result.passed, failed: [`ended with code ${status}`] };
}
