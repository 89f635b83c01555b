import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parseHTML } from 'linkedom';
import { EMPTY_SPLIT, splitBlocks } from '../../../../src/webview/markdown/blocks.ts';
import { highlight } from '../../../../src/webview/markdown/highlight.ts';
import {
  ALLOWED,
  createMarkdown,
  isAllowedLink,
  LONGEST_PARSED,
} from '../../../../src/webview/markdown/markdown.ts';
import { toPlainText } from '../../../../src/webview/markdown/plainText.ts';
import { cpuTime } from '../../cpuTime.ts';

interface Case {
  readonly id: string;
  readonly area: string;
  readonly input: { readonly markdown?: string; readonly stream?: readonly string[] };
}

const LABELS = {
  taskDone: () => 'done',
  taskOpen: () => 'not done',
  image: (alt: string) => `Image (not loaded): ${alt}`,
};
const render = createMarkdown((key, alt = '') => LABELS[key](alt));
const ALLOWED_ATTRIBUTES: readonly string[] = ALLOWED.attributes;
const CLASSES: readonly string[] = ALLOWED.classes;
const corpus: { cases: readonly Case[] } = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../../../fixtures/adversarial.json'), 'utf8'),
);
const shown = corpus.cases.filter(
  ({ area, input }) => area === 'webview' && (input.markdown !== undefined || input.stream),
);

test('the corpus holds the cases of the chat', () => {
  assert.ok(shown.length >= 15);
});

for (const { id, input } of shown) {
  test(`${id} makes no element that loads or runs anything, after every chunk`, () => {
    let text = '';
    for (const piece of input.stream ?? [input.markdown ?? '']) {
      text += piece;
      assertHarmless(text);
    }
  });

  test(`${id} is shown within a second`, async () => {
    const took = await cpuTime(() => toHtml(input.markdown ?? input.stream?.join('') ?? ''));
    assert.ok(took < 1000, `${took} ms`);
  });
}

test('a picture becomes a link that says so', () => {
  assert.equal(
    render('![plan](https://a.example/p.png)').trim(),
    '<p dir="auto"><a href="https://a.example/p.png" title="https://a.example/p.png">Image (not loaded): plan</a></p>',
  );
});

test('a link shows its real target, whatever its text is (WE-024)', () => {
  assert.equal(
    render('[https://good.example](https://evil.example/?d=S)').trim(),
    '<p dir="auto"><a href="https://evil.example/?d=S" title="https://evil.example/?d=S">https://good.example</a></p>',
  );
});

test('links of other schemes are plain text (WE-014, WE-016, WE-023)', () => {
  const hrefs = [
    'javascript:alert(1)',
    'vscode://x.y/run',
    'file:///etc/passwd',
    'command:x',
    'data:text/html,x',
  ];
  for (const href of hrefs) assert.doesNotMatch(render(`[x](${href})`), /<a /, href);
});

test('headings of a message lie below those of the page', () => {
  assert.equal(
    render('# One\n\n##### Five').trim(),
    '<h4 dir="auto">One</h4>\n<h6 dir="auto">Five</h6>',
  );
});

test('the sides of cells are classes, not styles that the policy of the page refuses', () => {
  const html = render('|a|b|c|\n|:-|:-:|-:|\n|1|2|3|');
  assert.doesNotMatch(html, /style=/);
  for (const side of ['left', 'center', 'right']) {
    assert.match(html, new RegExp(`<td dir="auto" class="align-${side}">`));
  }
  assert.match(html, /^<div class="table" tabindex="0"><table>/);
});

test('task lists show a box that says whether it is done', () => {
  const html = render('- [x] one\n- [ ] *two*\n- [y] three\n\n[x] four');
  assert.match(html, /<li class="task"><span role="img" aria-label="done">☑<\/span> one/);
  assert.match(html, /aria-label="not done">☐<\/span> <em>two<\/em>/);
  assert.match(html, /\[y\] three/);
  assert.match(html, /<p dir="auto">\[x\] four/);
});

