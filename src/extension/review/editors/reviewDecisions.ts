import * as vscode from 'vscode';
import type { Disposable } from '../../../base/disposable.ts';
import type { Translate } from '../../text/translate.ts';
import type { ProposedFile, ReviewHunk } from '../proposal/proposedFile.ts';
import type { ReviewStore } from '../proposal/reviewStore.ts';
import { parseReviewUri } from '../proposal/reviewUri.ts';
import {
  decideLines,
  findCursor,
  findHunkAt,
  findNext,
  type ReviewCursor,
  restoreHunk,
  revealHunk,
  revertHunk,
} from './hunkEditor.ts';
import type { HunkArgument } from './hunkLenses.ts';
import { findEditor } from './reviewTabs.ts';

export interface ReviewDecisionParts {
  readonly store: ReviewStore;
  isPending(file: ProposedFile): boolean;
  /** Whether two files belong to the same pending review. */
  isTogether(one: ProposedFile, other: ProposedFile): boolean;
  /** Fires when a review begins or ends. */
  readonly onDidChange: (listener: () => void) => Disposable;
  /** Makes a screen reader say what was decided. */
  announce(text: string): void;
  readonly t: Translate;
}

/** A decision that Ctrl+Z undoes, as long as the user has not typed since. */
interface Decision {
  readonly file: ProposedFile;
  readonly key: string;
  readonly kind: 'kept' | 'rejected';
  /** The proposal's text right after the decision. */
  readonly text: string;
}

interface Told extends Pick<Decision, 'file' | 'key'> {
  readonly kind: Decision['kind'] | 'undone';
}

interface Target {
  readonly file: ProposedFile;
  readonly hunk: ReviewHunk;
}

/** The decisions about single hunks: commands, keys and lenses act here. */
export class ReviewDecisions implements vscode.Disposable {
  readonly #parts: ReviewDecisionParts;
  readonly #watch: vscode.Disposable;
  #made: Decision[] = [];
  #canUndo = false;

