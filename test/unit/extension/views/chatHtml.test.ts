import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatHtml } from '../../../../src/extension/views/chatHtml.ts';

test('the page can only load its own script, styles and font (WE-035)', () => {
  const html = chatHtml({
    cspSource: 'https://*.example.test',
    nonce: 'N0nce',
    script: 'https://x.example.test/webview.js',
    style: 'https://x.example.test/webview.css',
    language: 'en',
    title: '"><script>',
  });
  const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html) ?? [];
  assert.deepEqual(policy.replaceAll('&#39;', "'").split('; '), [
    "default-src 'none'",
    "script-src 'nonce-N0nce'",
    'worker-src blob:',
    'style-src https://*.example.test',
    'font-src https://*.example.test',
    'img-src https://*.example.test data:',
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ]);
  assert.equal(html.match(/<script/g)?.length, 1);
});
