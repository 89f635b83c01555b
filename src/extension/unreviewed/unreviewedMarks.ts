import * as vscode from 'vscode';
import { systemClock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { Translate } from '../text/translate.ts';
import { type DocumentHunk, toRange, type UnreviewedHunks } from './unreviewedHunks.ts';
import type { UnreviewedStore } from './unreviewedStore.ts';

export interface UnreviewedMarkParts {
  readonly store: UnreviewedStore;
  readonly hunks: UnreviewedHunks;
  readonly mac: boolean;
  readonly t: Translate;
}

/** Which hunk a lens names; commands without one act on the hunk at the cursor. */
export interface UnreviewedArgument {
  readonly sessionId: string;
  readonly path: string;
  readonly revision: string;
  readonly hunk: number;
}

/** Milliseconds without a change until the marks follow. */
const SETTLE = 80;
/** The most removed lines that a hover shows. */
const HOVER_LINES = 20;

/**
 * Marks unreviewed hunks in normal editors: a bar, a background, the overview ruler, and *Keep · Undo*
 * above each. Also keeps the context key `gatehouse.unreviewed` for the active editor.
 */
export function markUnreviewed(parts: UnreviewedMarkParts): vscode.Disposable {
  const { store, hunks } = parts;
  const written = createDecoration(
    'editorGutter.addedBackground',
    'diffEditor.insertedLineBackground',
  );
  const removed = createDecoration(
    'editorGutter.deletedBackground',
    'diffEditor.removedLineBackground',
  );
  const lenses = new vscode.EventEmitter<void>();
  const update = () => {
    for (const editor of vscode.window.visibleTextEditors) {
      const found = hunks.find(editor.document);
      const mark = (hunk: DocumentHunk) => toMark(hunk, editor.document, parts.t);
      editor.setDecorations(written, found.filter(({ count }) => count > 0).map(mark));
      editor.setDecorations(removed, found.filter(({ count }) => count === 0).map(mark));
    }
    const active = vscode.window.activeTextEditor;
    const any = active !== undefined && hunks.find(active.document).length > 0;
    setContext('gatehouse.unreviewed', any);
    setContext('gatehouse.hasUnreviewed', store.all.length > 0);
    lenses.fire();
  };
  const setContext = createContextKeys();
  let timer: Disposable | undefined;
  const updateSoon = () => {
    timer?.dispose();
    timer = systemClock.after(SETTLE, update);
  };
  return vscode.Disposable.from(
    ...[written, removed, lenses],
    { dispose: () => timer?.dispose() },
    store.onDidChange(updateSoon),
    vscode.window.onDidChangeVisibleTextEditors(updateSoon),
    vscode.window.onDidChangeActiveTextEditor(update),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (store.at(document.uri.fsPath).length > 0) updateSoon();
    }),
    vscode.languages.registerCodeLensProvider(
      { scheme: 'file' },
      {
        onDidChangeCodeLenses: lenses.event,
        provideCodeLenses: (document) => provideLenses(parts, document),
      },
    ),
  );
}

/** Sets context keys, each only when its value changed. */
function createContextKeys() {
  const known = new Map<string, boolean>();
  return (key: string, value: boolean) => {
    if (known.get(key) === value) return;
    known.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  };
}

function createDecoration(bar: string, background: string): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor(background),
    borderColor: new vscode.ThemeColor(bar),
    borderStyle: 'solid',
    borderWidth: '0 0 0 3px',
    overviewRulerColor: new vscode.ThemeColor(bar),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
}

function toMark(
  hunk: DocumentHunk,
  document: vscode.TextDocument,
  t: Translate,
): vscode.DecorationOptions {
  const hoverMessage = new vscode.MarkdownString();
  hoverMessage.appendText(
    hunk.state === 'edited'
      ? t('Written by the agent, then changed. Not reviewed yet.')
      : t('Written by the agent. Not reviewed yet.'),
  );
  const { oldText } = hunk.hunk;
  if (oldText !== '') {
    const lines = oldText.split(/\r\n?|\n/);
    const shown = lines.slice(0, HOVER_LINES).join('\n');
    hoverMessage.appendText(`\n\n${t('Before:')}`);
    hoverMessage.appendCodeblock(
      lines.length > HOVER_LINES ? `${shown}\n…` : shown,
      document.languageId,
    );
  }
  return { range: toRange(hunk, document), hoverMessage };
}

function provideLenses(parts: UnreviewedMarkParts, document: vscode.TextDocument) {
  const { t, mac } = parts;
  const found = parts.hunks.find(document);
  const keys = mac ? { keep: '⌥⌘Y', undo: '⌥⌘N' } : { keep: 'Alt+Y', undo: 'Alt+N' };
  return found.flatMap((hunk, at) => {
    const { start } = toRange(hunk, document);
    const range = new vscode.Range(start, start);
    const { sessionId, path, revision } = hunk.entry;
    const argument: UnreviewedArgument = { sessionId, path, revision, hunk: hunk.index };
    const lens = (title: string, command: string) =>
      new vscode.CodeLens(range, { title, command, arguments: [argument] });
    const count = t('{0} of {1}', at + 1, found.length);
    return [
      lens(t('Keep ({0})', keys.keep), 'gatehouse.keepWritten'),
      lens(t('Undo ({0})', keys.undo), 'gatehouse.undoWritten'),
      lens(`${count} ${toSize(hunk)}`, 'gatehouse.nextWritten'),
      ...(hunk.state === 'edited'
        ? [lens(t('$(edit) Changed since'), 'gatehouse.nextWritten')]
        : []),
    ];
  });
}

/** Such as `+3 −1`, so that colours are not the only mark. */
function toSize({ hunk: { oldText, newText } }: DocumentHunk): string {
  const added = countLines(newText);
  const removed = countLines(oldText);
  return [...(added > 0 ? [`+${added}`] : []), ...(removed > 0 ? [`−${removed}`] : [])].join(' ');
}

function countLines(text: string): number {
  return text === '' ? 0 : text.split(/\r\n?|\n/).length - (/[\r\n]$/.test(text) ? 1 : 0);
}
