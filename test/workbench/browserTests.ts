import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { nodeTestArguments, parseSuiteResult } from './nodeTest.ts';
import { RESULTS, ROOT } from './paths.ts';
import { reportSuite } from './suite.ts';
import { buildVsix } from './vsix.ts';

/**
 * `npm run test:browser [words of a file's name …]`: Playwright on the installed .vsix. All files
 * run in one process, so that they share one server and one Chromium. `TEST_VSIX` names a package
 * that is built already.
 */
const words = process.argv.slice(2);
const files = readdirSync(path.join(ROOT, 'test/browser'))
  .filter((name) => name.endsWith('.test.ts'))
  .sort()
  .filter((name) => words.length === 0 || words.some((word) => name.includes(word)))
  .map((name) => path.join('test/browser', name));
// Without a file, Node's runner would run every test of the repository.
if (files.length === 0)
  throw new Error(`No file in test/browser is named like ${words.join(', ')}.`);
const vsix = process.env['TEST_VSIX'] || buildVsix();

rmSync(path.join(RESULTS, 'screenshots'), { recursive: true, force: true });
const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-browser-'));
const counts = path.join(folder, 'counts.json');
const { error } = spawnSync(
  process.execPath,
  [
    ...nodeTestArguments(counts),
    ...['--test-isolation=none', '--test-timeout=900000', '--test-force-exit'],
    ...files,
  ],
  { cwd: ROOT, env: { ...process.env, TEST_VSIX: vsix }, stdio: ['ignore', 'inherit', 'inherit'] },
);
if (error) console.error(error.message);
reportSuite('browser', parseSuiteResult(counts));
rmSync(folder, { recursive: true, force: true });