test('paths of files are links in code, and in running text with a line', () => {
  const linked = (text: string) =>
    [...render(text).matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
  assert.deepEqual(linked('`src/app.ts` and `./a.ts:10` and `app.ts:10:5` and `a/b.ts#L3`'), [
    ...['src/app.ts', './a.ts:10', 'app.ts:10:5', 'a/b.ts#L3'],
  ]);
  assert.deepEqual(linked('See src/app.ts:10, (lib/b.py:3:1) and café/ü.md:2.'), [
    ...['src/app.ts:10', 'lib/b.py:3:1', 'café/ü.md:2'],
  ]);
  assert.deepEqual(linked('[the app](src/app.ts:10) and [docs](docs/a.md)'), [
    ...['src/app.ts:10', 'docs/a.md'],
  ]);
  assert.deepEqual(linked('`src/app.ts:10-20` and src/app.ts:10–42 and `C:/ws/a.ts:10`.'), [
    ...['src/app.ts:10-20', 'src/app.ts:10–42', 'C:/ws/a.ts:10'],
  ]);
  assert.deepEqual(linked('[a](src/app.ts:10-20) [b](app.ts:10–42) [c](C:/ws/a.ts:10)'), [
    ...['src/app.ts:10-20', 'app.ts:10%E2%80%9342', 'C:/ws/a.ts:10'],
  ]);
  assert.deepEqual(
    linked('example.com:443 `example.com:443` [x](example.com:443) 10.0.0.1:80'),
    [],
  );
  const plain = 'and/or.maybe `foo.bar` `a b/c.ts` `npm test` 12:30 node.js 1.2:3 `x.y()` http:3';
  assert.deepEqual(linked(plain), []);
  assert.deepEqual(linked('[src/a.ts:1](https://evil.example/)'), ['https://evil.example/']);
});

test('a web link keeps escapes that a path must not have', () => {
  assert.match(render('[x](https://a.example/new?body=a%0Ab)'), /href="https:[^"]*%0Ab"/);
  assert.doesNotMatch(render('[x](src/a%0Ab.ts)'), /<a /);
});

test('a long link without a line is checked in linear time', async () => {
  const long = '.a'.repeat(100_000);
  assert.ok((await cpuTime(() => isAllowedLink(`x${long}:a`))) < 1000);
});

test('links out of the page are no paths', () => {
  for (const href of ['//host/a.ts', '\\\\host\\a.ts', 'file:///a.ts', '#top', 'java\tscript:1']) {
    assert.doesNotMatch(render(`[x](<${href}>)`), /<a /, href);
  }
});

test('code is highlighted with spans only, and unknown languages stay plain', () => {
  const html = highlight('const a = "<img src=x onerror=alert(1)>";', 'ts') ?? '';
  assert.match(html, /hljs-keyword/);
  assert.deepEqual([...new Set([...html.matchAll(/<(\w+)/g)].map(([, tag]) => tag))], ['span']);
  assert.equal(highlight('x', 'no-such-language'), undefined);
  assert.equal(highlight('x'.repeat(40_000), 'ts'), undefined);
});

/** Renders like the chat: block by block, and long blocks as plain text. */
function toHtml(text: string): string {
  const { split, open } = splitBlocks(text, EMPTY_SPLIT, false);
  return [...split.blocks, ...(open ? [open] : [])]
    .filter((block) => block.type === 'markdown' && block.text.length <= LONGEST_PARSED)
    .map((block) => render(block.text))
    .join('');
}

function assertHarmless(text: string): void {
  const { document } = parseHTML(`<!doctype html><body>${toHtml(text)}</body>`);
  const tags: readonly string[] = ALLOWED.tags;
  for (const element of document.body.querySelectorAll('*')) {
    const name = element.tagName.toLowerCase();
    assert.ok(tags.includes(name), `${name} in ${text.slice(0, 80)}`);
    for (const { name: attribute, value } of element.attributes) {
      assert.ok(ALLOWED_ATTRIBUTES.includes(attribute), attribute);
      if (attribute === 'href')
        assert.match(value, /^(?:(?:https?|mailto):|(?![a-z][a-z0-9+.-]*:|[/\\]{2}))/i);
      if (attribute === 'tabindex') assert.equal(value, '0');
      if (attribute === 'class') assert.ok(CLASSES.includes(value), value);
    }
  }
}

test('raw HTML is text, before the sanitizer sees it', () => {
  assert.equal(
    render('<b onclick="x">one</b>\n\n<script>two</script>'),
    '<p dir="auto">&lt;b onclick=&quot;x&quot;&gt;one&lt;/b&gt;</p>\n<p dir="auto">&lt;script&gt;two&lt;/script&gt;</p>\n',
  );
});

test('nothing of a text with deeper lists or quotes than are drawn is left out', () => {
  const lists = (levels: number) =>
    Array.from({ length: levels }, (_, at) => `${'  '.repeat(at)}- level ${at}`).join('\n');
  assert.match(render(lists(9)), /<li>level 8<\/li>/);
  for (const text of [lists(10), `${lists(12)}\n\nThe end.`, `${'> '.repeat(30)}The end.`]) {
    const { document } = parseHTML(`<html><body>${render(text)}</body></html>`);
    assert.equal(document.body.textContent, text);
    assert.equal(toPlainText(text), text);
  }
});
