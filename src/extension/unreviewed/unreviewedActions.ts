import path from 'node:path';
import * as vscode from 'vscode';
import type { ResolveChanges, ResolveResult } from '../../acp/gatehouse/pending.ts';
import { asString, toRecord } from '../../base/json.ts';
import { plainNotice } from '../text/plainNotice.ts';
import type { Translate } from '../text/translate.ts';
import {
  type DocumentHunk,
  findAtCursor,
  toRange,
  type UnreviewedHunks,
} from './unreviewedHunks.ts';
import { hasTexts, type UnreviewedEntry, type UnreviewedStore } from './unreviewedStore.ts';
import { toBeforeUri } from './unreviewedUri.ts';

type Decision = 'keep' | 'undo';
type Files = ResolveChanges['files'];

export interface UnreviewedActionParts {
  readonly store: UnreviewedStore;
  readonly hunks: UnreviewedHunks;
  /** Sends the decision to the host. */
  resolve(change: ResolveChanges): Promise<ResolveResult>;
  /** Makes a screen reader say what was decided. */
  announce(text: string): void;
  readonly t: Translate;
}

/** The user's decisions on unreviewed changes: of a hunk, a file or all files. */
export class UnreviewedActions {
  readonly #parts: UnreviewedActionParts;

  constructor(parts: UnreviewedActionParts) {
    this.#parts = parts;
  }

