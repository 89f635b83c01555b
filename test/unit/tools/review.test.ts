import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { ApprovedFile, FileChange, HunkReason } from '../../../src/diff/fileChange.ts';
import type { AskReply } from '../../../src/gate/ask.ts';
import { applyChanges, NO_FILE } from '../../../src/tools/applyChanges.ts';
import type { Tool } from '../../../src/tools/contract.ts';
import { type Bed, openBed } from './bed.ts';
import { dataOf, errorOf, fakeTool, openSession } from './session.ts';

const EDITED = ['one\n', 'two\n', 'three\n', 'four\n', 'five\n'];
const OLD = EDITED.join('');
const NEW = EDITED.with(0, 'ONE\n').with(4, 'FIVE\n').join('');

test('a proposal of three files is shown, asked about and carried out as one', async () => {
  using bed = openBed();
  const run = openReview(bed, () => undefined);
  await using session = run.session;
  assert.deepEqual(dataOf(await session.call('three', {})), {
    written: [run.at('edited'), run.at('new'), run.at('old')],
  });
  assert.deepEqual(run.files(), { edited: NEW, new: 'new\n', old: undefined });
  const [ask] = session.asks;
  assert.equal(session.asks.length, 1);
  assert.deepEqual(
    ask?.preview?.changes.map(({ oldText, newText }) => [oldText, newText]),
    [
      [OLD, NEW],
      [undefined, 'new\n'],
      ['old\n', undefined],
    ],
  );
  const asked = session.chunks.find(({ type }) => type === 'tool-approval-request');
  const { locations, content } = Object(asked).display;
  assert.deepEqual(locations.length, 3);
  const shown = content.map(({ deleted, newText }: FileChange & { deleted?: true }) => [
    deleted === true,
    newText,
  ]);
  assert.deepEqual(shown, [
    [false, NEW],
    [false, 'new\n'],
    [true, ''],
  ]);
});

test('what the user makes of each file is written, told to the model, and shown', async () => {
  using bed = openBed();
  const mine = EDITED.with(0, 'ONE\n').with(2, 'mine\n').join('');
  const run = openReview(bed, (at) => [
    { path: at('edited'), text: mine },
    { path: at('new'), text: 'new\n' },
  ]);
  await using session = run.session;
  const envelope = await session.call('three', {});
  dataOf(envelope);
  assert.deepEqual(run.files(), { edited: mine, new: 'new\n', old: 'old\n' });
  assert.deepEqual(envelope.metadata.review?.files, [
    {
      path: run.at('edited'),
      outcome: 'changed',
      hunks: [
        { line: 1, outcome: 'kept' },
        { line: 3, outcome: 'added', approved_text: 'mine\n' },
        { line: 5, outcome: 'rejected', proposed_text: 'FIVE\n' },
      ],
    },
    { path: run.at('new'), outcome: 'approved' },
    { path: run.at('old'), outcome: 'rejected' },
  ]);
  const { content } = Object(session.chunks.at(-1)).display;
  assert.deepEqual(content.at(-1), {
    type: 'text',
    text: 'Changes after your review: 2 kept, 2 rejected, 1 added.',
  });
});

test('the reason of a rejected hunk is told to the model with the hunk', async () => {
  using bed = openBed();
  const reason = 'Five stays.';
  const edited = EDITED.with(0, 'ONE\n').join('');
  const run = openReview(
    bed,
    (at) => [
      { path: at('edited'), text: edited },
      { path: at('new'), text: 'new\n' },
      { path: at('old'), text: null },
    ],
    () => [{ path: path.join(bed.workspace, 'edited'), line: 5, reason }],
  );
  await using session = run.session;
  const { metadata } = await session.call('three', {});
  const [file] = metadata.review?.files ?? [];
  assert.deepEqual(file?.hunks, [
    { line: 1, outcome: 'kept' },
    { line: 5, outcome: 'rejected', proposed_text: 'FIVE\n', reason },
  ]);
});

test('a deletion is approved by a null text, and may become an edit', async () => {
  using bed = openBed();
  const run = openReview(bed, (at) => [{ path: at('old'), text: null }]);
  await using session = run.session;
  dataOf(await session.call('three', {}));
  assert.deepEqual(run.files(), { edited: OLD, new: undefined, old: undefined });

  const other = openReview(bed, (at) => [{ path: at('old'), text: 'kept\n' }]);
  await using second = other.session;
  dataOf(await second.call('three', {}));
  assert.equal(other.files().old, 'kept\n');
});

