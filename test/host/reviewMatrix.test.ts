import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import iconv from 'iconv-lite';
import * as vscode from 'vscode';
import { toDiffContent } from '../../src/acp/diffContent.ts';
import { failure, success } from '../../src/base/outcome.ts';
import { documentEditor } from '../../src/extension/editor.ts';
import type { Gatehouse } from '../../src/extension/gatehouse.ts';
import type { ConnectedReviews } from '../../src/extension/review/connectReviews.ts';
import {
  listDocuments,
  readDocument,
  writeDocument,
} from '../../src/extension/review/documents.ts';
import type { AskReply, AskRequest } from '../../src/gate/ask.ts';
import type { ClientFiles } from '../../src/runtime/runtime.ts';
import { openSession } from '../unit/tools/session.ts';
import { until } from '../workbench/processes.ts';

const LINES = ['one é', 'two', 'three', 'four', 'five', 'six'];
const DECISIONS = ['keep', 'reject', 'type'] as const;
const ENCODINGS = ['utf8', 'utf8bom', 'utf16le', 'iso88591'] as const;
const ENDS = ['\n', '\r\n', 'mixed'] as const;

type Decision = (typeof DECISIONS)[number];

interface Case {
  readonly decision: Decision;
  readonly dirty: boolean;
  readonly encoding: (typeof ENCODINGS)[number];
  readonly lineEnd: (typeof ENDS)[number];
  readonly link: boolean;
}

const CASES: readonly Case[] = DECISIONS.flatMap((decision) =>
  [false, true].flatMap((dirty) =>
    ENCODINGS.flatMap((encoding) =>
      ENDS.flatMap((lineEnd) =>
        [false, true].map((link) => ({ decision, dirty, encoding, lineEnd, link })),
      ),
    ),
  ),
);

suite('hunk decisions, byte for byte', () => {
  let review: ConnectedReviews;
  let root = '';
  let calls = 0;

  suiteSetup(async () => {
    const extension = vscode.extensions.getExtension<Gatehouse>('gatehouse.gatehouse');
    assert.ok(extension);
    ({ review } = await extension.activate());
    root = mkdtempSync(path.join(realpathSync(tmpdir()), 'gatehouse-matrix-'));
    await vscode.workspace.getConfiguration('files').update('autoSave', 'off', true);
  });
  suiteTeardown(async () => {
    await vscode.workspace.getConfiguration('files').update('autoSave', undefined, true);
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  teardown(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  for (const each of CASES) {
    const { decision, dirty, encoding, lineEnd, link } = each;
    const name = [decision, dirty ? 'dirty' : 'clean', encoding, JSON.stringify(lineEnd)];
    test(`${name.join(' ')}${link ? ' by a link' : ''}`, () => check(each));
  }

  async function check(each: Case): Promise<void> {
    const { decision, dirty, encoding, lineEnd, link } = each;
    calls += 1;
    const folder = path.join(root, `case-${calls}`);
    mkdirSync(folder);
    const file = path.join(folder, 'file.txt');
    const ends = LINES.map((_, at) => (lineEnd === 'mixed' ? ['\r\n', '\n'][at % 2] : lineEnd));
    const join = (lines: readonly string[]) => lines.map((line, at) => line + ends[at]).join('');
    const bytes = toBytes(join(LINES), encoding);
    writeFileSync(file, bytes);
    const named = link ? path.join(folder, 'link.txt') : file;
    if (link) symlinkSync(file, named);
    const document =
      dirty || encoding === 'iso88591'
        ? await vscode.workspace.openTextDocument(
            vscode.Uri.file(file),
            encoding === 'iso88591' ? { encoding } : undefined,
          )
        : undefined;
    if (document !== undefined) await vscode.window.showTextDocument(document, { preview: false });
    const before = dirty && document ? await makeDirty(document) : LINES;

    await using session = openSession(
      { root, workspace: folder, outside: root, data: root, [Symbol.dispose]: () => undefined },
      { ask: (request) => decide(request, decision), runtime: { client: CLIENT } },
    );
    const proposed = before.with(1, 'TWO').with(4, 'FIVE');
    const envelope = await session.call('write', {
      path: path.basename(named),
      content: proposed.map((line) => `${line}\n`).join(''),
    });
    assert.equal(envelope.type, 'output', JSON.stringify(envelope));
    const expected = {
      keep: proposed,
      reject: before.with(4, 'FIVE'),
      type: proposed.with(1, 'TWO typed  '),
    }[decision];
    if (dirty && document) {
      const text = document.getText().replaceAll('\r\n', '\n');
      assert.equal(text, expected.map((line) => `${line}\n`).join(''));
      assert.equal(document.isDirty, true);
      assert.deepEqual(readFileSync(file), bytes, 'unsaved text stays unsaved');
      // The user saves it. VS Code gives every line of a document the same line end.
      assert.equal(await document.save(), true);
      const lineEndOfAll = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
      const saved = expected.map((line) => line + lineEndOfAll).join('');
      assert.deepEqual(readFileSync(file), toBytes(saved, encoding));
    } else {
      assert.deepEqual(readFileSync(file), toBytes(join(expected), encoding));
    }
    if (link) assert.equal(realpathSync(named), file);
  }

  async function decide(request: AskRequest, decision: Decision): Promise<AskReply> {
    const id = `matrix-${calls}`;
    const call = { sessionId: 'matrix', toolCallId: id };
    await review.reviews.add(id, call, toDiffContent(request.preview?.changes ?? []));
    assert.equal(await review.reviews.open(id, true), true);
    const file = review.reviews.get(id)?.files[0];
    assert.ok(file);
    const editor = await until('the cursor on the first change', () => {
      const found = vscode.window.activeTextEditor;
      const { uri } = found?.document ?? {};
      const isOurs = uri?.scheme === 'gatehouse-review' && uri.query.includes(id);
      return isOurs && found && found.selection.active.line === 1 ? found : undefined;
    });
    if (decision === 'keep') await vscode.commands.executeCommand('gatehouse.keepChange');
    if (decision === 'reject') await vscode.commands.executeCommand('gatehouse.rejectChange');
    if (decision === 'type') {
      const end = editor.document.lineAt(1).range.end;
      await editor.edit((edit) => edit.insert(end, ' typed  '));
    }
    const { approved } = await review.reviews.finish(id, 'approved');
    await review.reviews.callEnded(call, true);
    return { outcome: 'allow', ...(approved && { approved }) };
  }
});

/** Adds a line that is not saved. */
async function makeDirty(document: vscode.TextDocument): Promise<readonly string[]> {
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, new vscode.Position(5, 0), 'unsaved\n');
  await vscode.workspace.applyEdit(edit);
  await until('unsaved text', () => document.isDirty || undefined);
  return LINES.toSpliced(5, 0, 'unsaved');
}

function toBytes(text: string, encoding: Case['encoding']): Buffer {
  if (encoding === 'utf8bom') return Buffer.from(`\ufeff${text}`);
  return iconv.encode(text, toName(encoding), { addBOM: encoding === 'utf16le' });
}

function toName(encoding: Case['encoding']): string {
  return encoding === 'utf8bom' ? 'utf8' : encoding;
}

/** What the extension answers to the host about open documents. */
const CLIENT: ClientFiles = {
  documents: async (paths) => listDocuments(documentEditor, paths),
  readText: (file) => readDocument(documentEditor, file),
  async writeText(file, text, baseVersion) {
    const written = await writeDocument(documentEditor, file, text, baseVersion);
    return written.ok ? success(undefined) : failure(written.error);
  },
};
