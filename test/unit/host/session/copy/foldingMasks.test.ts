import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { canMount, runThere } from '../../../foldingDisk/runThere.ts';

const SCRIPT = path.join(import.meta.dirname, 'foldingMasks.ts');

if (canMount()) {
  test('no command runs unasked where a hidden file is opened by other spellings, too', () => {
    const files = { 'a.ts': 'a\n', 'Src/.ENV': 'A=1\n' };
    assert.match(runThere(files, SCRIPT), /Rules hide files in .*Src/);
  });

  test('where nothing is hidden it may run', () => {
    assert.equal(runThere({ 'a.ts': 'a\n', 'Src/b.ts': 'b\n' }, SCRIPT), '');
  });
}