test('an answer that approves no file is a rejection', async () => {
  using bed = openBed();
  const run = openReview(bed, () => []);
  await using session = run.session;
  assert.match(errorOf(await session.call('three', {})), /rejected every change/);
  assert.equal(session.chunks.at(-1)?.type, 'tool-output-denied');
  assert.deepEqual(run.files(), UNTOUCHED);
});

refuse('a path that was not proposed', /which was not proposed/, (at) => [
  { path: at('new'), text: 'new\n' },
  { path: at('other'), text: 'x' },
]);
refuse('the same path twice', /twice/, (at) => [
  { path: at('new'), text: 'a' },
  { path: at('new'), text: 'b' },
]);
refuse('a deletion that was not proposed', /deletes .*, which was not proposed/, (at) => [
  { path: at('edited'), text: null },
]);
refuse('a NUL character', /NUL/, (at) => [{ path: at('new'), text: '\0' }]);
refuse('half of a character', /lone surrogate/, (at) => [{ path: at('new'), text: '\ud83d' }]);

conflict('an edited file', 'edited', 'other\n');
conflict('a file that was created meanwhile', 'new', '');
conflict('a deleted file', 'old', 'changed\n');

test('a proposal that names a file twice, or none, is not asked about', async () => {
  using bed = openBed();
  const change = { path: path.join(bed.workspace, 'a'), beforeHash: NO_FILE, newText: 'a' };
  const empty = proposing('empty', []);
  const twice = proposing('twice', [change, change]);
  await using session = openSession(bed, { extra: [empty, twice], ask: async () => ALLOW });
  assert.match(errorOf(await session.call('empty', {})), /changes no file/);
  assert.match(errorOf(await session.call('twice', {})), /twice/);
  assert.equal(session.asks.length, 0);
});

for (const [kind, link] of [
  ['a link', symlinkSync],
  ['a hard link', linkSync],
] as const) {
  test(`a proposal that names one file twice by ${kind} fails, and holds no file locked`, async () => {
    using bed = openBed();
    const at = (name: string) => path.join(bed.workspace, name);
    writeFileSync(at('real'), 'old\n');
    link(at('real'), at('link'));
    const own = { beforeHash: hash('old\n'), oldText: 'old\n' };
    const aliases = proposing('aliases', [
      { path: at('link'), ...own, newText: 'by link\n' },
      { path: at('real'), ...own, newText: 'by name\n' },
    ]);
    await using session = openSession(bed, { extra: [aliases], ask: async () => ALLOW });
    const error = errorOf(await session.call('aliases', {}));
    assert.match(error, /same file.*Nothing was written/);
    assert.equal(readFileSync(at('real'), 'utf8'), 'old\n');
    rmSync(at('link'));
    dataOf(await session.call('write', { path: 'real', content: 'later\n' }));
  });
}

test('calls that change the same two files under other names do not wait for each other', async () => {
  using bed = openBed();
  const at = (name: string) => path.join(bed.workspace, name);
  for (const name of ['m', 'z']) writeFileSync(at(name), 'old\n');
  symlinkSync(at('z'), at('a'));
  const own = { beforeHash: hash('old\n'), oldText: 'old\n', newText: 'old\n' };
  const [left, right] = [
    ['a', 'm'],
    ['m', 'z'],
  ].map((names, index) =>
    proposing(
      `both${index}`,
      names.map((name) => ({ path: at(name), ...own })),
    ),
  );
  assert.ok(left && right);
  await using session = openSession(bed, { extra: [left, right], ask: async () => ALLOW });
  const envelopes = await Promise.all([session.call('both0', {}), session.call('both1', {})]);
  for (const envelope of envelopes) dataOf(envelope);
});

test('several files that are too large to be reviewed at once are not asked about', async () => {
  using bed = openBed();
  const changes = ['a', 'b'].map((name) => ({
    ...{ path: path.join(bed.workspace, name), beforeHash: NO_FILE },
    newText: 'x'.repeat(5_000_000),
  }));
  const large = proposing('large', changes);
  await using session = openSession(bed, { extra: [large], ask: async () => ALLOW });
  assert.match(errorOf(await session.call('large', {})), /Propose fewer files/);
  assert.equal(session.asks.length, 0);
});