  constructor(parts: ReviewDecisionParts) {
    this.#parts = parts;
    const update = () => this.#update();
    this.#watch = vscode.Disposable.from(
      parts.store.onDidChange(update),
      parts.onDidChange(update),
      vscode.window.onDidChangeActiveTextEditor(update),
    );
  }

  keep(argument?: unknown): void {
    const target = this.#find(argument);
    if (target === undefined || target.hunk.state === 'rejected') return;
    const { file, hunk } = target;
    file.mark(hunk.key, true);
    this.#add({ file, key: hunk.key, kind: 'kept', text: file.text });
    this.#showNext(file, hunk);
  }

  async reject(argument?: unknown): Promise<void> {
    const target = this.#find(argument);
    if (target === undefined || target.hunk.state === 'rejected') return;
    const { file, hunk } = target;
    if (!(await revertHunk(file, hunk))) return;
    this.#add({ file, key: hunk.key, kind: 'rejected', text: file.text });
    this.#showNext(file, hunk);
  }

  /** Rejects a hunk, or says why a rejected one was. The reason is sent to the model. */
  async rejectWithReason(argument?: unknown): Promise<void> {
    const target = this.#find(argument);
    if (target === undefined) return;
    const { file, hunk } = target;
    const { t } = this.#parts;
    const reason = await vscode.window.showInputBox({
      title: t('Reject Change'),
      prompt: t('Explain why, or what to do instead. This is sent to the agent.'),
      ignoreFocusOut: true,
      ...(hunk.reason !== undefined && { value: hunk.reason }),
    });
    if (reason === undefined || !this.#parts.isPending(file)) return;
    const now = file.hunks.find(({ key }) => key === hunk.key);
    if (now === undefined) return;
    if (now.state !== 'rejected') {
      if (!(await revertHunk(file, now))) return;
      this.#add({ file, key: now.key, kind: 'rejected', text: file.text });
    }
    file.explain(hunk.key, reason.trim());
    this.#showNext(file, hunk);
  }

  /** Puts the cursor into a hunk, to change the proposed text. */
  async edit(argument?: unknown): Promise<void> {
    const target = this.#find(argument);
    const editor = target && findEditor(target.file);
    if (target === undefined || editor === undefined) return;
    revealHunk(target.file, target.hunk, true);
    await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
  }

  async decideSelection(decision: 'keep' | 'reject'): Promise<void> {
    const cursor = this.#cursor();
    if (cursor === undefined) return;
    await decideLines(cursor, decision);
    if (decision === 'reject') return;
    // What is left of the hunks is what the user selected.
    const now = this.#cursor();
    const hunk = now && findHunkAt(now);
    if (hunk === undefined || hunk.state === 'rejected') return;
    cursor.file.mark(hunk.key, true);
    this.#add({ file: cursor.file, key: hunk.key, kind: 'kept', text: cursor.file.text });
  }

  /** Moves to the next or previous hunk of the file. */
  go(direction: 1 | -1): void {
    const cursor = this.#cursor();
    const hunk = cursor && findNext(cursor, direction, () => true);
    if (cursor !== undefined && hunk !== undefined) revealHunk(cursor.file, hunk);
  }

  /** Makes a decided hunk pending again: the one that a lens names, or else the last one. */
  async undo(argument?: unknown): Promise<void> {
    if (isHunkArgument(argument)) {
      const target = this.#find(argument);
      if (target !== undefined) await this.#undo(target);
      return;
    }
    const last = this.#getLast();
    if (last === undefined) return;
    this.#made = this.#made.filter((each) => each !== last);
    const hunk = last.file.hunks.find(({ key }) => key === last.key);
    if (hunk !== undefined) await this.#undo({ file: last.file, hunk });
    this.#update();
  }

  dispose(): void {
    this.#watch.dispose();
    this.#made = [];
  }

  async #undo({ file, hunk }: Target): Promise<void> {
    this.#made = this.#made.filter((each) => each.file !== file || each.key !== hunk.key);
    if (hunk.state === 'kept') file.mark(hunk.key, false);
    if (hunk.state === 'rejected') {
      file.explain(hunk.key, '');
      await restoreHunk(file, hunk);
    }
    // Other decisions still stand, and can be undone too.
    this.#made = this.#made.map((each) =>
      each.file === file ? { ...each, text: file.text } : each,
    );
    this.#update();
    this.#announce({ file, key: hunk.key, kind: 'undone' });
    const now = file.hunks.find(({ key }) => key === hunk.key);
    if (now !== undefined) revealHunk(file, now);
  }

  #add(decision: Decision): void {
    this.#made.push(decision);
    this.#announce(decision);
    this.#update();
  }

  #announce({ file: { hunks }, key, kind }: Told): void {
    const position = hunks.findIndex((hunk) => hunk.key === key) + 1;
    const left = hunks.filter(({ state }) => state === 'pending').length;
    const { t, announce } = this.#parts;
    announce(toAnnouncement(kind, [position, hunks.length, left], t));
  }

  /** Without a hunk at the cursor nothing is decided: the cursor moves to the next one instead. */
  #find(argument: unknown): Target | undefined {
    if (isHunkArgument(argument)) {
      const address = parseReviewUri(vscode.Uri.parse(argument.uri));
      const file = address && this.#parts.store.get(address.call, address.path);
      const hunk = file?.hunks.find(({ key }) => key === argument.key);
      return file && hunk && this.#parts.isPending(file) ? { file, hunk } : undefined;
    }
    const cursor = this.#cursor();
    if (cursor === undefined) return undefined;
    const hunk = findHunkAt(cursor);
    if (hunk !== undefined) return { file: cursor.file, hunk };
    this.#showNext(cursor.file);
    return undefined;
  }

  #cursor(): ReviewCursor | undefined {
    const cursor = findCursor(this.#parts.store);
    return cursor && this.#parts.isPending(cursor.file) ? cursor : undefined;
  }

  /** Moves to the next pending hunk below another one, or else to the first. */
  #showNext(file: ProposedFile, from?: ReviewHunk): void {
    const cursor = this.#cursor();
    const line = from?.newLine ?? cursor?.selected.range.from ?? 1;
    const selected = { side: 'new', range: { from: line, to: line } } as const;
    const next = findNext({ file, selected }, 1, ({ state }) => state === 'pending');
    if (next !== undefined) revealHunk(file, next);
  }

  /** The last decision in the review that the cursor is in. */
  #getLast(): Decision | undefined {
    const cursor = this.#cursor();
    if (cursor === undefined) return undefined;
    return this.#made.findLast(({ file }) => this.#parts.isTogether(file, cursor.file));
  }

  #update(): void {
    // Once the request is answered, nothing is undone here.
    this.#made = this.#made.filter(({ file }) => this.#parts.isPending(file));
    const last = this.#getLast();
    const canUndo = last !== undefined && last.file.text === last.text;
    if (canUndo === this.#canUndo) return;
    this.#canUndo = canUndo;
    void vscode.commands.executeCommand('setContext', 'gatehouse.canUndoDecision', canUndo);
  }
}

function toAnnouncement(
  kind: Told['kind'],
  values: readonly [position: number, total: number, pending: number],
  t: Translate,
): string {
  switch (kind) {
    case 'kept':
      return t('Change {0} of {1} kept, {2} pending', ...values);
    case 'rejected':
      return t('Change {0} of {1} rejected, {2} pending', ...values);
    case 'undone':
      return t('Change {0} of {1} undone, {2} pending', ...values);
  }
}

function isHunkArgument(argument: unknown): argument is HunkArgument {
  return (
    typeof argument === 'object' &&
    argument !== null &&
    'key' in argument &&
    typeof argument.key === 'string' &&
    'uri' in argument &&
    typeof argument.uri === 'string'
  );
}
