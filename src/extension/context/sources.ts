import * as vscode from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { readChanges } from '../git/gitChanges.ts';
import type { Translate } from '../text/translate.ts';
import { type Lines, toLinesBlock, toLinesLabel, toLink, toTextBlock } from './blocks.ts';
import type { ContextCandidate, ContextSources } from './lookUp.ts';
import { describeProblems } from './problems.ts';
import type { TerminalOutput } from './terminalOutput.ts';

/** Files that a list is made of, so that a huge workspace stays quick. */
const MOST_FILES = 20_000;
/** How long a list of files is used again, in milliseconds: while the user types a query. */
const FRESH = 10_000;
/** Language servers may take long to answer, in milliseconds. */
const SYMBOL_WAIT = 700;

/** What can be attached in this window. */
export function createSources(
  t: Translate,
  terminal: TerminalOutput,
): Omit<ContextSources, 'resources' | 'prompts'> {
  const files = createFileList();
  return {
    fixed: () => [
      ...listSelection(t),
      ...listProblems(t),
      ...listTerminal(t, terminal),
      ...listChanges(t),
    ],
    openEditors: listOpenEditors,
    files,
    symbols: findSymbols,
  };
}

/** The selected lines of the editor that was used last, or its file's visible ones. */
function listSelection(t: Translate): readonly ContextCandidate[] {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || editor.selection.isEmpty) return [];
  const { document, selection } = editor;
  const candidate = toSelection(document, selection);
  return [{ ...candidate, label: t('Selection'), description: candidate.label }];
}

/** The lines of a range, complete. */
export function toSelection(document: vscode.TextDocument, range: vscode.Range): ContextCandidate {
  // A selection that ends at the start of a line does not mean that line.
  const whole = range.end.character === 0 && range.end.line > range.start.line;
  const last = range.end.line - (whole ? 1 : 0);
  const lines: Lines = { from: range.start.line + 1, to: last + 1 };
  const text = document.getText(
    new vscode.Range(range.start.line, 0, last, document.lineAt(last).text.length),
  );
  const label = toLinesLabel(getName(document.uri), lines);
  return {
    ...{ kind: 'selection', label, chip: label },
    read: async () => toLinesBlock(document.uri.toString(), lines, text),
  };
}

function listProblems(t: Translate): readonly ContextCandidate[] {
  const found = vscode.languages.getDiagnostics().filter(([, problems]) => problems.length > 0);
  if (found.length === 0) return [];
  const count = found.reduce((sum, [, problems]) => sum + problems.length, 0);
  const label = t('Problems');
  const toPath = (uri: vscode.Uri) => vscode.workspace.asRelativePath(uri);
  return [
    {
      ...{ kind: 'problems', label, description: `${count}` },
      read: async () =>
        toTextBlock(
          label,
          describeProblems(found.map(([uri, list]) => [toPath(uri), list] as const)),
        ),
    },
  ];
}

/** The last command of the terminals with its output. Empty if none is known. */
export function listTerminal(t: Translate, terminal: TerminalOutput): readonly ContextCandidate[] {
  const { last } = terminal;
  if (last === undefined) return [];
  const text = terminal.describe();
  return [
    {
      ...{ kind: 'terminal', label: t('Terminal output'), description: last, chip: last },
      read: async () => toTextBlock(last, text),
    },
  ];
}

function listChanges(t: Translate): readonly ContextCandidate[] {
  if (vscode.extensions.getExtension('vscode.git') === undefined) return [];
  const label = t('Git changes');
  return [
    {
      ...{ kind: 'changes', label },
      async read() {
        const diff = await readChanges();
        return diff === '' ? undefined : toTextBlock(label, diff, 'text/x-diff');
      },
    },
  ];
}

function listOpenEditors(): readonly ContextCandidate[] {
  const tabs = vscode.window.tabGroups.all.flatMap(({ tabs: all }) => all);
  return tabs.flatMap(({ input }) =>
    input instanceof vscode.TabInputText && input.uri.scheme === 'file' ? [toFile(input.uri)] : [],
  );
}

/** Lists files, and the folders that they are in. `files.exclude` is respected. */
function createFileList(): () => Promise<readonly ContextCandidate[]> {
  let listed: Promise<readonly ContextCandidate[]> | undefined;
  let since = 0;
  return () => {
    if (listed !== undefined && Date.now() - since < FRESH) return listed;
    since = Date.now();
    listed = Promise.resolve(
      vscode.workspace.findFiles('**/*', undefined, MOST_FILES).then((uris) => {
        const folders = new Map<string, vscode.Uri>();
        for (const uri of uris) {
          const folder = vscode.Uri.joinPath(uri, '..');
          folders.set(folder.toString(), folder);
        }
        return [...uris.map(toFile), ...[...folders.values()].map(toFolder)];
      }),
    );
    return listed;
  };
}

/** A file as a link. */
export function toFile(uri: vscode.Uri): ContextCandidate {
  return toPathCandidate('file', uri);
}

/** A folder as a link. */
export function toFolder(uri: vscode.Uri): ContextCandidate {
  return toPathCandidate('folder', uri);
}

function toPathCandidate(kind: 'file' | 'folder', uri: vscode.Uri): ContextCandidate {
  const path = vscode.workspace.asRelativePath(uri);
  const label = getName(uri);
  const folder = path.slice(0, -label.length - 1);
  return {
    ...{ kind, label, path },
    ...(folder !== '' && { description: folder }),
    read: async () => toLink(uri.toString(), label),
  };
}

async function findSymbols(query: string): Promise<readonly ContextCandidate[]> {
  const none = Promise.withResolvers<readonly vscode.SymbolInformation[]>();
  const timer = systemClock.after(SYMBOL_WAIT, () => none.resolve([]));
  const found = vscode.commands.executeCommand<readonly vscode.SymbolInformation[] | undefined>(
    'vscode.executeWorkspaceSymbolProvider',
    query,
  );
  // A language server that fails is no reason to show no files.
  const answered = Promise.resolve(found).catch(() => []);
  const symbols = await Promise.race([answered, none.promise]);
  timer.dispose();
  return (symbols ?? []).map(({ name, location: { uri, range } }) => ({
    ...{ kind: 'symbol', label: name, description: vscode.workspace.asRelativePath(uri) },
    async read() {
      const document = await vscode.workspace.openTextDocument(uri);
      return toSelection(document, range).read();
    },
  }));
}

function getName({ path }: vscode.Uri): string {
  return path.split('/').findLast((segment) => segment !== '') ?? path;
}
