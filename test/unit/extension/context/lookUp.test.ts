import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  toImageBlock,
  toLinesBlock,
  toLinesLabel,
  toLink,
  toTextBlock,
} from '../../../../src/extension/context/blocks.ts';
import { type ContextCandidate, LookUp } from '../../../../src/extension/context/lookUp.ts';
import { describeProblems } from '../../../../src/extension/context/problems.ts';
import { rankPath, takeBest } from '../../../../src/extension/context/rank.ts';
import { type FoundContext, MOST_FOUND } from '../../../../src/webview/messages/attached.ts';

const toFile = (path: string): ContextCandidate => ({
  ...{ kind: 'file', label: path.split('/').at(-1) ?? '', path },
  read: async () => toLink(`file:///work/${path}`, path),
});
const SELECTION: ContextCandidate = {
  ...{ kind: 'selection', label: 'Selection', chip: 'app.ts:10–42' },
  read: async () => toLinesBlock('file:///work/app.ts', { from: 10, to: 42 }, 'text'),
};

function lookUp(paths: readonly string[], open: readonly string[] = []) {
  return new LookUp({
    fixed: () => [SELECTION],
    openEditors: () => open.map(toFile),
    files: async () => paths.map(toFile),
    resources: async () => [],
    prompts: async () => [],
    symbols: async (query) => [
      { kind: 'symbol', label: `${query}Symbol`, read: async () => undefined },
    ],
  });
}

const best = (query: string, paths: readonly string[]) => takeBest(paths, query, (path) => path, 9);

test('a query fits where its characters occur in order', () => {
  assert.equal(rankPath('xyz', 'src/app.ts'), undefined);
  assert.deepEqual(best('app', ['a/p/p.md', 'src/app.ts', 'wrapper.ts', 'no.md']), [
    'src/app.ts',
    'wrapper.ts',
    'a/p/p.md',
  ]);
});

test('starts of words and folders count', () => {
  assert.deepEqual(best('cV', ['src/convex.ts', 'src/chatView.ts'])[0], 'src/chatView.ts');
  assert.deepEqual(best('ext/app', ['src/app.ts', 'ext/app.ts']), ['ext/app.ts']);
});

test('of equals the first are kept, in their order', () => {
  const files = Array.from({ length: 40 }, (_, at) => ({
    at,
    path: at % 2 ? 'src/b.ts' : 'x/ab.ts',
  }));
  const kept = takeBest(files, 'b', ({ path }) => path, 25);
  const odd = files.filter(({ at }) => at % 2);
  assert.deepEqual(kept, [...odd, ...files.filter(({ at }) => at % 2 === 0)].slice(0, 25));
});

test('of each path little is done, as tens of thousands are ranked for each key', (t) => {
  const lower = t.mock.method(String.prototype, 'toLowerCase');
  const matched = t.mock.method(RegExp.prototype, 'test');
  const paths = Array.from({ length: 1_000 }, (_, at) => `src/module${at}/component${at}.ts`);
  assert.equal(best('so', paths).length, 9);
  const calls = [lower, matched].map(({ mock }) => mock.callCount());
  assert.deepEqual(calls, [1_001, 0]);
});

test('without a query, the selection and open editors come first', async () => {
  const found = await lookUp(['a.ts', 'b.ts'], ['b.ts']).find('');
  assert.deepEqual(
    found.map(({ label }) => label),
    ['Selection', 'b.ts', 'a.ts'],
  );
});

test('a list is bounded, and files leave room for symbols', async () => {
  const paths = Array.from({ length: 20_000 }, (_, index) => `src/app${index}.ts`);
  const found = await lookUp(paths).find('app');
  assert.equal(found.length, MOST_FOUND);
  assert.equal(found.at(-1)?.kind, 'symbol');
});

test('files are listed before symbols are found, and keep their places and ids', async () => {
  const symbols = Promise.withResolvers<readonly ContextCandidate[]>();
  const list = new LookUp({
    fixed: () => [],
    openEditors: () => [],
    files: async () => ['app.ts', 'wrapper.ts'].map(toFile),
    resources: async () => [],
    prompts: async () => [],
    symbols: () => symbols.promise,
  });
  const early = Promise.withResolvers<readonly FoundContext[]>();
  const all = list.find('app', early.resolve);
  const files = await early.promise;
  assert.deepEqual(
    files.map(({ label }) => label),
    ['app.ts', 'wrapper.ts'],
  );
  symbols.resolve([{ kind: 'symbol', label: 'App', read: async () => undefined }]);
  assert.deepEqual((await all).slice(0, 2), files);
  assert.equal((await all)[2]?.label, 'App');
});

test('a list without files is only told when it is complete', async () => {
  const early: unknown[] = [];
  const found = await lookUp([]).find('app', (entries) => early.push(entries));
  assert.deepEqual([found.length, early], [1, []]);
});

