import * as vscode from 'vscode';
import { type LocatedHunk, locateHunks } from '../../diff/unreviewed.ts';
import { hasTexts, type UnreviewedEntry, type UnreviewedStore } from './unreviewedStore.ts';

/** An unreviewed hunk in an open document. */
export interface DocumentHunk extends LocatedHunk {
  readonly entry: UnreviewedEntry;
}

interface Known {
  readonly version: number;
  readonly entries: readonly UnreviewedEntry[];
  readonly loaded: number;
  readonly hunks: readonly DocumentHunk[];
}

/** Finds the unreviewed hunks of open documents. Hunks that the user undid by hand are left out. */
export class UnreviewedHunks {
  readonly #store: UnreviewedStore;
  readonly #known = new WeakMap<vscode.TextDocument, Known>();

  constructor(store: UnreviewedStore) {
    this.#store = store;
  }

  /** The hunks that the user undid by hand, by file. */
  findGone(document: vscode.TextDocument) {
    if (document.uri.scheme !== 'file') return [];
    const entries = this.#store.at(document.uri.fsPath).filter(hasTexts);
    return entries.flatMap((entry) => {
      const versions = this.#store.known(entry);
      if (versions === undefined) return [];
      const gone = locateHunks(versions, document.getText()).filter(
        ({ state }) => state === 'gone',
      );
      return gone.length === 0 ? [] : [[entry, gone.map(({ index }) => index)] as const];
    });
  }

  /** In the order of the document. Empty until the file's texts are loaded. */
  find(document: vscode.TextDocument): readonly DocumentHunk[] {
    if (document.uri.scheme !== 'file' || document.isClosed) return [];
    const entries = this.#store.at(document.uri.fsPath).filter(hasTexts);
    if (entries.length === 0) return [];
    const versions = entries.flatMap((entry) => {
      const known = this.#store.known(entry);
      return known === undefined ? [] : [{ entry, known }];
    });
    const { version } = document;
    const known = this.#known.get(document);
    const isSame =
      known?.version === version &&
      known.loaded === versions.length &&
      known.entries.length === entries.length &&
      known.entries.every((entry, at) => entry === entries[at]);
    if (isSame) return known.hunks;
    const text = document.getText();
    const hunks = versions
      .flatMap(({ entry, known: of }) => locateHunks(of, text).map((hunk) => ({ ...hunk, entry })))
      .filter(({ state }) => state !== 'gone')
      .sort((a, b) => a.line - b.line);
    this.#known.set(document, { version, entries, loaded: versions.length, hunks });
    return hunks;
  }
}

/** The lines of a hunk; those of removed text are the line before which it was. */
export function toRange(
  { line, count }: Pick<LocatedHunk, 'line' | 'count'>,
  { lineCount }: vscode.TextDocument,
): vscode.Range {
  const first = Math.min(line, lineCount) - 1;
  const last = Math.min(line + Math.max(count, 1) - 1, lineCount) - 1;
  return new vscode.Range(first, 0, last, 0);
}

/** The hunk at the cursor, or undefined. */
export function findAtCursor(
  hunks: readonly DocumentHunk[],
  { document, selection }: vscode.TextEditor,
): DocumentHunk | undefined {
  const { line } = selection.active;
  return hunks.find((hunk) => {
    const { start, end } = toRange(hunk, document);
    return start.line <= line && line <= end.line;
  });
}
