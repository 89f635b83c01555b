import { homedir } from 'node:os';
import path from 'node:path';

/** The repository's root folder. */
export const ROOT = path.resolve(import.meta.dirname, '../..');

/** Screenshots, logs and traces of the last run. Not tracked. */
export const RESULTS = path.join(ROOT, 'test-results');

/** What a developer of the sample sees: a tiny project with one failing test. */
export const SAMPLE = path.join(ROOT, 'test/fixtures/sample');

/** Where downloads for tests live, by version: `GATEHOUSE_TEST_CACHE`, else the user's cache folder. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const own = env['GATEHOUSE_TEST_CACHE'];
  if (own) return path.resolve(own);
  return path.join(env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'gatehouse-tests');
}

/** Every raw protocol line of every window of the browser tests, a file for each host. */
export const TRACES = path.join(RESULTS, 'traces');
