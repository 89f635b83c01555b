import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './paths.ts';
import type { SuiteResult } from './suite.ts';

/** Arguments that make Node run tests, show them, and write their SuiteResult to `counts`. */
export function nodeTestArguments(counts: string): string[] {
  const reporter = path.join(ROOT, 'test/workbench/countReporter.ts');
  return [
    '--test',
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...[`--test-reporter=${reporter}`, `--test-reporter-destination=${counts}`],
  ];
}

/** A file that is missing or cut short means that the run broke off, which is one failure. */
export function parseSuiteResult(counts: string): SuiteResult {
  try {
    const parsed: SuiteResult = JSON.parse(readFileSync(counts, 'utf8'));
    return parsed;
  } catch {
    return { passed: 0, failed: ['The tests did not run to their end.'] };
  }
}
