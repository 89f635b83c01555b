import { pathToFileURL } from 'node:url';
import {
  CodeActionKind,
  CompletionItemKind,
  type Connection,
  createConnection,
  type InitializeResult,
  ProposedFeatures,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { getMessage } from '../base/faults.ts';
import { valueAt } from '../base/json.ts';
import { HOST_SETTINGS } from '../base/settings.ts';
import { readDocument } from '../declared/manifest/parseDocument.ts';
import { fixesAt, renameAt, renameableAt } from './changes.ts';
import { completeAt } from './completion.ts';
import { createManifests, type OpenManifests, toPath } from './manifests.ts';
import { definitionAt, hoverAt, toSymbols } from './navigation.ts';
import type { RuleDiagnostic } from './rules/diagnostics.ts';
import { createOpenRules, type OpenRules } from './rules/openRules.ts';
import { type RuleServer, registerWindow, serveRules } from './rules/serveRules.ts';
import { toDiagnostic } from './toDiagnostic.ts';

type Documents = TextDocuments<TextDocument>;

/** Starts the server on the given connection. */
export function serve(connection: Connection, env: Readonly<NodeJS.ProcessEnv>): void {
  const documents = new TextDocuments(TextDocument);
  const folders = new Set<string>();
  const limit = { schemaMs: HOST_SETTINGS['limits.schemaMs'].default };
  const manifests = createManifests(() => documents.all(), env, {
    roots: () => [...folders].flatMap((uri) => toPath(uri) ?? []),
    schemaMs: () => limit.schemaMs,
  });
  // Editors with our JSON schemas complete the names and show their documentation themselves.
  const editor = { schemas: false };
  const rules = createOpenRules((uri) => documents.get(uri));
  const soon = publishDiagnostics(connection, documents, { manifests, rules });
  connection.onInitialize(({ initializationOptions, workspaceFolders, capabilities }) => {
    for (const { uri } of workspaceFolders ?? []) folders.add(uri);
    editor.schemas = Object(initializationOptions).schemas === true;
    if (capabilities.workspace?.workspaceFolders) {
      connection.onInitialized(() => watchFolders(connection, folders, changed));
    }
    return CAPABILITIES;
  });
  const changed = (): void => {
    manifests.invalidate();
    soon();
  };
  connection.onDidChangeConfiguration(({ settings }) => {
    limit.schemaMs = readSchemaMs(settings);
    soon();
  });
  const ruleServer = serveRules(documents, rules, toDiagnostic);
  registerWindow(connection, rules, soon);
  registerReading(connection, documents, manifests, { env, editor, rules: ruleServer });
  registerChanges(connection, documents, manifests, ruleServer);
  documents.listen(connection);
  connection.listen();
}

/** Keeps the URIs of the workspace folders up to date. */
function watchFolders(connection: Connection, folders: Set<string>, changed: () => void): void {
  connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
    for (const { uri } of removed) folders.delete(uri);
    for (const { uri } of added) folders.add(uri);
    changed();
  });
}

const CAPABILITIES: InitializeResult = {
  capabilities: {
    workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
    textDocumentSync: TextDocumentSyncKind.Incremental,
    completionProvider: { triggerCharacters: ['"', ':', '/', '.', '{'] },
    hoverProvider: true,
    definitionProvider: true,
    documentSymbolProvider: true,
    codeLensProvider: {},
    renameProvider: { prepareProvider: true },
    codeActionProvider: {
      codeActionKinds: [CodeActionKind.QuickFix, CodeActionKind.RefactorRewrite],
    },
  },
};

interface Validated {
  readonly manifests: OpenManifests;
  readonly rules: OpenRules;
}

/** Returns a function that publishes them anew. */
function publishDiagnostics(
  connection: Connection,
  documents: Documents,
  { manifests, rules }: Validated,
): () => void {
  let published = new Set<string>();
  let state: 'idle' | 'waiting' | 'running' | 'running again' = 'idle';
  const publish = async (): Promise<void> => {
    const found = await faultsIn(documents, manifests, rules);
    for (const [uri, list] of found) {
      const text = documents.get(uri);
      const diagnostics = text ? list.map((each) => toDiagnostic(text, each)) : [];
      void connection.sendDiagnostics({ uri, diagnostics });
    }
    for (const uri of published) {
      if (!found.has(uri)) void connection.sendDiagnostics({ uri, diagnostics: [] });
    }
    published = new Set(found.keys());
  };
  const run = async (): Promise<void> => {
    state = 'running';
    await publish().catch((fault: unknown) => {
      connection.console.error(`Could not publish diagnostics: ${getMessage(fault)}`);
    });
    const isStale = state !== 'running';
    state = 'idle';
    if (isStale) soon();
  };
  // Validates changes that arrive together, or while others are validated, only once.
  const soon = (): void => {
    if (state === 'idle') setImmediate(run);
    state = state === 'idle' || state === 'waiting' ? 'waiting' : 'running again';
  };
  documents.onDidChangeContent(({ document }) => {
    // A file that is not a manifest may be a neighbor of one.
    if (manifests.get(document.uri) === undefined) manifests.invalidate();
    soon();
  });
  documents.onDidClose(({ document }) => {
    manifests.close(document.uri);
    rules.close(document.uri);
    soon();
  });
  connection.onDidChangeWatchedFiles(() => {
    manifests.invalidate();
    soon();
  });
  return soon;
}