test('a text that the user changed in the review of an edit is written byte for byte', async () => {
  using bed = openBed();
  const file = path.join(bed.workspace, 'a.txt');
  writeFileSync(file, 'one\r\ntwo\r\nthree\n');
  await using session = openSession(bed, {
    ask: async () => ({
      outcome: 'allow',
      approved: [{ path: file, text: 'one\r\n2!\r\nthree\n' }],
    }),
  });
  const input = { path: 'a.txt', old_string: 'two', new_string: '2' };
  const envelope = await session.call('edit', input);
  dataOf(envelope);
  assert.equal(readFileSync(file, 'utf8'), 'one\r\n2!\r\nthree\n');
  assert.deepEqual(envelope.metadata.review?.files[0]?.hunks, [
    { line: 2, outcome: 'changed', approved_text: '2!\r\n', proposed_text: '2\r\n' },
  ]);
});

const ALLOW: AskReply = { outcome: 'allow' };
const UNTOUCHED = { edited: OLD, new: undefined, old: 'old\n' };

type Reply = (at: (name: string) => string) => readonly ApprovedFile[] | undefined;

/** A session with a tool that edits one file, creates one and deletes one. */
function openReview(
  bed: Bed,
  reply: Reply,
  meanwhile: () => readonly HunkReason[] | undefined = () => undefined,
) {
  const at = (name: string) => path.join(bed.workspace, name);
  writeFileSync(at('edited'), OLD);
  writeFileSync(at('old'), 'old\n');
  const three = proposing('three', [
    { path: at('edited'), beforeHash: hash(OLD), oldText: OLD, newText: NEW },
    { path: at('new'), beforeHash: NO_FILE, newText: 'new\n' },
    { path: at('old'), beforeHash: hash('old\n'), oldText: 'old\n' },
  ]);
  const session = openSession(bed, {
    extra: [three],
    async ask() {
      const reasons = meanwhile();
      const approved = reply(at);
      return { outcome: 'allow', ...(approved && { approved }), ...(reasons && { reasons }) };
    },
  });
  const read = (name: string) =>
    existsSync(at(name)) ? readFileSync(at(name), 'utf8') : undefined;
  const files = () => ({ edited: read('edited'), new: read('new'), old: read('old') });
  return { session, at, files };
}

function proposing(id: string, changes: readonly FileChange[]): Tool {
  const paths = changes.length === 0 ? ['a'] : changes.map((change) => change.path);
  const [first = 'a', ...rest] = paths.map((target) => ({
    ...{ permission: id, capability: 'fs.write' as const, target, match: 'path' as const },
  }));
  return fakeTool({
    id,
    requires: { fs: { write: ['{workspace}/**'] } },
    subjects: () => [
      first === 'a' ? { permission: id, target: 'a', match: 'path' } : first,
      ...rest,
    ],
    preview: async () => ({ ok: true, data: { changes } }),
    async execute(_, runtime, approved) {
      if (approved === undefined) throw new Error('It was not asked about.');
      const written = await applyChanges(approved, runtime);
      return written.ok ? { ok: true, data: { written: written.data } } : written;
    },
  });
}

function refuse(name: string, message: RegExp, reply: Reply): void {
  test(`an answer with ${name} is refused, and nothing is written`, async () => {
    using bed = openBed();
    const run = openReview(bed, reply);
    await using session = run.session;
    const error = errorOf(await session.call('three', {}));
    assert.match(error, message);
    assert.match(error, /Nothing was written/);
    assert.deepEqual(run.files(), UNTOUCHED);
  });
}

function conflict(name: string, file: 'edited' | 'new' | 'old', text: string): void {
  test(`${name} that changed while the user looked keeps every file as it is`, async () => {
    using bed = openBed();
    const change = () => {
      writeFileSync(path.join(bed.workspace, file), text);
      return undefined;
    };
    const run = openReview(bed, () => undefined, change);
    await using session = run.session;
    const error = errorOf(await session.call('three', {}));
    assert.match(error, /changed while you waited.*Nothing was written/);
    assert.deepEqual(run.files(), { ...UNTOUCHED, [file]: text });
  });
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
