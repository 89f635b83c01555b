import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { Script } from 'node:vm';
import { type ChatHtmlParts, chatHtml } from '../../../../../src/extension/views/page/chatHtml.ts';
import { readPageFiles } from '../../../../../src/extension/views/page/pageFiles.ts';
import { english } from '../../english.ts';

const PARTS: ChatHtmlParts = {
  cspSource: 'https://*.example.test',
  nonce: 'N0nce',
  script: '',
  style: '',
  folder: 'https://x.example.test/webview',
  language: 'en',
  title: '"><script>',
};

function read(html: string) {
  const [, script = ''] = /<script nonce="N0nce" [^>]*>(.*)<\/script>/s.exec(html) ?? [];
  const [, style = ''] = /<style nonce="N0nce">(.*)<\/style>/s.exec(html) ?? [];
  return { script, style };
}

test('the page can only run and draw its own script and style, and loads no font (WE-035)', () => {
  const html = chatHtml(PARTS);
  const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html) ?? [];
  assert.deepEqual(policy.replaceAll('&#39;', "'").split('; '), [
    "default-src 'none'",
    "script-src 'nonce-N0nce'",
    'worker-src blob:',
    "style-src 'nonce-N0nce'",
    'font-src data:',
    'img-src https://*.example.test data:',
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ]);
  assert.equal(html.match(/<script/g)?.length, 1);
  assert.equal(html.match(/<style/g)?.length, 1);
  assert.doesNotMatch(html, /<link|\bsrc=/, 'nothing that the first drawing would wait for');
});

test('texts in the script cannot end it, and mean what they meant', () => {
  const script =
    "['</script>', '</SCRIPT ', '<!--<script>', /<!--|<\\/script>/u.source, `</script>`]";
  const html = chatHtml({ ...PARTS, script });
  const { script: inline } = read(html);
  assert.doesNotMatch(inline, /<\/script|<!--/i);
  const values: unknown = new Script(inline).runInThisContext();
  assert.ok(Array.isArray(values));
  assert.deepEqual(values.slice(0, 3), ['</script>', '</SCRIPT ', '<!--<script>']);
  assert.equal(new RegExp(String(values[3]), 'u').exec('a <!-- b')?.[0], '<!--');
  assert.equal(values[4], '</script>');
});

test('texts in the style cannot end it', () => {
  const style = `p::after{content:"</style>"}`;
  const html = chatHtml({ ...PARTS, style });
  assert.equal(read(html).style, 'p::after{content:"\\3c /style>"}');
});

test('the page loads its other scripts from its folder', () => {
  assert.match(chatHtml(PARTS), / data-folder="https:\/\/x\.example\.test\/webview\/">/);
});

test('the files of the page are read, and a missing one says what to do', (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-files-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  writeFileSync(path.join(folder, 'webview.js'), 'run()');
  assert.throws(
    () => readPageFiles(folder, english),
    /Sessions and unsent messages are kept\. Reinstall Gatehouse, then reload the window\. \(.*webview\.css/,
  );
  writeFileSync(path.join(folder, 'webview.css'), 'p {}');
  writeFileSync(path.join(folder, 'lastScreen.js'), 'hand()');
  const files = { script: 'run()', style: 'p {}', lastScreen: 'hand()' };
  assert.deepEqual(readPageFiles(folder, english), files);
});