test('issue 15: what fits best comes first, whatever it is, and resources never fill the list', async () => {
  const toResource = (label: string): ContextCandidate => ({
    ...{ kind: 'resource', label, read: async () => undefined },
  });
  const list = new LookUp({
    fixed: () => [{ ...SELECTION, label: 'Summary' }],
    openEditors: () => [],
    files: async () => ['src/sum.js', 'src/sub/muffin.md'].map(toFile),
    resources: async () => Array.from({ length: 9 }, (_, at) => toResource(`startup${at}.md`)),
    prompts: async () => [],
    symbols: async () => [],
  });
  const labels = (await list.find('sum')).map(({ label }) => label);
  assert.deepEqual(labels.slice(0, 2).sort(), ['Summary', 'sum.js']);
  assert.equal(labels.filter((label) => label.startsWith('startup')).length, 5);
});

test('only what was offered can be taken', async () => {
  const list = lookUp(['a.ts']);
  const [selection] = await list.find('');
  assert.deepEqual((await list.read(selection?.id ?? ''))?.chip, {
    ...{ kind: 'selection', label: 'app.ts:10–42' },
  });
  assert.equal(await list.read('file:///etc/passwd'), undefined);
});

test('each kind is the content block that the agent protocol has for it', () => {
  assert.deepEqual(
    [
      toLink('file:///work/src', 'src'),
      toLinesBlock('file:///work/a.ts', { from: 3, to: 3 }, 'x'),
      toTextBlock('npm test', 'failed'),
      toImageBlock('a b.png', 'image/png', 'AAAA'),
    ],
    [
      { type: 'resource_link', uri: 'file:///work/src', name: 'src' },
      { type: 'resource', resource: { uri: 'file:///work/a.ts#L3', text: 'x' } },
      {
        type: 'resource',
        resource: {
          ...{ uri: 'gatehouse-context:/npm%20test', text: 'failed', mimeType: 'text/plain' },
        },
      },
      {
        ...{ type: 'image', mimeType: 'image/png', data: 'AAAA' },
        uri: 'gatehouse-context:/a%20b.png',
      },
    ],
  );
  assert.deepEqual(
    [toLinesLabel('a.ts', { from: 3, to: 3 }), toLinesLabel('a.ts', { from: 3, to: 4 })],
    ['a.ts:3', 'a.ts:3–4'],
  );
});

test('of a long text the end is attached', () => {
  const block = toTextBlock('log', `${'x'.repeat(2_000_000)}the end`);
  const text = block.type === 'resource' && 'text' in block.resource ? block.resource.text : '';
  assert.ok(text.endsWith('the end') && text.startsWith('…'));
  assert.ok(Buffer.byteLength(text) < 1024 * 1024);
});

test('problems are listed with their place, errors first', () => {
  const range = { start: { line: 2, character: 6 } };
  assert.equal(
    describeProblems([
      ['src/a.ts', [{ message: 'Unused.', severity: 1, range }]],
      ['src/b.ts', [{ message: 'Not\n  found.', severity: 0, source: 'ts', range }]],
    ]),
    'src/b.ts:3:7: error: Not found. (ts)\nsrc/a.ts:3:7: warning: Unused.',
  );
});

test('resources of servers are listed with @, and prompts with /', async () => {
  const guide: ContextCandidate = {
    ...{ kind: 'resource', label: 'Guide', path: 'docs Guide docs://a' },
    read: async () => toTextBlock('docs: Guide', 'Hi.'),
  };
  const review: ContextCandidate = {
    ...{ kind: 'prompt', label: '/docs:review' },
    read: async () => undefined,
    fill: async () => ({ text: 'Review.', images: [] }),
  };
  const list = new LookUp({
    ...{ fixed: () => [], openEditors: () => [], symbols: async () => [] },
    files: async () => ['guide.md'].map(toFile),
    resources: async () => [guide],
    prompts: async () => [review],
  });
  const found = await list.find('guide');
  assert.deepEqual(found.map(({ label }) => label).sort(), ['Guide', 'guide.md']);
  const [prompt, ...others] = await list.findPrompts('rev');
  assert.deepEqual([prompt?.kind, others], ['prompt', []]);
  assert.deepEqual(await list.fill(prompt?.id ?? ''), { text: 'Review.', images: [] });
  assert.equal(await list.fill('unknown'), undefined);
  assert.deepEqual(await list.findPrompts('other'), []);
});

test('servers whose resources can not be listed hide no files', async () => {
  const list = new LookUp({
    ...{ fixed: () => [], openEditors: () => [], symbols: async () => [] },
    files: async () => ['guide.md'].map(toFile),
    resources: () => Promise.reject(new Error('No.')),
    prompts: async () => [],
  });
  assert.deepEqual(
    (await list.find('guide')).map(({ label }) => label),
    ['guide.md'],
  );
});
