import * as vscode from 'vscode';
import type { Translate } from '../../text/translate.ts';
import type { CallKey, ProposedFile } from '../proposal/proposedFile.ts';
import { parseReviewUri, type ReviewSide, toReviewParts } from '../proposal/reviewUri.ts';
import { toFileUri } from './currentFiles.ts';

/** Files that are reviewed together, in one diff or one multi-file diff. */
export interface Review {
  /** The id of the request that the review answers. */
  readonly id: string;
  /** At least one; of one call or of several. */
  readonly files: readonly ProposedFile[];
}

/** The URI of one side of a file's review. */
export function toUri({ call, path }: ProposedFile['change'], side: ReviewSide): vscode.Uri {
  return vscode.Uri.from(toReviewParts({ call, path, side }));
}

/** Opens and closes the editors of reviews. Nothing here takes the focus unless told to. */
export class ReviewTabs {
  readonly #t: Translate;
  /** Documents that are saved only to be closed. */
  readonly #closing = new Set<string>();

  constructor(t: Translate) {
    this.#t = t;
  }

  /**
   * Opens the diff of a review, or its document. In the background the editor keeps the focus (`preserveFocus` alone
   * loses keys, but without it a new group beside a locked one takes them); a review of several files opens only with the focus, because VS Code's
   * multi-file diff always takes it. Without a view column VS Code leaves locked groups alone.
   */
  async open(review: Review, focus: boolean): Promise<void> {
    const [first, ...more] = review.files;
    if (first === undefined) return;
    if (more.length > 0) {
      if (focus) await this.#openAll(review);
      return;
    }
    const { change } = first;
    const how = { preview: false, ...(!focus && { background: true, preserveFocus: true }) };
    if (change.kind === 'document') {
      // As text, also where the user has chosen another editor for Markdown, such as its preview.
      const uri = toUri(change, 'proposed');
      await vscode.commands.executeCommand('vscode.openWith', uri, 'default', how);
      return;
    }
    await vscode.commands.executeCommand(
      'vscode.diff',
      toUri(change, 'current'),
      toUri(change, 'proposed'),
      this.#toTitle(review),
      how,
    );
  }

  isOpen(review: Review): boolean {
    return this.find(review).length > 0;
  }

  find(review: Review): readonly vscode.Tab[] {
    const title = this.#toTitle(review);
    return allTabs().filter((tab) => {
      // VS Code may add the number of files to the title.
      if (review.files.length > 1 && tab.label.startsWith(title)) return true;
      const call = getCall(tab);
      return review.files.some(({ change }) => isSameCall(change.call, call));
    });
  }

  /** Closes the tabs of a review without asking to save: its texts are kept elsewhere. */
  async close(review: Review): Promise<void> {
    const tabs = this.find(review);
    if (tabs.length === 0) return;
    for (const { change } of review.files) await this.#clean(toUri(change, 'proposed'));
    await vscode.window.tabGroups.close(tabs, true);
  }

  /** What changes in such a document comes from save participants, and not from the user. */
  isClosing(uri: vscode.Uri): boolean {
    return this.#closing.has(uri.toString());
  }

  /** Puts the file in place of its diff after it was written. */
  async becomeFile(review: Review, focus: boolean): Promise<void> {
    const [tab] = this.find(review);
    const [file, ...more] = review.files;
    const isFile = file !== undefined && file.change.kind !== 'document' && more.length === 0;
    if (tab === undefined || !isFile) return this.close(review);
    const editor = findEditor(file);
    const { viewColumn } = tab.group;
    const options = {
      ...{ viewColumn, preview: false, background: !focus },
      ...(editor && { selection: editor.selection }),
    };
    // A deleted file can't be opened.
    const uri = toFileUri(file.change.path);
    await vscode.commands
      .executeCommand('vscode.open', uri, options)
      .then(undefined, () => undefined);
    await this.close(review);
  }

  /** VS Code asks about a document with unsaved text before it closes. */
  async #clean(uri: vscode.Uri): Promise<void> {
    const key = uri.toString();
    const open = vscode.workspace.textDocuments.find((each) => each.uri.toString() === key);
    if (!open?.isDirty) return;
    this.#closing.add(key);
    try {
      await open.save();
    } finally {
      this.#closing.delete(key);
    }
  }

  #openAll({ files, id }: Review): Thenable<unknown> {
    return vscode.commands.executeCommand(
      'vscode.changes',
      this.#toTitle({ files, id }),
      files.map(({ change }) => [
        toUri(change, 'proposed'),
        toUri(change, 'current'),
        toUri(change, 'proposed'),
      ]),
    );
  }

  #toTitle({ files }: Review): string {
    const [first] = files;
    const name = first?.change.path.split(/[\\/]/).at(-1) ?? '';
    // VS Code adds the number of files.
    if (files.length > 1) return this.#t('Review: {0}, …', name);
    return first?.change.kind === 'delete'
      ? this.#t('{0} (proposed deletion, not applied)', name)
      : this.#t('{0} (proposal, not applied)', name);
  }
}

/** The editor that shows the proposal of a file, if one does. */
export function findEditor({ change }: ProposedFile): vscode.TextEditor | undefined {
  const uri = toUri(change, 'proposed').toString();
  return vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri);
}

/** The call whose review a tab shows. */
export function getCall({ input }: vscode.Tab): CallKey | undefined {
  const uri =
    input instanceof vscode.TabInputTextDiff
      ? input.modified
      : input instanceof vscode.TabInputText && input.uri;
  const address = uri ? parseReviewUri(uri) : undefined;
  return address?.side === 'proposed' ? address.call : undefined;
}

function isSameCall(one: CallKey, other: CallKey | undefined): boolean {
  return one.sessionId === other?.sessionId && one.toolCallId === other.toolCallId;
}

function allTabs(): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
}
