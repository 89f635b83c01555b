import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseSuiteResult } from './nodeTest.ts';
import { ROOT } from './paths.ts';
import { type ReleaseName, testedRelease } from './release.ts';
import { reportSuite, type SuiteResult } from './suite.ts';

/**
 * `npm run test:floor [words of a browser test's file …]`: the oldest VS Code that the extension
 * allows runs the in-host suite and the browser tests of review and approval. With words it runs
 * those browser tests only. `npm test` does not run it: it takes minutes, and an API that the floor
 * lacks is missing from `@types/vscode` too.
 */
const BROWSER = [
  'answerKeys.test',
  'answers.test',
  'cards.test',
  'comments.test',
  'focus.test',
  'fourEdits.test',
  'afterwardsReview.test',
  'place.test',
  'queue.test',
  'reload.test',
  'review.test',
  'turnReview.test',
  'typedText.test',
];

const FLOOR: ReleaseName = 'floor';
const env = { ...process.env, TEST_RELEASE: FLOOR };
const words = process.argv.slice(2);
const scratch = mkdtempSync(path.join(tmpdir(), 'gatehouse-floor-'));
console.log(`VS Code ${testedRelease(env).vscode}`);
const results = [
  ...(words.length === 0 ? [run('hostTests.ts', [])] : []),
  run('browserTests.ts', words.length === 0 ? BROWSER : words),
];
rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
reportSuite('floor', {
  passed: results.reduce((sum, { passed }) => sum + passed, 0),
  failed: results.flatMap(({ failed }) => failed),
});

function run(script: string, args: readonly string[]): SuiteResult {
  const counts = path.join(scratch, `${script}.json`);
  const { status } = spawnSync(
    process.execPath,
    [path.join(ROOT, 'test/workbench', script), ...args],
    {
      cwd: ROOT,
      env: { ...env, TEST_COUNTS: counts },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  const result = parseSuiteResult(counts);
  if (status === 0 || result.failed.length > 0) return result;
  return { passed: result.passed, failed: [`${script} ended with code ${status}`] };
}
