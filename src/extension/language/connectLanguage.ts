import * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import { fieldAt } from '../../base/json.ts';
import type { ClientMethods } from '../host/connection.ts';
import { answerLanguage, type LanguageDocument, type LanguageEditor } from './answerLanguage.ts';
import { readPath } from './readLocations.ts';

/** How long extensions of a language may take to start, and to find problems. */
const START_MS = 10_000;
const CHECK_MS = 3000;

/** Answers the host's questions about code by VS Code's language features. */
export function connectLanguage(clock: Clock): Pick<ClientMethods, 'language'> {
  const editor = createLanguageEditor(clock);
  return { language: (query, signal) => answerLanguage(editor, query, signal) };
}

export function createLanguageEditor(clock: Clock): LanguageEditor {
  const late = (ms: number) =>
    new Promise<void>((resolve) => void clock.after(ms, () => resolve()));
  const firstUse = new Map<string, number>();
  return {
    async open(path) {
      const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
      const { languageId } = document;
      await Promise.race([startLanguage(languageId), late(START_MS)]);
      const since = firstUse.get(languageId) ?? clock.now();
      firstUse.set(languageId, since);
      return { document, starting: clock.now() - since < START_MS };
    },
    execute: (command, ...args) => vscode.commands.executeCommand(command, ...args),
    toPosition: (line, character) => new vscode.Position(line, character),
    problems(path) {
      const all = path === undefined ? vscode.languages.getDiagnostics() : undefined;
      const uri = vscode.Uri.file(path ?? '');
      const found = all ?? [[uri, vscode.languages.getDiagnostics(uri)] as const];
      return found.flatMap(([each, problems]) => {
        const file = readPath(each);
        return file === undefined ? [] : [[file, problems] as const];
      });
    },
    async whenChecked(document, signal) {
      const uri = document.uri as vscode.Uri;
      if (vscode.languages.getDiagnostics(uri).length > 0) return;
      const found = Promise.withResolvers<void>();
      const stop = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        if (uris.some((each) => each.toString() === uri.toString())) found.resolve();
      });
      const abort = () => found.resolve();
      signal.addEventListener('abort', abort, { once: true });
      await Promise.race([found.promise, late(CHECK_MS)]);
      signal.removeEventListener('abort', abort);
      stop.dispose();
    },
    edited: (edit) => readEdits(edit as vscode.WorkspaceEdit),
  };
}

async function readEdits(edit: vscode.WorkspaceEdit) {
  return Promise.all(
    edit.entries().map(async ([uri, edits]) => {
      const isFile = readPath(uri) !== undefined;
      const document: LanguageDocument | undefined = isFile
        ? await vscode.workspace.openTextDocument(uri)
        : undefined;
      return { uri, edits, text: (document as vscode.TextDocument | undefined)?.getText() ?? '' };
    }),
  );
}

/** Opening a document starts the extensions of its language, but doesn't wait for them. */
async function startLanguage(language: string): Promise<void> {
  const event = `onLanguage:${language}`;
  const needed = vscode.extensions.all.filter(({ isActive, packageJSON }) => {
    const events = fieldAt(packageJSON, 'activationEvents');
    return !isActive && Array.isArray(events) && events.includes(event);
  });
  await Promise.all(needed.map((each) => Promise.resolve(each.activate()).catch(() => undefined)));
}
