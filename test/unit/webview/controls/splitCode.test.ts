import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toCodeSpan } from '../../../../src/base/codeSpan.ts';
import { splitCode } from '../../../../src/webview/controls/splitCode.ts';

const render = (text: string) =>
  splitCode(text)
    .map(({ text: part, code }) => (code ? `<${part}>` : part))
    .join('');

test('code between backticks is code, everything else is text', () => {
  assert.equal(render('No rule covers `notes.txt`.'), 'No rule covers <notes.txt>.');
  assert.equal(render('`a` leads to `b`.'), '<a> leads to <b>.');
  assert.equal(render('run `` echo `date` ``.'), 'run <echo `date`>.');
  assert.equal(render('an open ` stays'), 'an open ` stays');
  assert.equal(render('``two` no'), '``two` no');
  assert.equal(render(''), '');
});

test('what toCodeSpan writes is read back whole', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '`', ' ', '.'), minLength: 1 }), (text) => {
      fc.pre(text.trim() !== '');
      const spans = splitCode(`x ${toCodeSpan(text, 1000)}.`);
      assert.deepEqual(spans.at(-1), { text: '.', code: false });
      assert.equal(spans.length, 3);
    }),
  );
});
