import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processMark } from '../../../../src/base/disk/processMark.ts';
import { carriesRun, findHost, withMarks } from '../../../../src/runtime/commands/marks.ts';

const RUN = 'b5d1';
/** An environment as the system lists it. */
const listed = (env: object) =>
  Object.entries(env)
    .map(([name, value]) => `${name}=${value}\0`)
    .join('');

for (const place of ['variables', 'path'] as const) {
  test(`marks in ${place} name the run and the host, and those of an outer host are gone`, () => {
    const outer = { HOME: '/h', PATH: '/bin:/dev/null/GATE_HOST=1.2.3/GATE_RUN=old:/sbin' };
    const marked = listed(withMarks(outer, { run: RUN, in: place }));
    assert.equal(carriesRun(marked, RUN), true);
    assert.equal(carriesRun(marked, 'old'), false);
    assert.equal(findHost(marked), processMark());
    assert.match(marked, /PATH=\/bin:\/sbin[:\0]/);
  });
}

test('a mark in PATH adds no variable, also where there was no PATH', () => {
  const names = (env: object) => Object.keys(withMarks({ ...env }, { run: RUN, in: 'path' }));
  assert.deepEqual(names({ HOME: '/h' }).sort(), ['HOME', 'PATH']);
  assert.deepEqual(names({}), ['PATH']);
});

test('text that only looks like a mark is none', () => {
  for (const text of [
    'GATE_HOST=1.2.3x',
    'a GATE_HOST=1.2.3 b',
    '/a:/dev/null/GATE_HOST=1.2.3/GATE_RUN=b',
  ]) {
    assert.equal(findHost(`NOTE=${text}\0`), undefined, text);
  }
  assert.equal(findHost('XGATE_HOST=1.2.3\0'), undefined);
  assert.equal(carriesRun(`XGATE_RUN=${RUN}\0`, RUN), false);
});
