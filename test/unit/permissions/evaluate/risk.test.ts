import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../ask.ts';

/** The part of the line, and the risk that the user is warned of. */
async function listRisks(line: string, rules: readonly string[] = []) {
  const { details } = await evaluateBash(line, ['bash * allow', ...rules]);
  return details().flatMap(({ decision, risk }) => (decision === 'ask' ? [risk] : []));
}

test('a command that cannot be checked keeps the mark of what it does', async () => {
  for (const [line, ...risks] of [
    ['rm -rf "$X"', 'destructive'],
    ['curl "$X"', 'network'],
    ['make "$X"', 'unclear'],
    ['rm -rf a\u200bb', 'destructive', 'unclear'],
    ['make a\u202eb', 'unclear', 'unclear'],
    ['"$X" -rf a', 'unclear'],
  ] as const) {
    assert.deepEqual(await listRisks(line), risks, line);
    // A rule that asks about the command takes no mark away.
    assert.deepEqual(
      await listRisks(line, ['bash rm * ask', 'bash curl * ask', 'bash make * ask']),
      risks,
      line,
    );
  }
});
