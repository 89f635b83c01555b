import * as vscode from 'vscode';
import { isSameText } from '../../../diff/lineEnds.ts';
import {
  isSelected,
  keepLines,
  type LineRange,
  type SelectedLines,
} from '../../../diff/lineHunks.ts';
import type { ProposedFile, ReviewHunk } from '../proposal/proposedFile.ts';
import type { ReviewStore } from '../proposal/reviewStore.ts';
import { parseReviewUri } from '../proposal/reviewUri.ts';
import { findEditor, toUri } from './reviewTabs.ts';

/** A file under review and the lines of one of its sides that the user is on. */
export interface ReviewCursor {
  readonly file: ProposedFile;
  readonly selected: SelectedLines;
}

/** Where the cursor is, if it is in a review. */
export function findCursor(
  store: ReviewStore,
  editor = vscode.window.activeTextEditor,
): ReviewCursor | undefined {
  const address = editor && parseReviewUri(editor.document.uri);
  const file = address && store.get(address.call, address.path);
  if (!file || (address.side !== 'proposed' && address.side !== 'current')) return undefined;
  const range = toLines(editor.selection);
  return { file, selected: { side: address.side === 'current' ? 'old' : 'new', range } };
}

/** The hunk that the cursor is in, or undefined. */
export function findHunkAt({ file, selected }: ReviewCursor): ReviewHunk | undefined {
  const line = selected.range.from;
  const isOn = (hunk: ReviewHunk) => {
    const [from, count] =
      selected.side === 'old' ? [hunk.oldLine, hunk.oldCount] : [hunk.newLine, hunk.newCount];
    return count === 0 ? line === from || line === from - 1 : from <= line && line < from + count;
  };
  return file.hunks.find(isOn) ?? findAtEnd({ file, selected });
}

/** Lines removed at the end of the text have only the last line to stand on. */
function findAtEnd({ file, selected }: ReviewCursor): ReviewHunk | undefined {
  const last = file.hunks.at(-1);
  const editor = findEditor(file);
  if (last === undefined || editor === undefined || selected.side === 'old') return undefined;
  const { lineCount } = editor.document;
  return last.newCount === 0 && last.newLine > lineCount && selected.range.from === lineCount
    ? last
    : undefined;
}

/** The next hunk in a direction that is still pending; from the last one it goes on at the first. */
export function findNext(
  { file, selected }: ReviewCursor,
  direction: 1 | -1,
  among: (hunk: ReviewHunk) => boolean,
): ReviewHunk | undefined {
  const line = (hunk: ReviewHunk) => (selected.side === 'old' ? hunk.oldLine : hunk.newLine);
  const found = file.hunks.filter(among);
  const at = selected.range.from;
  if (direction === 1) return found.find((hunk) => line(hunk) > at) ?? found[0];
  return found.findLast((hunk) => line(hunk) < at) ?? found.at(-1);
}

/** Moves the cursor to a hunk on the proposal's side. */
export function revealHunk(file: ProposedFile, hunk: ReviewHunk, select = false): void {
  const editor = findEditor(file);
  if (editor === undefined) return;
  const { document } = editor;
  const line = Math.min(hunk.newLine, document.lineCount) - 1;
  const start = new vscode.Position(line, 0);
  const last = Math.min(line + Math.max(hunk.newCount, 1) - 1, document.lineCount - 1);
  const end = document.lineAt(last).range.end;
  editor.selection = select ? new vscode.Selection(start, end) : new vscode.Selection(start, start);
  editor.revealRange(
    new vscode.Range(start, end),
    vscode.TextEditorRevealType.InCenterIfOutsideViewport,
  );
}

/** Puts the old lines of a hunk back into the proposal. False if VS Code refused the edit. */
export function revertHunk(file: ProposedFile, hunk: ReviewHunk): Promise<boolean> {
  return replaceLines(file, hunk, hunk.newText, hunk.oldText);
}

/** Puts the lines of a rejected hunk into the proposal again. */
export function restoreHunk(file: ProposedFile, hunk: ReviewHunk): Promise<boolean> {
  return replaceLines(file, hunk, hunk.oldText, hunk.newText);
}

/** Keeps or rejects only the selected lines of the hunks; returns how many hunks were touched. */
export async function decideLines(
  { file, selected }: ReviewCursor,
  decision: 'keep' | 'reject',
): Promise<number> {
  const touched = file.hunks.filter(
    (hunk) => hunk.state !== 'rejected' && overlaps(hunk, selected),
  );
  // From the last one, so that the lines of the others stay where they are.
  for (const hunk of touched.toReversed()) {
    const text = keepLines(hunk, (pair) => isSelected(pair, selected) === (decision === 'keep'));
    await replaceLines(file, hunk, hunk.newText, text);
  }
  return touched.length;
}

function overlaps(hunk: ReviewHunk, selected: SelectedLines): boolean {
  let found = false;
  keepLines(hunk, (pair) => {
    found ||= isSelected(pair, selected);
    return true;
  });
  return found;
}

async function replaceLines(
  file: ProposedFile,
  { newLine }: ReviewHunk,
  from: string,
  to: string,
): Promise<boolean> {
  const uri = toUri(file.change, 'proposed');
  const document = await vscode.workspace.openTextDocument(uri);
  // The document may be ahead of what is known of it.
  file.edit(() => document.getText());
  const start = new vscode.Position(newLine - 1, 0);
  const lines = from.split('\n');
  const end = new vscode.Position(newLine - 1 + lines.length - 1, lines.at(-1)?.length ?? 0);
  const range = new vscode.Range(start, end);
  if (!isSameText(document.getText(range), from)) return false;
  const edit = new vscode.WorkspaceEdit();
  edit.replace(uri, range, to);
  if (!(await vscode.workspace.applyEdit(edit))) return false;
  file.edit(() => document.getText());
  return true;
}

function toLines({ start, end, isEmpty }: vscode.Selection): LineRange {
  // A selection that ends at the start of a line does not include that line.
  const to = !isEmpty && end.character === 0 ? end.line + 1 : end.line + 2;
  return { from: start.line + 1, to };
}
