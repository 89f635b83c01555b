import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type DiffEditor,
  type DiffOptions,
  Proposals,
} from '../../../../src/extension/review/proposals.ts';
import { english } from '../english.ts';

const FIRST = { sessionId: 'one', toolCallId: 'call-1' };

test('two sessions with the same call id keep their proposals apart', async () => {
  const { proposals, opened, closed } = open({ '/w/a': 'a\n' });
  const second = { ...FIRST, sessionId: 'two' };
  proposals.keep(FIRST, [diff('/w/a', 'a\n', 'first\n')]);
  proposals.keep(second, [diff('/w/a', 'a\n', 'second\n')]);
  await proposals.open(FIRST, false);
  await proposals.open(second, false);
  assert.deepEqual(
    opened.map(({ right }) => [right, proposals.text(right)]),
    [
      ['/one/call-1/proposed/w/a', 'first\n'],
      ['/two/call-1/proposed/w/a', 'second\n'],
    ],
  );
  await proposals.closeDiffs(FIRST);
  assert.deepEqual(closed, ['/one/call-1/proposed/']);
});

test('the same path in two calls has a text for each', async () => {
  const { proposals, opened } = open({ '/w/a': 'a\n' });
  const second = { ...FIRST, toolCallId: 'call-2' };
  proposals.keep(FIRST, [diff('/w/a', 'a\n', 'first\n')]);
  proposals.keep(second, [diff('/w/a', 'a\n', 'second\n')]);
  await proposals.show(second, '/w/a', false);
  await proposals.show(FIRST, '/w/a', false);
  assert.deepEqual(
    opened.map(({ right }) => proposals.text(right)),
    ['second\n', 'first\n'],
  );
});

test('a call id with a slash is not confused with a call of another session', () => {
  const { proposals } = open({});
  proposals.keep({ sessionId: 'one', toolCallId: 'two/three' }, [diff('/w/a', null, 'x')]);
  assert.equal(proposals.has({ sessionId: 'one/two', toolCallId: 'three' }), false);
});

test('a single file opens as a preview diff', async () => {
  const { proposals, opened } = open({ '/w/a': 'a\nb\n' });
  proposals.keep(FIRST, [diff('/w/a', 'b\n', 'B\n')]);
  assert.equal(await proposals.open(FIRST, true), true);
  assert.deepEqual(opened, [
    {
      ...{ left: '/w/a', right: '/one/call-1/proposed/w/a' },
      title: 'a (proposal, not applied)',
      options: { preserveFocus: true, keepTab: false },
    },
  ]);
  assert.equal(proposals.text('/one/call-1/proposed/w/a'), 'a\nB\n');
});

test('several files open together, the first one in front and with the focus', async () => {
  const { proposals, opened, closed } = open({ '/w/a': 'a\n', '/w/c': 'c\n' });
  proposals.keep(FIRST, [
    diff('/w/a', 'a\n', 'A\n'),
    diff('/w/b', null, 'new\n'),
    diff('/w/c', 'c\n', ''),
  ]);
  await proposals.open(FIRST, false);
  assert.deepEqual(
    opened.map(({ left, right, options }) => [left, proposals.text(right), options]),
    [
      ['/w/c', '', { preserveFocus: true, keepTab: true }],
      ['/one/call-1/before/w/b', 'new\n', { preserveFocus: true, keepTab: true }],
      ['/w/a', 'A\n', { preserveFocus: false, keepTab: true }],
    ],
  );
  await proposals.closeDiffs(FIRST);
  assert.deepEqual(closed, ['/one/call-1/proposed/'], 'one answer closes all of them');
});

test('an applied change is compared with the previous content', async () => {
  const { proposals, opened } = open({ '/w/a': 'a\nB\n' });
  proposals.keep(FIRST, [diff('/w/a', 'b\n', 'B\n')]);
  await proposals.show(FIRST, '/w/a', true);
  const [shown] = opened;
  assert.deepEqual([shown?.right, proposals.text(shown?.left ?? '')], ['/w/a', 'a\nb\n']);
});

test('a call without a proposal opens nothing', async () => {
  const { proposals, opened } = open({});
  proposals.keep(FIRST, []);
  assert.deepEqual([await proposals.open(FIRST, false), proposals.has(FIRST)], [false, false]);
  assert.equal(await proposals.show(FIRST, '/w/a', false), false);
  assert.deepEqual(opened, []);
});

test('the oldest proposals are dropped with their texts', async () => {
  const { proposals } = open({ '/w/a': 'a\n' });
  for (let call = 0; call <= 200; call += 1) {
    const key = { sessionId: 'one', toolCallId: `call-${call}` };
    proposals.keep(key, [diff('/w/a', 'a\n', 'b\n')]);
    if (call === 0) await proposals.open(key, false);
  }
  assert.equal(proposals.has({ sessionId: 'one', toolCallId: 'call-0' }), false);
  assert.equal(proposals.has({ sessionId: 'one', toolCallId: 'call-1' }), true);
  assert.equal(proposals.text('/one/call-0/proposed/w/a'), '');
});

function diff(path: string, oldText: string | null, newText: string) {
  return { type: 'diff', path, oldText, newText } as const;
}

interface Opened {
  readonly left: string;
  readonly right: string;
  readonly title: string;
  readonly options: DiffOptions;
}

function open(files: Readonly<Record<string, string>>) {
  const opened: Opened[] = [];
  const closed: string[] = [];
  const toUri = (path: string) => ({ path });
  const editor = {
    workspace: {
      async openTextDocument({ path }: { readonly path: string }) {
        const text = files[path];
        if (text === undefined) throw new Error('There is no such file.');
        return { getText: () => text };
      },
    },
    file: toUri,
    review: toUri,
    async diff(
      left: { path: string },
      right: { path: string },
      title: string,
      options: DiffOptions,
    ) {
      opened.push({ left: left.path, right: right.path, title, options });
    },
    close: async (prefix: string) => void closed.push(prefix),
    t: english,
  };
  return { proposals: new Proposals(editor as unknown as DiffEditor), opened, closed };
}
