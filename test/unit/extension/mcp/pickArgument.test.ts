import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pickArgument } from '../../../../src/extension/mcp/pickArgument.ts';
import { english } from '../english.ts';
import { FakePickWindow } from '../fakePick.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

function open(required: boolean, suggest: (typed: string) => Promise<readonly string[]>) {
  const window = new FakePickWindow();
  const { clock } = window;
  const parts = { window, clock, suggest, t: english };
  const answer = pickArgument(parts as never, { title: 'docs: review', prompt: 'city', required });
  const rows = () => window.shown.items.map(({ label }) => label);
  return { window, clock, answer, rows };
}

test('issue 18: a server suggests values while the user types, and one of them is taken', async () => {
  const asked: string[] = [];
  const { window, clock, answer, rows } = open(true, async (typed) => {
    asked.push(typed);
    return ['Paris', 'Parma'].filter((each) => each.startsWith(typed));
  });
  clock.tick(0);
  await settled();
  assert.deepEqual(rows(), ['Paris', 'Parma']);
  window.shown.type('Pari');
  clock.tick(149);
  assert.deepEqual(rows(), ['Use "Pari"']);
  clock.tick(1);
  await settled();
  assert.deepEqual(rows(), ['Use "Pari"', 'Paris']);
  window.shown.click('Paris');
  assert.equal(await answer, 'Paris');
  assert.deepEqual(asked, ['', 'Pari'], 'not at each key');
});

test('issue 18: what the user types counts without the server, and late suggestions for other words do not', async () => {
  const late = Promise.withResolvers<readonly string[]>();
  const { window, clock, answer, rows } = open(false, (typed) =>
    typed === '' ? late.promise : Promise.reject(new Error('No.')),
  );
  clock.tick(0);
  window.shown.type('x');
  clock.tick(150);
  late.resolve(['Other']);
  await settled();
  assert.deepEqual(rows(), ['Use "x"']);
  window.shown.click('Use "x"');
  assert.equal(await answer, 'x');
});

test('issue 18: a user who closes the list gives no value', async () => {
  const { window, answer } = open(true, async () => []);
  window.shown.hide();
  assert.equal(await answer, undefined);
});
