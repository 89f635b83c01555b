import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectDiagnostics } from '../../../../src/declared/manifest/diagnostic.ts';
import { readDocument } from '../../../../src/declared/manifest/parseDocument.ts';

/** The last line of the list of so many diagnostics. */
function last(errors: number, notes: number): string | undefined {
  const diagnostics = collectDiagnostics(readDocument('tools.json', '{}'));
  for (let at = 0; at < errors; at++) diagnostics.error('', 'bad');
  for (let at = 0; at < notes; at++) diagnostics.information('', 'note');
  return diagnostics.finish().at(-1)?.message;
}

test('what is not listed is counted', () => {
  assert.equal(last(500, 0), 'bad');
  assert.equal(last(501, 0), '1 more error is not listed');
  assert.equal(last(502, 0), '2 more errors are not listed');
  assert.equal(last(501, 501), '1 more error and 1 more note are not listed');
});
