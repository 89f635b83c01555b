import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderPage } from '../../../../../src/tools/locked/page/renderPage.ts';
import { measureMarkup, stripMarkup } from '../../../../../src/tools/locked/page/stripMarkup.ts';

const URL = 'https://docs.example/';
const { signal } = new AbortController();

test('a page of some thousand tags is Markdown too, from a thread of its own', async () => {
  const html = `<h1>Title</h1>${'<p>Some <b>words</b>.</p>'.repeat(800)}`;
  assert.ok(measureMarkup(html).tags > 3000);
  const { content } = await renderPage(html, URL, 'markdown', { signal, timeoutMs: 60_000 });
  assert.match(content, /^## Title\n\nSome \*\*words\*\*\.\n/);
});

test('what takes too long comes as bare text, and nobody has to wait meanwhile', async () => {
  const html = `${'<i>x</i>'.repeat(100_000)}<p>end`;
  let turns = 0;
  let over = false;
  // Turns of the event loop: a busy machine makes each of them late, a busy host makes none.
  const turn = () => {
    turns += 1;
    if (!over) setImmediate(turn);
  };
  setImmediate(turn);
  const { content } = await renderPage(html, URL, 'markdown', { signal, timeoutMs: 100 });
  over = true;
  assert.equal(content, `${'x'.repeat(100_000)}\nend`);
  assert.ok(turns > 3, 'the host could do nothing else');
});

test('a page too deep for any parser comes as bare text', async () => {
  const started = process.cpuUsage();
  const { content } = await renderPage(`${'<table><tr><td>'.repeat(50_000)}x`, URL, 'markdown', {
    signal,
  });
  assert.equal(content, 'x');
  assert.ok(process.cpuUsage(started).user < 2_000_000);
});

test('bare text leaves out what is not read, and keeps lines apart', () => {
  const html =
    '<title>T</title><script>if (a<b) evil("</p>")</script><style>p{}</style><p>One <b>two</b></p><!-- <p>no --><div>a &lt;b&gt; &amp;amp;</div>1 < 2 <svg><text>no</text></svg><';
  assert.equal(stripMarkup(html), 'T\nOne two\na <b> &amp;\n1 < 2\n<');
});

test('markup is measured by its depth, not by ends that are left out', () => {
  assert.deepEqual(measureMarkup('<div><ul><li>a<li>b</ul><br></div><p>c<p>d'), {
    tags: 9,
    depth: 2,
  });
});

for (const [name, html] of [
  ['tags without an end', '<a '.repeat(300_000)],
  ['comments without an end', '<!--'.repeat(300_000)],
  ['scripts without an end', '<script>'.repeat(200_000)],
  ['ends alone', '</div>'.repeat(200_000)],
] as const) {
  test(`${name} are looked at once`, () => {
    const started = process.cpuUsage();
    measureMarkup(html);
    stripMarkup(html);
    assert.ok(process.cpuUsage(started).user < 2_000_000);
  });
}
