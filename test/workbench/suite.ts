import { writeFileSync } from 'node:fs';

/** What a suite tells whoever runs it. */
export interface SuiteResult {
  readonly passed: number;
  /** One line for each failed test. A skipped test is a failed one. */
  readonly failed: readonly string[];
  /** How long the tests of each file took, in seconds, by the file's name. */
  readonly seconds?: Readonly<Record<string, number>>;
}

/**
 * Ends a suite's process: prints its counts, hands them to the runner (`TEST_COUNTS` names the
 * file) and sets the exit code. A suite without a single test has failed.
 */
export function reportSuite(name: string, { passed, failed }: SuiteResult): void {
  const faults = passed + failed.length === 0 ? ['The suite holds no test.'] : failed;
  for (const fault of faults) console.log(`failed: ${fault}`);
  console.log(`${name}: ${passed} passed, ${faults.length} failed`);

  const file = process.env['TEST_COUNTS'];
  if (file) writeFileSync(file, JSON.stringify({ passed, failed: faults }));
  if (faults.length > 0) process.exitCode = 1;
}
