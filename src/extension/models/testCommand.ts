/** Whether a command line runs tests, by the words that test runners of many languages share. */
export function isTestCommand(line: string): boolean {
  return /(^|[\s:/])(tests?|jest|vitest|mocha|pytest|rspec|phpunit|ctest|nextest)([\s:]|$)/.test(
    line,
  );
}
