import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { documentEditor } from '../../src/extension/editor.ts';
import {
  listDocuments,
  readDocument,
  writeDocument,
} from '../../src/extension/review/documents.ts';
import { until } from '../workbench/processes.ts';

suite('open documents', () => {
  let folder = '';
  setup(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-documents-'));
  });
  teardown(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  test('a dirty document is read instead of the file', async () => {
    const document = await open('a.txt', 'one\ntwo\n');
    await type(document, 'zero\n');
    assert.equal(await readDocument(documentEditor, document.uri.fsPath), 'zero\none\ntwo\n');
    assert.equal(await readDocument(documentEditor, document.uri.fsPath, 2, 1), 'one\n');
    assert.equal(readFileSync(document.uri.fsPath, 'utf8'), 'one\ntwo\n');
  });

  test('the list names dirty and new documents with version, encoding and line end', async () => {
    const document = await open('a.txt', 'one\r\ntwo\r\n');
    await type(document, 'zero\r\n');
    const untitled = await vscode.workspace.openTextDocument({ content: 'new' });
    const list = await listDocuments(documentEditor, undefined);
    assert.deepEqual(
      list.find((each) => each.path === document.uri.fsPath),
      {
        path: document.uri.fsPath,
        uri: document.uri.toString(),
        dirty: true,
        version: document.version,
        encoding: 'utf8',
        eol: '\r\n',
      },
    );
    assert.equal(list.find((each) => each.uri === untitled.uri.toString())?.path, null);
    // VS Code opens a tab for it later unless it is reverted before.
    await vscode.window.showTextDocument(untitled);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  test('a document without a file is read and changed by its URI, and not saved', async () => {
    const document = await vscode.workspace.openTextDocument({ content: 'old\n' });
    await vscode.window.showTextDocument(document);
    const uri = document.uri.toString();
    assert.equal(await readDocument(documentEditor, uri), 'old\n');
    const result = await writeDocument(documentEditor, uri, 'new\n', document.version);
    assert.deepEqual(result, { ok: true });
    assert.deepEqual([document.getText(), document.isDirty], ['new\n', true]);
    assert.equal(await readDocument(documentEditor, uri), 'new\n');
  });

  test('the list names the encoding of a file that is not open: that of its language, else that of all', async () => {
    const markdown = vscode.workspace.getConfiguration('files', { languageId: 'markdown' });
    const files = vscode.workspace.getConfiguration('files');
    const paths = ['a.md', 'a.txt', 'new.markdown'].map((name) => path.join(folder, name));
    for (const file of paths.slice(0, 2)) writeFileSync(file, Buffer.from([0x82, 0xa0]));
    const encodings = async () => {
      const list = await listDocuments(documentEditor, paths);
      return paths.map((file) => list.find((each) => each.path === file)?.encoding);
    };
    try {
      await markdown.update('encoding', 'shiftjis', true, true);
      assert.deepEqual(await encodings(), ['shiftjis', undefined, 'shiftjis']);
      await files.update('encoding', 'windows1252', true);
      assert.deepEqual(await encodings(), ['shiftjis', 'windows1252', 'shiftjis']);
      await markdown.update('encoding', 'utf8', true, true);
      assert.deepEqual(await encodings(), [undefined, 'windows1252', undefined]);
    } finally {
      await markdown.update('encoding', undefined, true, true);
      await files.update('encoding', undefined, true);
    }
    assert.equal(
      vscode.workspace.textDocuments.some(({ uri }) => paths.includes(uri.fsPath)),
      false,
    );
  });

  test('a dirty document is written in one undo stop and stays dirty', async () => {
    const document = await open('a.txt', 'one\ntwo\n');
    await type(document, 'zero\n');
    const { version } = document;
    const result = await writeDocument(
      documentEditor,
      document.uri.fsPath,
      'zero\n1\n2\n',
      version,
    );
    assert.deepEqual(result, { ok: true });
    assert.equal(document.getText(), 'zero\n1\n2\n');
    assert.equal(document.isDirty, true);
    assert.equal(readFileSync(document.uri.fsPath, 'utf8'), 'one\ntwo\n');
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), 'zero\none\ntwo\n');
  });

  test('a document that changed since it was read is not written', async () => {
    const document = await open('a.txt', 'one\n');
    await type(document, 'zero\n');
    const { version } = document;
    await type(document, 'minus one\n');
    const result = await writeDocument(documentEditor, document.uri.fsPath, 'x\n', version);
    assert.match(result.ok ? '' : result.error, /changed in the editor/);
    assert.equal(document.getText(), 'minus one\nzero\none\n');
  });

  test('the main line end of the document is kept', async () => {
    const document = await open('a.txt', 'one\r\ntwo\r\n');
    await type(document, 'zero\r\n');
    await writeDocument(documentEditor, document.uri.fsPath, 'zero\none\n2\n', document.version);
    assert.equal(document.getText(), 'zero\r\none\r\n2\r\n');
  });

  test('a character that the encoding lacks is refused, and nothing changes', async () => {
    const file = path.join(folder, 'latin.txt');
    writeFileSync(file, Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]));
    const uri = vscode.Uri.file(file);
    const document = await vscode.workspace.openTextDocument(uri, { encoding: 'iso88591' });
    await vscode.window.showTextDocument(document);
    await type(document, 'un ');
    const result = await writeDocument(documentEditor, file, 'un café 中\n', document.version);
    assert.match(result.ok ? '' : result.error, /iso88591/);
    assert.equal(document.getText(), 'un café\n');
  });

  test('a clean file that the host writes is reloaded by the editor', async () => {
    const document = await open('a.txt', 'one\n');
    // VS Code starts to watch files outside the workspace folders some time after they are opened
    // and misses earlier writes, so write again until one is noticed.
    let wait = 0;
    await until('the reload', () => {
      if (wait % 20 === 0) writeFileSync(document.uri.fsPath, 'two\n');
      wait += 1;
      return document.getText() === 'two\n';
    });
    assert.equal(document.isDirty, false);
  });

  async function open(name: string, text: string): Promise<vscode.TextDocument> {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
    await vscode.window.showTextDocument(document, { preview: false });
    return document;
  }
});

/** Inserts text at the start of the document, as a user would. */
async function type(document: vscode.TextDocument, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, new vscode.Position(0, 0), text);
  assert.ok(await vscode.workspace.applyEdit(edit));
}
