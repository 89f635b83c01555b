import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type DocumentEditor,
  listDocuments,
  readDocument,
  writeDocument,
} from '../../../../src/extension/review/documents.ts';

test('a write applies only the difference, to the version that was read', async () => {
  const { editor, edits } = open({ text: 'a b c', version: 4 });
  assert.deepEqual(await writeDocument(editor, '/a.txt', 'a X c', 4), { ok: true });
  assert.deepEqual(edits, [[2, 3, 'X']]);
});

test('a document that changed since it was read is a conflict', async () => {
  const { editor, edits } = open({ text: 'a', version: 5 });
  const result = await writeDocument(editor, '/a.txt', 'b', 4);
  assert.match(result.ok ? '' : result.error, /changed in the editor/);
  assert.deepEqual(edits, []);
});

test('a file that is not open is not written through the editor', async () => {
  const { editor } = open({ text: 'a' });
  const result = await writeDocument(editor, '/b.txt', 'b', undefined);
  assert.match(result.ok ? '' : result.error, /not open/);
});

test('a character that the encoding lacks is refused', async () => {
  const { editor, edits } = open({ text: 'a', encoding: 'iso88591' });
  const result = await writeDocument(editor, '/a.txt', 'a€', undefined);
  assert.match(result.ok ? '' : result.error, /iso88591/);
  assert.deepEqual(edits, []);
  assert.deepEqual(await writeDocument(editor, '/a.txt', 'aé', undefined), { ok: true });
});

test('the line end of the document is kept', async () => {
  const { editor, edits } = open({ text: 'a\r\nb\r\n', eol: 2 });
  await writeDocument(editor, '/a.txt', 'a\nb\nc\n', undefined);
  assert.deepEqual(edits, [[6, 6, 'c\r\n']]);
});

test('a document is saved only if the setting says so', async () => {
  const never = open({ text: 'a', dirty: true, save: () => false });
  await writeDocument(never.editor, '/a.txt', 'b', undefined);
  assert.equal(never.saves(), 0);
  const always = open({ text: 'a', dirty: true, save: () => true });
  await writeDocument(always.editor, '/a.txt', 'b', undefined);
  assert.equal(always.saves(), 1);
});

test('reading starts at the requested line', async () => {
  const { editor } = open({ text: 'a\nb\nc\n' });
  assert.equal(await readDocument(editor, '/a.txt', 2, 1), 'b\n');
  assert.equal(await readDocument(editor, '/a.txt'), 'a\nb\nc\n');
});

test('a document that was never saved is read and changed by its URI, and not saved', async () => {
  const untitled = {
    scheme: 'untitled',
    fsPath: 'Untitled-1',
    toString: () => 'untitled:Untitled-1',
  };
  const { editor, edits, saves } = open({
    text: 'a',
    dirty: true,
    uri: untitled,
    save: () => true,
  });
  const known = {
    ...editor,
    workspace: { ...editor.workspace, openTextDocument: () => assert.fail('it has no file') },
  };
  assert.equal(await readDocument(known as DocumentEditor, 'untitled:Untitled-1'), 'a');
  assert.deepEqual(await writeDocument(editor, 'untitled:Untitled-1', 'b', 1), { ok: true });
  assert.deepEqual([edits, saves()], [[[0, 1, 'b']], 0]);
  assert.equal((await writeDocument(editor, 'Untitled-1', 'b', 1)).ok, false);
});

test('open documents are listed with path, version, encoding and line ending', async () => {
  const { editor } = open({ text: 'a', version: 3, dirty: true, eol: 2 });
  assert.deepEqual(await listDocuments(editor, ['/a.txt']), [
    {
      path: '/a.txt',
      uri: 'file:///a.txt',
      dirty: true,
      version: 3,
      encoding: 'utf8',
      eol: '\r\n',
    },
  ]);
  assert.deepEqual(await listDocuments(editor, ['/other.txt']), []);
});

test('a file that is not open is listed with the encoding that is set for it', async () => {
  const { editor } = open({ text: 'a' });
  const set: DocumentEditor = { ...editor, getEncoding: async () => 'windows1252' };
  const closed = { uri: '/b.txt', dirty: false, version: 0, encoding: 'windows1252', eol: '\n' };
  assert.deepEqual(await listDocuments(set, ['/b.txt']), [{ path: '/b.txt', ...closed }]);
  assert.equal((await listDocuments(set, ['/a.txt']))[0]?.encoding, 'utf8');
  assert.equal((await listDocuments(set, undefined)).length, 1);
});

interface Given {
  readonly text: string;
  readonly version?: number;
  readonly dirty?: boolean;
  readonly encoding?: string;
  readonly eol?: 1 | 2;
  readonly uri?: { readonly scheme: string; readonly fsPath: string; toString(): string };
  readonly save?: (wasDirty: boolean) => boolean;
}

const FILE = { scheme: 'file', fsPath: '/a.txt', toString: () => 'file:///a.txt' };

function open({ text, version = 1, encoding = 'utf8', eol = 1, save, ...given }: Given) {
  const { dirty = false, uri = FILE } = given;
  const edits: [number, number, string][] = [];
  let saves = 0;
  const document = {
    uri,
    isClosed: false,
    isDirty: dirty,
    ...{ version, encoding, eol },
    getText: () => text,
    positionAt: (offset: number) => offset,
    save: async () => {
      saves += 1;
      return true;
    },
  };
  const editor = {
    workspace: {
      textDocuments: [document],
      openTextDocument: async () => document,
      applyEdit: async () => true,
      encode: async (content: string) => Buffer.from(content, 'latin1'),
      decode: async (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1'),
    },
    file: (path: string) => path,
    replacement: (_: unknown, start: number, end: number, part: string) =>
      edits.push([start, end, part]),
    getEncoding: () => 'utf8',
    saveAfter: save ?? (() => false),
  };
  return { editor: editor as unknown as DocumentEditor, edits, saves: () => saves };
}
