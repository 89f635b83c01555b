import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseHTML } from 'linkedom';
import { decodeHTMLStrict } from '../../../../src/webview/markdown/entities.ts';

test('a named reference is decoded by the document, and what is none stays', (t) => {
  Object.assign(globalThis, { document: parseHTML('<body></body>').document });
  t.after(() => Reflect.deleteProperty(globalThis, 'document'));
  const references = [
    '&copy;',
    '&lt;',
    '&semi;',
    '&notit;',
    '&bogus;',
    '&amp',
    '&lt;b&gt;',
    '&#1;',
  ];
  assert.deepEqual(references.map(decodeHTMLStrict), [
    ...['©', '<', ';', '&notit;', '&bogus;', '&amp', '&lt;b&gt;', '&#1;'],
  ]);
});
