import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { toDiffContent } from '../../../../../src/acp/diffContent.ts';
import { ProposedFile } from '../../../../../src/extension/review/proposal/proposedFile.ts';
import {
  parseReviewUri,
  type ReviewAddress,
  toReviewParts,
} from '../../../../../src/extension/review/proposal/reviewUri.ts';
import { hashText, toChanges } from '../../../../../src/extension/review/proposal/toChanges.ts';

const CALL = { sessionId: 'one', toolCallId: 'call-1' };
const none = async () => undefined;

test('whole texts are taken as they are: a change, a new file and a deletion', async () => {
  const content = toDiffContent([
    { path: '/w/a', beforeHash: '0', oldText: 'a\r\n', newText: 'b\r' },
    { path: '/w/b', beforeHash: '0', newText: 'new' },
    { path: '/w/c', beforeHash: '0', oldText: 'old' },
  ]);
  const changes = await toChanges(CALL, content, none);
  assert.deepEqual(
    changes?.map(({ kind, baseText, proposedText }) => [kind, baseText, proposedText]),
    [
      ['edit', 'a\r\n', 'b\r'],
      ['create', '', 'new'],
      ['delete', 'old', ''],
    ],
  );
});

test('CS-36: a plan is a document of its own, whatever lies at its path', async () => {
  const plan = {
    path: '/w/plan.md',
    beforeHash: '0',
    newText: '# Plan\n',
    document: true,
  } as const;
  const [change] = (await toChanges(CALL, toDiffContent([plan]), read('# Other\n'))) ?? [];
  assert.deepEqual([change?.kind, change?.baseText], ['document', '']);
  assert.ok(change);
  const file = new ProposedFile(change);
  file.refresh({ text: '# Other\n' });
  file.edit(() => '# Plan, edited\n');
  assert.equal(file.stale, false);
  assert.deepEqual(file.hunks, [], 'it is approved or denied as a whole');
  assert.deepEqual(file.approved, { path: '/w/plan.md', text: '# Plan, edited\n' });
  file.edit(() => '');
  assert.equal(file.approved, undefined, 'of an empty plan nothing is approved');
});

test('a large proposal, of which only a window is sent, is put into the file it was made for', async () => {
  const oldText = Array.from({ length: 400_000 }, (_, at) => `line ${at} \r\n`).join('');
  const newText = oldText.replace('line 200000 ', 'changed');
  const beforeHash = createHash('sha256').update(oldText).digest('hex');
  const content = toDiffContent([{ path: '/w/a', beforeHash, oldText, newText }]);
  const [part] = content;
  assert.ok(part?.type === 'diff' && part.newText.length < 10_000, 'only a window is sent');
  const [change] = (await toChanges(CALL, content, read(oldText))) ?? [];
  assert.ok(change?.baseText === oldText && change.proposedText === newText);
  assert.equal(await toChanges(CALL, content, read(`${oldText}more`)), undefined);
  assert.equal(await toChanges(CALL, content, none), undefined);
});

test('a proposal that makes a file too large for the editor has no review', async () => {
  const large = `start\n${'x'.repeat(50 * 1024 * 1024 - 10)}`;
  const content = [{ type: 'diff', path: '/w/a', oldText: 'start', newText: 'started' }] as const;
  assert.ok(await toChanges(CALL, content, read(large)));
  const larger = [{ ...content[0], newText: 'started and longer' }];
  assert.equal(await toChanges(CALL, larger, read(large)), undefined);
});

test('fragments of a hosted agent are found in the file', async () => {
  const content = [
    { type: 'diff', path: '/w/a', oldText: 'b', newText: 'B' },
    { type: 'diff', path: '/w/a', oldText: 'd', newText: 'D' },
  ] as const;
  const [change] = (await toChanges(CALL, content, read('a\nb\nc\nd\n'))) ?? [];
  assert.equal(change?.proposedText, 'a\nB\nc\nD\n');
});

test('an address survives its way through a URI, and others are not addresses', () => {
  const address: ReviewAddress = {
    call: { sessionId: 'a/b&c=d', toolCallId: 'ü %20+?' },
    path: 'C:\\work\\a b#.ts',
    side: 'proposed',
  };
  const parts = toReviewParts(address);
  assert.equal(parts.path, '/C:/work/a b#.ts');
  assert.deepEqual(parseReviewUri(parts), address);
  assert.equal(parseReviewUri({ ...parts, scheme: 'file' }), undefined);
  assert.equal(parseReviewUri({ scheme: parts.scheme, query: 'side=proposed' }), undefined);
});

function read(text: string) {
  return async () => ({ text, hash: hashText(text) });
}
