import path from 'node:path';
import * as vscode from 'vscode';
import { toVisible } from '../../base/text/visibleText.ts';
import type { Translate } from '../text/translate.ts';
import { hasTexts, type UnreviewedEntry, type UnreviewedStore } from './unreviewedStore.ts';
import { toBeforeUri } from './unreviewedUri.ts';

/** A row of the *Source Control* view. */
export interface UnreviewedResource extends vscode.SourceControlResourceState {
  readonly entry: UnreviewedEntry;
}

/**
 * Lists unreviewed files in the *Source Control* view, and marks their lines in the editor's gutter against the
 * text before the agent's changes. Both are there only while something is unreviewed.
 */
export function createUnreviewedSources(store: UnreviewedStore, t: Translate): vscode.Disposable {
  let source: vscode.SourceControl | undefined;
  let group: vscode.SourceControlResourceGroup | undefined;
  let paths = '';
  const update = () => {
    const { all } = store;
    if (all.length === 0) {
      source?.dispose();
      [source, group, paths] = [undefined, undefined, ''];
      return;
    }
    if (source === undefined) {
      source = vscode.scm.createSourceControl('gatehouse', 'Gatehouse');
      source.inputBox.visible = false;
      group = source.createResourceGroup('unreviewed', t('Unreviewed Changes'));
    }
    source.count = all.length;
    if (group) group.resourceStates = all.map((entry) => toResource(entry, t));
    const now = JSON.stringify(all.map((entry) => entry.path));
    // A new provider makes VS Code ask again for the files that it has open.
    if (now !== paths) source.quickDiffProvider = createQuickDiff(store);
    paths = now;
  };
  update();
  return vscode.Disposable.from(store.onDidChange(update), { dispose: () => source?.dispose() });
}

function createQuickDiff(store: UnreviewedStore): vscode.QuickDiffProvider {
  return {
    provideOriginalResource(uri) {
      const [entry] = uri.scheme === 'file' ? store.at(uri.fsPath).filter(hasTexts) : [];
      return entry && toBeforeUri(entry);
    },
  };
}

function toResource(entry: UnreviewedEntry, t: Translate): UnreviewedResource {
  const { kind, added, removed } = entry;
  const lines = t('{0} added, {1} removed, not reviewed', added, removed);
  const other = entry.entry && t('{0}, not reviewed', toVisible(entry.entry).text);
  const size = [...(hasTexts(entry) ? [lines] : []), ...(other ? [other] : [])].join(' · ');
  const command = toOpenCommand(entry, t);
  return {
    entry,
    resourceUri: vscode.Uri.file(entry.path),
    ...(command && { command: { ...command, title: t('Open Changes') } }),
    decorations: {
      strikeThrough: kind === 'deleted',
      tooltip: `${path.basename(entry.path)}: ${size}`,
    },
  };
}

function toOpenCommand(entry: UnreviewedEntry, t: Translate) {
  const file = vscode.Uri.file(entry.path);
  // A binary file, a link or a folder has no difference to show.
  if (!hasTexts(entry)) {
    if (entry.kind === 'deleted') return undefined;
    return { command: 'revealInExplorer', arguments: [file] };
  }
  const before = toBeforeUri(entry);
  const title = t('{0} (unreviewed changes)', path.basename(entry.path));
  if (entry.kind === 'deleted') return { command: 'vscode.open', arguments: [before] };
  if (entry.kind === 'created') return { command: 'vscode.open', arguments: [file] };
  return { command: 'vscode.diff', arguments: [before, file, title] };
}
