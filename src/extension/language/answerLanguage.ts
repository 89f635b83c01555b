import type {
  CodeLocation,
  LanguageAnswer,
  LanguageOperation,
  LanguageQuery,
} from '../../base/tools/languageQuery.ts';
import type { Problem } from '../context/problems.ts';
import { readDefinitions, readProblems, readSymbols } from './readLocations.ts';
import { type EditedFiles, readRename } from './readRename.ts';

/** An open document of the editor. */
export interface LanguageDocument {
  readonly uri: unknown;
  readonly lineCount: number;
  lineAt(line: number): { readonly text: string };
}

export interface OpenedDocument {
  readonly document: LanguageDocument;
  /** The extensions of its language started a moment ago. */
  readonly starting: boolean;
}

/** What answering needs of the editor. */
export interface LanguageEditor {
  /** Opens a document without showing it, and waits for the extensions of its language. */
  open(path: string): Promise<OpenedDocument>;
  /** Runs a command such as `vscode.executeDefinitionProvider`. */
  execute(command: string, ...args: readonly unknown[]): PromiseLike<unknown>;
  toPosition(line: number, character: number): unknown;
  /** The problems of one file, or of all. */
  problems(path: string | undefined): readonly (readonly [string, readonly Problem[]])[];
  /** Resolves when problems of the document were found, or after a while. */
  whenChecked(document: LanguageDocument, signal: AbortSignal): Promise<void>;
  edited(edit: unknown): Promise<EditedFiles>;
}

/** The most locations that are sent; the host shows fewer. */
const MOST_LOCATIONS = 1000;

/** Asks the language features of the editor. Never changes or shows anything. */
export async function answerLanguage(
  editor: LanguageEditor,
  query: LanguageQuery,
  signal: AbortSignal,
): Promise<LanguageAnswer> {
  const opened = query.path === undefined ? undefined : await editor.open(query.path);
  const { document } = opened ?? {};
  if (document !== undefined && !isSameLine(document, query)) {
    return { error: 'The file is not the same in the editor. Read it again.' };
  }
  if (query.operation === 'rename') return rename(editor, document, query);
  const locations = await findLocations(editor, document, query, signal);
  if (locations === undefined) return { error: NO_ANSWER[query.operation] };
  const cut = locations.length > MOST_LOCATIONS;
  return {
    locations: locations.slice(0, MOST_LOCATIONS),
    ...(opened?.starting && { starting: true }),
    ...(cut && { cut }),
  };
}

const NONE = 'No extension of the editor answers this for files of this language.';
const NO_ANSWER: Readonly<Record<LanguageOperation, string>> = {
  definition: NONE,
  references: NONE,
  document_symbols: NONE,
  workspace_symbols: 'No extension of the editor searches symbols.',
  diagnostics: NONE,
  rename: NONE,
};

function isSameLine(document: LanguageDocument, { position, lineText }: LanguageQuery): boolean {
  if (position === undefined || lineText === undefined) return true;
  const { line } = position;
  return line < document.lineCount && document.lineAt(line).text === lineText;
}

/** Undefined: there is no provider. */
async function findLocations(
  editor: LanguageEditor,
  document: LanguageDocument | undefined,
  { operation, path, position, text = '' }: LanguageQuery,
  signal: AbortSignal,
): Promise<readonly CodeLocation[] | undefined> {
  if (operation === 'workspace_symbols') {
    return readSymbols(await editor.execute('vscode.executeWorkspaceSymbolProvider', text), '');
  }
  if (operation === 'diagnostics') {
    if (document !== undefined) await editor.whenChecked(document, signal);
    return readProblems(editor.problems(path));
  }
  const { uri } = document ?? {};
  if (operation === 'document_symbols') {
    const found = await editor.execute('vscode.executeDocumentSymbolProvider', uri);
    return readSymbols(found, path ?? '');
  }
  const command =
    operation === 'definition'
      ? 'vscode.executeDefinitionProvider'
      : 'vscode.executeReferenceProvider';
  const at = position && editor.toPosition(position.line, position.character);
  return readDefinitions(await editor.execute(command, uri, at));
}

async function rename(
  editor: LanguageEditor,
  document: LanguageDocument | undefined,
  { position, text }: LanguageQuery,
): Promise<LanguageAnswer> {
  const at = position && editor.toPosition(position.line, position.character);
  const command = 'vscode.executeDocumentRenameProvider';
  try {
    const edit = await editor.execute(command, document?.uri, at, text);
    if (edit === undefined || edit === null) return { error: NO_ANSWER.rename };
    return await readRename(await editor.edited(edit));
  } catch (fault) {
    // Providers reject names and locations that can't be renamed, with a reason for the user.
    const why = fault instanceof Error ? fault.message : String(fault);
    return { error: `It can't be renamed: ${why.slice(0, 500) || 'no reason given'}.` };
  }
}
