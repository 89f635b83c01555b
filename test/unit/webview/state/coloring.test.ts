import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CodeText, createColoring } from '../../../../src/webview/state/coloring.ts';

const code = (text: string): CodeText => ({ text, language: 'ts', closed: true });

test('code is colored once, when the page is idle', async () => {
  const works: (() => void)[] = [];
  let loads = 0;
  const coloring = createColoring(
    async () => {
      loads += 1;
      return (text) => (text === 'plain' ? undefined : `<span>${text}</span>`);
    },
    (work) => {
      works.push(work);
      return () => works.splice(works.indexOf(work), 1);
    },
  );
  const [one, two, plain] = [code('one'), code('two'), code('plain')];
  const done: string[] = [];
  coloring.request(one, (html) => done.push(html));
  coloring.request(plain, (html) => done.push(html));
  const cancel = coloring.request(two, (html) => done.push(html));
  await Promise.resolve();
  assert.equal(works.length, 3);
  cancel();
  for (const work of works) work();
  assert.deepEqual(done, ['<span>one</span>']);
  assert.equal(coloring.known(one), '<span>one</span>');
  assert.equal(coloring.known(two), undefined);
  assert.equal(loads, 1);
});

test('code stays plain if what colors it does not load', async () => {
  const coloring = createColoring(
    () => Promise.reject(new Error('no script')),
    () => assert.fail('nothing to do'),
  );
  coloring.request(code('one'), () => assert.fail('no colors'));
  await Promise.resolve();
  assert.equal(coloring.known(code('one')), undefined);
});