  /** Decides about the hunk that a lens names, or that at the cursor, and goes on to the next one. */
  async decideHunk(decision: Decision, argument: unknown): Promise<void> {
    const { store } = this.#parts;
    const named = parseArgument(argument);
    const editor = vscode.window.activeTextEditor;
    const hunk = named ?? (editor && toNamed(findAtCursor(this.#find(editor), editor)));
    if (hunk === undefined) {
      this.go(1);
      return;
    }
    const { sessionId, path: file, revision } = hunk;
    const known = store.of(sessionId).find((entry) => entry.path === file);
    const done = await this.#resolve(decision, sessionId, [
      { path: file, revision, hunks: [hunk.hunk] },
    ]);
    if (done) this.#announce(decision, (known?.hunks ?? 1) - 1);
    if (done && known !== undefined && known.hunks > 1 && named === undefined) {
      await this.#changed(file);
      this.go(1);
    }
  }

  /** Decides about a file: of a row in *Source Control*, or that of the active editor. */
  async decideFile(decision: Decision, resource: unknown): Promise<void> {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const named = toRecord(resource)['entry'];
    const entries = named ? this.#findNamed(named) : uri ? this.#parts.store.at(uri.fsPath) : [];
    for (const entry of entries) await this.#resolve(decision, entry.sessionId, [toFile(entry)]);
  }

  /** The entry of now: VS Code keeps the object of a row that looks the same, with an old entry. */
  #findNamed(named: unknown): readonly UnreviewedEntry[] {
    const { sessionId, path: file } = toRecord(named);
    return this.#parts.store.all.filter(
      (entry) => entry.sessionId === sessionId && entry.path === file,
    );
  }

  /** Decides about all files of a session, or of all sessions. Undoing is confirmed. */
  async decideAll(decision: Decision, sessionId: string | undefined): Promise<void> {
    const { store, t } = this.#parts;
    const entries = sessionId === undefined ? store.all : store.of(sessionId);
    if (entries.length === 0) return this.#none();
    if (decision === 'undo') {
      const button = t('Undo All');
      const message =
        entries.length === 1
          ? t('Undo all unreviewed changes in 1 file?')
          : t('Undo all unreviewed changes in {0} files?', entries.length);
      const detail = t('What you typed since stays. Files that the agent created are deleted.');
      const options = { modal: true, detail };
      if (
        (await vscode.window.showWarningMessage(plainNotice(message), options, button)) !== button
      )
        return;
    }
    for (const id of new Set(entries.map((entry) => entry.sessionId))) {
      const files = entries.filter((entry) => entry.sessionId === id).map(toFile);
      await this.#resolve(decision, id, files);
    }
  }

  /**
   * Opens all unreviewed files of a session as one diff. What has no difference is listed in *Source Control*, which is
   * opened if there is nothing else. False if there is nothing.
   */
  async open(sessionId: string | undefined): Promise<boolean> {
    const { store, t } = this.#parts;
    const entries = sessionId === undefined ? store.all : store.of(sessionId);
    if (entries.length === 0) return false;
    const shown = entries.filter(hasTexts);
    if (shown.length === 0) {
      await vscode.commands.executeCommand('workbench.view.scm');
      return true;
    }
    const rows = shown.map((entry) => {
      const file = vscode.Uri.file(entry.path);
      const before = entry.kind === 'created' ? undefined : toBeforeUri(entry);
      return [file, before, entry.kind === 'deleted' ? undefined : file];
    });
    await vscode.commands.executeCommand('vscode.changes', t('Unreviewed Changes'), rows);
    return true;
  }

  /** The user saved a document in which hunks are undone by hand: they are reviewed. */
  async saved(document: vscode.TextDocument): Promise<void> {
    for (const [entry, gone] of this.#parts.hunks.findGone(document)) {
      const { sessionId, path: file, revision } = entry;
      const files = [{ path: file, revision, hunks: gone }];
      await this.#parts.resolve({ sessionId, decision: 'settle', files });
    }
  }

  /** Moves the cursor to the next hunk; after the last one of a file, to the first of the next file. */
  go(direction: 1 | -1): void {
    const editor = vscode.window.activeTextEditor;
    const hunks = editor ? this.#find(editor) : [];
    if (editor === undefined || hunks.length === 0) return;
    const { line } = editor.selection.active;
    const start = (hunk: DocumentHunk) => toRange(hunk, editor.document).start.line;
    const next =
      direction === 1
        ? (hunks.find((hunk) => start(hunk) > line) ?? hunks[0])
        : (hunks.findLast((hunk) => start(hunk) < line) ?? hunks.at(-1));
    if (next === undefined) return;
    const range = toRange(next, editor.document);
    editor.selection = new vscode.Selection(range.start, range.start);
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  #find(editor: vscode.TextEditor): readonly DocumentHunk[] {
    return this.#parts.hunks.find(editor.document);
  }

  /** False if nothing was changed, which the user is told. */
  async #resolve(decision: Decision, sessionId: string, files: Files): Promise<boolean> {
    const { t, resolve } = this.#parts;
    const { conflicts, outdated, changed = [] } = await resolve({ sessionId, decision, files });
    const { window } = vscode;
    if (changed.length > 0) {
      const all = toNames([...changed, ...conflicts]);
      void window.showWarningMessage(
        plainNotice(t('Changed since: {0}. Nothing was undone.', all)),
      );
    } else if (conflicts.length > 0) {
      const text = t(
        '{0} was changed in the same lines since. Nothing was undone. Keep the change, or edit the lines by hand.',
        toNames(conflicts),
      );
      void window.showWarningMessage(plainNotice(text));
    } else if (outdated.length > 0) {
      void window.showWarningMessage(
        plainNotice(
          t(
            'The changes in {0} are different by now, perhaps because another window decided about them. Nothing was done. They are shown as they are now.',
            toNames(outdated),
          ),
        ),
      );
    }
    return conflicts.length + outdated.length + changed.length === 0;
  }

  /** Resolves when the list has other hunks of the file, and they are found in its document. */
  async #changed(file: string): Promise<void> {
    const { store } = this.#parts;
    for (const entry of store.at(file)) await store.versions(entry);
  }

  #announce(decision: Decision, left: number): void {
    const { t, announce } = this.#parts;
    announce(
      decision === 'keep'
        ? t('Change kept, {0} left in this file', left)
        : t('Change undone, {0} left in this file', left),
    );
  }

  #none(): void {
    const text = this.#parts.t('No changes to review.');
    void vscode.window.showInformationMessage(plainNotice(text));
  }
}

interface NamedHunk {
  readonly sessionId: string;
  readonly path: string;
  readonly revision: string;
  readonly hunk: number;
}

function toNamed(found: DocumentHunk | undefined): NamedHunk | undefined {
  if (found === undefined) return undefined;
  const { sessionId, path: file, revision } = found.entry;
  return { sessionId, path: file, revision, hunk: found.index };
}

function parseArgument(argument: unknown): NamedHunk | undefined {
  const fields = toRecord(argument);
  const { hunk } = fields;
  const [sessionId, file] = [asString(fields['sessionId']), asString(fields['path'])];
  const revision = asString(fields['revision']);
  if (sessionId === undefined || file === undefined || revision === undefined) return undefined;
  return typeof hunk === 'number' ? { sessionId, path: file, revision, hunk } : undefined;
}

function toFile({ path: file, revision }: UnreviewedEntry) {
  return { path: file, revision };
}

function toNames(files: readonly string[]): string {
  return files.map((file) => path.basename(file)).join(', ');
}
