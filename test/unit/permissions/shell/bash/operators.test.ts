import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzeBash } from '../../../../../src/permissions/shell/bash/walk.ts';
import { printByBash } from '../../../../fuzz/groundTruth.ts';

test('an operator at the start of a line in a compound command is a parse error, as in bash', () => {
  for (const [line, fails] of [
    ['if true\n; then ls; fi', true],
    ['if true; then ls\n| wc; fi', true],
    ['{ ls\n& wc; }', true],
    ['for i in a; do ls\n  ;done', true],
    ['if true; then ls |\nwc; fi', false],
    ['case x in\na) ls\n;;\nesac', false],
    ['if true; then\nls\nfi', false],
  ] as const) {
    const { doubts } = analyzeBash(line, '/w', 'linux');
    assert.equal(doubts.length > 0, fails, line);
    assert.equal(printByBash(line) === 'cannot be parsed', fails, line);
  }
});
