import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallDiffs, type DiffEditor } from '../../../../src/extension/review/callDiffs.ts';
import type { ReviewAddress } from '../../../../src/extension/review/proposal/reviewUri.ts';
import { english } from '../english.ts';

const FIRST = { sessionId: 'one', toolCallId: 'call-1' };

test('the same path in two sessions and two calls has a text for each', async () => {
  const { diffs, opened } = open({ '/w/a': 'a\n' });
  const calls = [FIRST, { ...FIRST, sessionId: 'two' }, { ...FIRST, toolCallId: 'call-2' }];
  for (const [at, call] of calls.entries()) diffs.keep(call, [diff('/w/a', 'a\n', `${at}\n`)]);
  for (const call of calls) await diffs.show(call, '/w/a', false);
  assert.deepEqual(
    opened.map(({ right }) => toText(diffs, right)),
    ['0\n', '1\n', '2\n'],
  );
});

test('a call id with a slash is not confused with a call of another session', async () => {
  const { diffs } = open({});
  diffs.keep({ sessionId: 'one', toolCallId: 'two/three' }, [diff('/w/a', null, 'x')]);
  const other = { sessionId: 'one/two', toolCallId: 'three' };
  assert.equal(await diffs.show(other, undefined, false), false);
});

test('CS-36: an approved plan opens as a document, as the user approved it', async () => {
  const { diffs, opened } = open({});
  const _meta = { gatehouse: { document: true } };
  diffs.keep(FIRST, [{ ...diff('/d/plan.md', null, '# Approved\n'), _meta }]);
  assert.equal(await diffs.show(FIRST, '/d/plan.md', true), true);
  const [shown] = opened;
  assert.ok(shown);
  assert.deepEqual([shown.title, toText(diffs, shown.left)], ['document', '# Approved\n']);
});

test('a proposal is compared with the file, and a new file with nothing', async () => {
  const { diffs, opened } = open({ '/w/a': 'a\nb\n' });
  diffs.keep(FIRST, [diff('/w/a', 'b\n', 'B\n'), diff('/w/b', null, 'new\n')]);
  await diffs.show(FIRST, undefined, false);
  await diffs.show(FIRST, '/w/b', false);
  assert.deepEqual(
    opened.map(({ left, right, title }) => [toText(diffs, left), toText(diffs, right), title]),
    [
      ['/w/a', 'a\nB\n', 'a (proposal, not applied)'],
      ['', 'new\n', 'b (proposal, not applied)'],
    ],
  );
});

test('an applied change is compared with the previous content', async () => {
  const { diffs, opened } = open({ '/w/a': 'a\nB\n' });
  diffs.keep(FIRST, [diff('/w/a', 'b\n', 'B\n')]);
  await diffs.show(FIRST, '/w/a', true);
  const [shown] = opened;
  assert.deepEqual([shown?.right, toText(diffs, shown?.left)], ['/w/a', 'a\nb\n']);
});

test('a call without a diff opens nothing', async () => {
  const { diffs, opened } = open({});
  diffs.keep(FIRST, []);
  assert.equal(await diffs.show(FIRST, '/w/a', false), false);
  assert.deepEqual(opened, []);
});

test('the oldest diffs are dropped with their texts', async () => {
  const { diffs, opened } = open({ '/w/a': 'a\n' });
  for (let call = 0; call <= 200; call += 1) {
    const key = { sessionId: 'one', toolCallId: `call-${call}` };
    diffs.keep(key, [diff('/w/a', 'a\n', 'b\n')]);
    if (call === 0) await diffs.show(key, undefined, false);
  }
  assert.equal(toText(diffs, opened[0]?.right), undefined);
  assert.equal(await diffs.show({ ...FIRST, toolCallId: 'call-0' }, undefined, false), false);
  assert.equal(await diffs.show({ ...FIRST, toolCallId: 'call-1' }, undefined, false), true);
});

function diff(path: string, oldText: string | null, newText: string) {
  return { type: 'diff', path, oldText, newText } as const;
}

type Shown = string | ReviewAddress | undefined;

/** The text of a review document; a file is shown by its path. */
function toText(diffs: CallDiffs, shown: Shown): string | undefined {
  return typeof shown === 'object' ? diffs.text(shown) : shown;
}

function open(files: Readonly<Record<string, string>>) {
  const opened: { readonly left: Shown; readonly right: Shown; readonly title: string }[] = [];
  const editor = {
    workspace: {
      async openTextDocument(path: string) {
        const text = files[path];
        if (text === undefined) throw new Error('There is no such file.');
        return { getText: () => text };
      },
    },
    file: (path: string) => path,
    review: (address: ReviewAddress) => address,
    async open(document: Shown) {
      opened.push({ left: document, right: document, title: 'document' });
    },
    async diff(left: Shown, right: Shown, title: string) {
      opened.push({ left, right, title });
    },
    t: english,
  };
  return { diffs: new CallDiffs(editor as unknown as DiffEditor), opened };
}
