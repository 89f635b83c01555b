import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadLineActs, SHELLS, showLine } from './lineActs.ts';

for (const shell of SHELLS) {
  for (const { line, acts } of loadLineActs(shell)) {
    test(`what ${shell} makes of ${line}`, async () => {
      assert.deepEqual(await showLine(shell, line), acts);
    });
  }
}
