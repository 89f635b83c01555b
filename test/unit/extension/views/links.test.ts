import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowedLink } from '../../../../src/extension/views/links.ts';

test('only http, https and mailto links are opened (WE-023)', () => {
  assert.equal(allowedLink('https://good.example/a'), 'https://good.example/a');
  assert.equal(allowedLink('mailto:a@b.example'), 'mailto:a@b.example');
  const refused = [
    'vscode://evil.ext/run',
    'file:///etc/passwd',
    'command:gatehouse.stop',
    'javascript:alert(1)',
  ];
  for (const href of [...refused, 'data:text/html,x', 'JaVaScRiPt:x', '/relative', '']) {
    assert.equal(allowedLink(href), undefined, href);
  }
});
