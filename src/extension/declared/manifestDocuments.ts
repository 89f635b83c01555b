import path from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { isRulesPath } from '../../base/rulesPath.ts';
import { DIALECT_IDS, getDialectFacts } from '../../base/tools/dialectFacts.ts';
import { isManifest } from './isManifest.ts';
import type { RuleFacts } from './languageClient.ts';

/** Starts the language server when the first manifest or settings file with rules is opened in a trusted window. */
export function watchManifests(
  context: vscode.ExtensionContext,
  rules: RuleFacts,
): vscode.Disposable {
  const store = new DisposableStore();
  let started = false;
  const look = (document: vscode.TextDocument): void => {
    // The server reads the files beside a document.
    if (started || !vscode.workspace.isTrusted) return;
    if (!(holdsRules(document) || looksLikeManifest(document))) return;
    started = true;
    const channel = store.add(
      vscode.window.createOutputChannel('Gatehouse Manifests', { log: true }),
    );
    const watcher = store.add(vscode.workspace.createFileSystemWatcher(WATCHED));
    const script = path.join(context.extensionPath, 'dist', 'language-server', 'server.cjs');
    const {
      startLanguageClient,
    }: typeof import('./languageClient.ts') = require('./languageClient.cjs');
    store.add(startLanguageClient({ script, channel, watcher, rules }));
  };
  store.add(vscode.workspace.onDidOpenTextDocument(look));
  // The first rule may be added to a settings file that is already open.
  store.add(
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (!started && isRulesPath(document.uri.path)) look(document);
    }),
  );
  const lookAtAll = () => vscode.workspace.textDocuments.forEach(look);
  store.add(vscode.workspace.onDidGrantWorkspaceTrust(lookAtAll));
  lookAtAll();
  return store;
}

/** The manifests and what their diagnostics depend on. */
const WATCHED = `**/{${[...new Set(DIALECT_IDS.flatMap((id) => getDialectFacts(id).watched))].join()}}`;

function looksLikeManifest(document: vscode.TextDocument): boolean {
  return isManifest(document.fileName, (length) => getHead(document, length));
}

function holdsRules(document: vscode.TextDocument): boolean {
  return isRulesPath(document.uri.path) && document.getText().includes('gatehouse.permissions');
}

function getHead(document: vscode.TextDocument, length: number): string {
  const end = document.positionAt(length);
  return document.getText(new vscode.Range(new vscode.Position(0, 0), end));
}
