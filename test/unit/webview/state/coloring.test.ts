import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CodeText, createColoring } from '../../../../src/webview/state/coloring.ts';

const code = (text: string): CodeText => ({ text, language: 'ts', closed: true });

test('code is colored once, when the page is idle', async () => {
  const works: (() => unknown)[] = [];
  let loads = 0;
  const coloring = createColoring(
    async () => {
      loads += 1;
      return async (text) => (text === 'plain' ? undefined : `<span>${text}</span>`);
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
  for (const work of works) await work();
  assert.deepEqual(done, ['<span>one</span>']);
  assert.equal(coloring.known(one), '<span>one</span>');
  assert.equal(coloring.known(two), undefined);
  assert.equal(loads, 1);
});

test('code that can not be colored is tried once, and a row that is gone is not called', async () => {
  let tries = 0;
  const works: (() => unknown)[] = [];
  const coloring = createColoring(
    async () => async (text) => {
      tries += 1;
      return text === 'plain' ? undefined : text;
    },
    (work) => {
      works.push(work);
      return () => undefined;
    },
  );
  const [plain, late] = [code('plain'), code('late')];
  coloring.request(plain, () => assert.fail('no colors'));
  coloring.request(plain, () => assert.fail('no colors'));
  const cancel = coloring.request(late, () => assert.fail('the row is gone'));
  await Promise.resolve();
  const running = works.map((work) => work());
  cancel();
  await Promise.all(running);
  assert.equal(tries, 2);
  assert.equal(coloring.known(late), 'late');
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