/** The limit of schemas among the settings that the editor sends; the default if it is missing or not valid. */
function readSchemaMs(settings: unknown): number {
  const { default: otherwise, minimum, maximum } = HOST_SETTINGS['limits.schemaMs'];
  const value = valueAt(settings, ['gatehouse', 'limits', 'schemaMs']);
  if (typeof value !== 'number' || !Number.isInteger(value) || value < minimum) return otherwise;
  return Math.min(value, maximum ?? value);
}

/** The diagnostics of each open manifest and of each open settings file with rules. */
async function faultsIn(
  documents: Documents,
  manifests: OpenManifests,
  rules: OpenRules,
): Promise<ReadonlyMap<string, readonly RuleDiagnostic[]>> {
  const ofRules = documents.all().flatMap(({ uri }) => {
    const found = rules.diagnostics(uri);
    return found === undefined ? [] : [[uri, found] as const];
  });
  return new Map([...(await manifests.diagnostics()), ...ofRules]);
}

interface ReadingParts {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly editor: { readonly schemas: boolean };
  readonly rules: RuleServer;
}

function registerReading(
  connection: Connection,
  documents: Documents,
  manifests: OpenManifests,
  { env, editor, rules }: ReadingParts,
): void {
  const at = (uri: string, position: { line: number; character: number }) => {
    const manifest = manifests.get(uri);
    const offset = documents.get(uri)?.offsetAt(position);
    return manifest === undefined || offset === undefined ? undefined : { manifest, offset };
  };
  connection.onCompletion(({ textDocument, position }) => {
    const ofRule = rules.complete(textDocument.uri, position);
    if (ofRule !== undefined) return [...ofRule];
    const located = at(textDocument.uri, position);
    if (located === undefined) return [];
    const items = completeAt(located.manifest, located.offset, env);
    const hasNames = editor.schemas && located.manifest.document.notation === 'json';
    return items.filter(({ kind }) => !hasNames || kind !== CompletionItemKind.Property);
  });
  connection.onHover(({ textDocument, position }) => {
    const ofRule = rules.hover(textDocument.uri, position);
    if (ofRule !== undefined) return ofRule;
    const located = at(textDocument.uri, position);
    const isSaid = editor.schemas && located?.manifest.document.notation === 'json';
    return located && !isSaid ? hoverAt(located.manifest, located.offset) : undefined;
  });
  connection.onCodeLens(({ textDocument }) => [...rules.lenses(textDocument.uri)]);
  connection.onDefinition(({ textDocument, position }) => {
    const located = at(textDocument.uri, position);
    const target =
      located && definitionAt(located.manifest, located.offset, manifests.surroundings);
    return target && { uri: toUri(target.file), range: target.range };
  });
  connection.onDocumentSymbol(({ textDocument }) => {
    const manifest = manifests.get(textDocument.uri);
    return manifest ? [...toSymbols(manifest)] : [];
  });
}

function registerChanges(
  connection: Connection,
  documents: Documents,
  manifests: OpenManifests,
  rules: RuleServer,
): void {
  connection.onPrepareRename(({ textDocument, position }) => {
    const manifest = manifests.get(textDocument.uri);
    const offset = documents.get(textDocument.uri)?.offsetAt(position);
    const name = manifest && offset !== undefined ? renameableAt(manifest, offset) : undefined;
    return name && { range: name.range, placeholder: name.name };
  });
  connection.onRenameRequest(({ textDocument: { uri }, position, newName }) => {
    const manifest = manifests.get(uri);
    const offset = documents.get(uri)?.offsetAt(position);
    const edits =
      manifest && offset !== undefined ? renameAt(manifest, offset, newName) : undefined;
    return edits && { changes: { [uri]: [...edits] } };
  });
  connection.onCodeAction(({ textDocument: { uri }, range }) => {
    const ofRules = rules.actions(uri, range);
    if (ofRules !== undefined) return [...ofRules];
    const manifest = manifests.get(uri);
    const text = documents.get(uri);
    if (manifest === undefined || text === undefined) return [];
    const span = { start: text.offsetAt(range.start), end: text.offsetAt(range.end) };
    const readNeighbor = (file: string) => {
      const read = manifests.surroundings.read(file);
      return read.state === 'read' ? readDocument(file, read.bytes) : undefined;
    };
    return fixesAt(manifest, span, readNeighbor).map(({ title, kind, diagnostic, change }) => ({
      title,
      kind,
      ...(diagnostic && { diagnostics: [toDiagnostic(text, diagnostic)], isPreferred: true }),
      edit: {
        changes: { [change.file === manifest.file ? uri : toUri(change.file)]: [...change.edits] },
      },
    }));
  });
}

function toUri(file: string): string {
  return pathToFileURL(file).href;
}

if (process.argv.some((word) => /^--(?:stdio|node-ipc|pipe|socket)/.test(word))) {
  serve(createConnection(ProposedFeatures.all), process.env);
}
