import type * as vscode from 'vscode';
import type { OpenDocument } from '../../base/openDocument.ts';
import { changedTextSpan } from '../../diff/span.ts';

/** The parts of the editor that are used for open documents. Tests pass fakes. */
export interface DocumentEditor {
  readonly workspace: Pick<
    typeof vscode.workspace,
    'textDocuments' | 'openTextDocument' | 'applyEdit' | 'encode' | 'decode'
  >;
  file(path: string): vscode.Uri;
  /** A `WorkspaceEdit` with one replacement. */
  replacement(
    uri: vscode.Uri,
    start: vscode.Position,
    end: vscode.Position,
    text: string,
  ): vscode.WorkspaceEdit;
  /** The `files.encoding` setting for the file, which depends on its folder and language. */
  getEncoding(path: string): Promise<string>;
  /** Whether to save a document after the agent edited it (`gatehouse.edits.save`). */
  saveAfter(wasDirty: boolean): boolean;
}

const CRLF = 2;

/**
 * Lists the open documents, or those of `paths`, including untitled ones. Files of `paths` that are
 * not open are listed if their encoding is not UTF-8, because their bytes don't reveal it.
 */
export async function listDocuments(
  editor: DocumentEditor,
  paths: readonly string[] | undefined,
): Promise<readonly OpenDocument[]> {
  const open = editor.workspace.textDocuments
    .filter(
      (document) =>
        isText(document) && (paths === undefined || paths.includes(document.uri.fsPath)),
    )
    .map(toOpen);
  const known = new Set(open.map(({ path }) => path));
  const closed = (paths ?? []).filter((path) => !known.has(path));
  const listed = await Promise.all(closed.map((path) => toClosed(editor, path)));
  return [...open, ...listed.flat()];
}

function toOpen(document: vscode.TextDocument): OpenDocument {
  return {
    path: document.uri.scheme === 'file' ? document.uri.fsPath : null,
    uri: document.uri.toString(),
    dirty: document.isDirty,
    version: document.version,
    encoding: document.encoding,
    eol: document.eol === CRLF ? '\r\n' : '\n',
  };
}

async function toClosed(editor: DocumentEditor, path: string): Promise<OpenDocument[]> {
  const encoding = await editor.getEncoding(path);
  if (encoding === 'utf8') return [];
  const uri = editor.file(path).toString();
  return [{ path, uri, dirty: false, version: 0, encoding, eol: '\n' }];
}

/** `fs/read_text_file`, also of an untitled document by its URI: reads the open document, or else the file. Lines are 1-based. */
export async function readDocument(
  editor: DocumentEditor,
  path: string,
  line?: number | null,
  limit?: number | null,
): Promise<string> {
  const document =
    find(editor, path) ?? (await editor.workspace.openTextDocument(editor.file(path)));
  const text = document.getText();
  if (line == null && limit == null) return text;
  const from = Math.max(0, (line ?? 1) - 1);
  const lines = text.split(/(?<=\n)/);
  return lines.slice(from, limit == null ? undefined : from + limit).join('');
}

export type WriteResult = { readonly ok: true } | { readonly ok: false; readonly error: string };

/**
 * `fs/write_text_file`, only for open documents. Applies the difference as one edit, so that it is
 * one undo step and the cursor stays. The document must be the version that the proposal was made
 * for.
 */
export async function writeDocument(
  editor: DocumentEditor,
  path: string,
  content: string,
  baseVersion: number | undefined,
): Promise<WriteResult> {
  const document = find(editor, path);
  if (document === undefined)
    return refuse(`${path} is not open in the editor; write the file itself.`);
  if (baseVersion !== undefined && document.version !== baseVersion) {
    return refuse(`${path} was changed in the editor since it was read. Read it again.`);
  }
  if (!(await canEncode(editor, document, content))) {
    return refuse(
      `${path} is ${document.encoding}, which cannot hold every character of the new text.`,
    );
  }
  if (baseVersion !== undefined && document.version !== baseVersion) {
    return refuse(`${path} was changed in the editor since it was read. Read it again.`);
  }
  const wasDirty = document.isDirty;
  const { start, end, text } = changedTextSpan(
    normalise(document, document.getText()),
    normalise(document, content),
  );
  const edit = editor.replacement(
    document.uri,
    document.positionAt(start),
    document.positionAt(end),
    text,
  );
  if (!(await editor.workspace.applyEdit(edit))) {
    return refuse(`The editor refused to change ${path}; it may be read-only.`);
  }
  // Saving a document that has no file would ask the user for one.
  const saves = document.uri.scheme === 'file' && editor.saveAfter(wasDirty);
  if (saves && !(await document.save())) {
    return refuse(`${path} was changed in the editor but could not be saved.`);
  }
  return { ok: true };
}

/** Converts to the document's line ending, because VS Code uses one per document. */
function normalise(document: vscode.TextDocument, text: string): string {
  return text.replace(/\r\n?|\n/g, document.eol === CRLF ? '\r\n' : '\n');
}

async function canEncode(
  { workspace }: DocumentEditor,
  document: vscode.TextDocument,
  content: string,
): Promise<boolean> {
  const { encoding } = document;
  if (encoding.startsWith('utf')) return true;
  const bytes = await workspace.encode(content, { encoding });
  return (await workspace.decode(bytes, { encoding })) === content;
}

function find({ workspace }: DocumentEditor, path: string): vscode.TextDocument | undefined {
  return workspace.textDocuments.find(({ uri }) =>
    uri.scheme === 'untitled'
      ? uri.toString() === path
      : uri.scheme === 'file' && uri.fsPath === path,
  );
}

function isText({ uri, isClosed }: vscode.TextDocument): boolean {
  return !isClosed && (uri.scheme === 'file' || uri.scheme === 'untitled');
}

function refuse(error: string): WriteResult {
  return { ok: false, error };
}
