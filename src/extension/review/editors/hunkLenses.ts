import * as vscode from 'vscode';
import type { Disposable } from '../../../base/disposable.ts';
import type { Translate } from '../../text/translate.ts';
import type { ProposedFile, ReviewHunk } from '../proposal/proposedFile.ts';
import type { ReviewStore } from '../proposal/reviewStore.ts';
import { parseReviewUri, REVIEW_SCHEME } from '../proposal/reviewUri.ts';

export interface HunkLensParts {
  readonly store: ReviewStore;
  /** Whether the file belongs to a review that is not answered yet. */
  isPending(file: ProposedFile): boolean;
  /** Fires when a review begins or ends. */
  readonly onDidChange: (listener: () => void) => Disposable;
  readonly mac: boolean;
  readonly t: Translate;
}

/** Which hunk a lens or menu names; commands without one act on the hunk at the cursor. */
export interface HunkArgument {
  /** The URI of the proposal's document. */
  readonly uri: string;
  readonly key: string;
}

/** *Keep · Reject · Edit* above each hunk of a proposal, in side by side, inline and multi-file diffs. */
export function createHunkLenses(parts: HunkLensParts): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const fire = () => changed.fire();
  const provider: vscode.CodeLensProvider = {
    onDidChangeCodeLenses: changed.event,
    provideCodeLenses: (document) => provide(parts, document),
  };
  return vscode.Disposable.from(
    changed,
    parts.store.onDidChange(fire),
    parts.onDidChange(fire),
    vscode.languages.registerCodeLensProvider({ scheme: REVIEW_SCHEME }, provider),
  );
}

function provide(parts: HunkLensParts, document: vscode.TextDocument): vscode.CodeLens[] {
  const address = parseReviewUri(document.uri);
  if (address?.side !== 'proposed') return [];
  const file = parts.store.get(address.call, address.path);
  if (file === undefined || !parts.isPending(file)) return [];
  if (file.change.kind === 'document') return toDocumentLenses(parts);
  const { hunks } = file;
  const lenses = hunks.flatMap((hunk, at) => {
    const line = Math.min(hunk.newLine, document.lineCount) - 1;
    const range = new vscode.Range(line, 0, line, 0);
    const argument: HunkArgument = { uri: document.uri.toString(), key: hunk.key };
    const count = parts.t('{0} of {1}', at + 1, hunks.length);
    return toCommands(parts, hunk, count).map(
      ([title, command]) => new vscode.CodeLens(range, { title, command, arguments: [argument] }),
    );
  });
  const notice = toNotice(file, parts);
  return notice === undefined ? lenses : [toNoticeLens(notice), ...lenses];
}

/** A document, such as a plan, is approved or denied as a whole. */
function toDocumentLenses({ t }: HunkLensParts): vscode.CodeLens[] {
  const start = new vscode.Range(0, 0, 0, 0);
  const commands: readonly LensCommand[] = [
    [t('$(check) Approve'), 'gatehouse.allowProposal'],
    [t('$(close) Deny…'), 'gatehouse.denyProposal'],
    [t('What you change here is what the agent gets'), ''],
  ];
  return commands.map(([title, command]) => new vscode.CodeLens(start, { title, command }));
}

type LensCommand = readonly [title: string, command: string];

function toCommands(
  { t, mac }: HunkLensParts,
  { state, reason }: ReviewHunk,
  count: string,
): readonly LensCommand[] {
  const keys = mac ? { keep: '⌥⌘Y', reject: '⌥⌘N', undo: '⌘Z' } : WINDOWS_KEYS;
  const keep: LensCommand = [t('Keep ({0})', keys.keep), 'gatehouse.keepChange'];
  const reject: LensCommand = [t('Reject ({0})', keys.reject), 'gatehouse.rejectChange'];
  const withReason: LensCommand = [t('Reject With Reason…'), 'gatehouse.rejectChangeWithReason'];
  const edit: LensCommand = [t('Edit'), 'gatehouse.editChange'];
  const undo: LensCommand = [t('Undo'), 'gatehouse.undoChangeDecision'];
  const next: LensCommand = [count, 'gatehouse.nextChange'];
  switch (state) {
    case 'pending':
      return [keep, reject, edit, withReason, next];
    case 'kept':
      return [[t('$(check) Kept'), 'gatehouse.nextChange'], undo, reject, edit, next];
    case 'rejected': {
      const text =
        reason === undefined ? t('$(close) Rejected') : t('$(close) Rejected: {0}', reason);
      return [[text, 'gatehouse.nextChange'], undo, withReason, next];
    }
  }
}

const WINDOWS_KEYS = { keep: 'Alt+Y', reject: 'Alt+N', undo: 'Ctrl+Z' };

/** What to know about the whole file, above its first line. */
function toNotice(file: ProposedFile, { t }: HunkLensParts): string | undefined {
  if (file.missing) {
    return t('$(warning) The file was deleted after this was proposed. Nothing will be written.');
  }
  if (file.stale) {
    return t(
      '$(warning) The file changed after this was proposed. Nothing will be written over your text.',
    );
  }
  return file.deletes ? t('$(trash) This file will be deleted.') : undefined;
}

function toNoticeLens(title: string): vscode.CodeLens {
  return new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), {
    title,
    command: 'gatehouse.nextChange',
  });
}
