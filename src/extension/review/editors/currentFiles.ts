import { isUtf8 } from 'node:buffer';
import path from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from '../../../base/clock.ts';
import type { Disposable } from '../../../base/disposable.ts';
import type { ProposedFile } from '../proposal/proposedFile.ts';
import { type CurrentText, hashText, LARGEST_REVIEW } from '../proposal/toChanges.ts';
import { findFileEncoding } from './fileEncoding.ts';

/** Milliseconds without a key until the left side follows. */
const SETTLE = 60;

/**
 * Reads a file as the host does: an unsaved document before the disk. Undefined if it can't be read
 * or is too large to be reviewed, `missing` if there is none.
 */
export async function readCurrent(file: string): Promise<CurrentText | 'missing' | undefined> {
  const document = findDocument(file);
  if (document?.isDirty) return toCurrent(document.getText());
  try {
    const uri = toFileUri(file);
    if ((await vscode.workspace.fs.stat(uri)).size > LARGEST_REVIEW) return undefined;
    const bytes = await vscode.workspace.fs.readFile(uri);
    return toCurrent(await decode(bytes, uri, document?.encoding), bytes);
  } catch (error) {
    const missing = error instanceof vscode.FileSystemError && error.code === 'FileNotFound';
    return missing ? 'missing' : undefined;
  }
}

/** Few need the hash, and that of a large file takes a while. */
function toCurrent(text: string, content: string | Uint8Array = text): CurrentText {
  return {
    text,
    get hash() {
      return hashText(content);
    },
  };
}

/** Keeps the left side of the reviews up to date with the files: unsaved text, saves and other programs. */
export function watchCurrentFiles(
  onDidChangeReviews: (listener: () => void) => Disposable,
  reviewed: () => readonly ProposedFile[],
): vscode.Disposable {
  const find = (uri: vscode.Uri) =>
    reviewed().filter(({ change }) => toFileUri(change.path).toString() === uri.toString());
  const watchers = new Map<string, vscode.Disposable>();
  const due = new Map<string, vscode.Uri>();
  let timer: Disposable | undefined;
  const read = async (uri: vscode.Uri) => {
    for (const file of find(uri)) {
      const document = findDocument(file.change.path);
      if (document !== undefined) file.refresh({ text: document.getText() });
      else await reread(file);
    }
  };
  /** The document of a deleted file stays open for a moment. */
  const lookAgain = (uri: vscode.Uri) => {
    for (const file of reviewed()) if (isAtOrBelow(file.change.path, uri)) void reread(file);
  };
  const watch = () => {
    const paths = new Set(reviewed().map(({ change }) => change.path));
    for (const [file, watcher] of watchers) {
      if (paths.has(file)) continue;
      watcher.dispose();
      watchers.delete(file);
    }
    for (const file of paths)
      if (!watchers.has(file))
        watchers.set(file, watchFile(file, { changed: read, deleted: lookAgain }));
  };
  return vscode.Disposable.from(
    onDidChangeReviews(watch),
    vscode.workspace.onDidChangeTextDocument(({ document: { uri } }) => {
      if (find(uri).length === 0) return;
      due.set(uri.toString(), uri);
      timer?.dispose();
      timer = systemClock.after(SETTLE, () => {
        for (const each of due.values()) void read(each);
        due.clear();
      });
    }),
    { dispose: () => timer?.dispose() },
    vscode.workspace.onDidCloseTextDocument(({ uri }) => void read(uri)),
    watchFolders(lookAgain),
    {
      dispose: () => {
        for (const watcher of watchers.values()) watcher.dispose();
      },
    },
  );
}

async function reread(file: ProposedFile): Promise<void> {
  const current = await readCurrent(file.change.path);
  if (current !== undefined) file.refresh(current);
}

function isAtOrBelow(file: string, { fsPath }: vscode.Uri): boolean {
  return file === fsPath || file.startsWith(fsPath + path.sep);
}

/** Of a deleted folder, VS Code reports only the folder. */
function watchFolders(deleted: (uri: vscode.Uri) => void): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher('**', true, true);
  return vscode.Disposable.from(watcher, watcher.onDidDelete(deleted));
}

interface FileEvents {
  changed(uri: vscode.Uri): Promise<void>;
  deleted(uri: vscode.Uri): void;
}

/** Other programs change files that are not open. */
function watchFile(file: string, { changed, deleted }: FileEvents): vscode.Disposable {
  const pattern = new vscode.RelativePattern(
    vscode.Uri.file(path.dirname(file)),
    path.basename(file).replaceAll(/[[\]{}*?]/g, '[$&]'),
  );
  const watcher = vscode.workspace.createFileSystemWatcher(pattern);
  return vscode.Disposable.from(
    watcher,
    watcher.onDidChange((uri) => void changed(uri)),
    watcher.onDidCreate((uri) => void changed(uri)),
    watcher.onDidDelete(deleted),
  );
}

function findDocument(file: string): vscode.TextDocument | undefined {
  const uri = toFileUri(file).toString();
  return vscode.workspace.textDocuments.find(
    (document) => !document.isClosed && document.uri.toString() === uri,
  );
}

/** An untitled document's path is its URI. */
export function toFileUri(file: string): vscode.Uri {
  return file.startsWith('untitled:') ? vscode.Uri.parse(file) : vscode.Uri.file(file);
}

/** Decodes as the host does: by mark, by the editor's encoding, as UTF-8, or else as Latin-1. */
async function decode(bytes: Uint8Array, uri: vscode.Uri, shown?: string): Promise<string> {
  const content = Buffer.from(bytes);
  if (content.subarray(0, 3).equals(Buffer.from('\ufeff'))) return content.toString('utf8', 3);
  const isMarked = ['fffe', 'feff'].includes(content.toString('hex', 0, 2));
  if (isMarked) return (await vscode.workspace.decode(bytes, { uri })).replace(/^\ufeff/, '');
  const encoding = shown ?? (await findFileEncoding(uri));
  if (!encoding.startsWith('utf8')) return vscode.workspace.decode(bytes, { encoding });
  return content.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
}
