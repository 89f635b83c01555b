import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import {
  createConnection,
  createProtocolConnection,
  type Diagnostic,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { serve } from '../../../src/language-server/server.ts';

export const ROOT = mkdtempSync(path.join(tmpdir(), 'server-'));

/** An editor with one folder: opens documents and collects their diagnostics. */
export class Editor {
  readonly folder = mkdtempSync(path.join(ROOT, 'case-'));
  readonly #texts = new Map<string, { version: number; text: string }>();
  readonly #diagnostics = new Map<string, readonly Diagnostic[]>();
  readonly connection: ProtocolConnection;

  constructor(files: Readonly<Record<string, string>> = {}, env: NodeJS.ProcessEnv = {}) {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(this.folder, name)), { recursive: true });
      writeFileSync(path.join(this.folder, name), text, { mode: 0o755 });
    }
    const [up, down] = [new PassThrough(), new PassThrough()];
    serve(createConnection(new StreamMessageReader(up), new StreamMessageWriter(down)), env);
    this.connection = createProtocolConnection(
      new StreamMessageReader(down),
      new StreamMessageWriter(up),
    );
    this.connection.onNotification('textDocument/publishDiagnostics', ({ uri, diagnostics }) => {
      this.#diagnostics.set(uri, diagnostics);
    });
    this.connection.listen();
  }

  async start(initializationOptions: object = {}): Promise<this> {
    await this.connection.sendRequest('initialize', {
      processId: null,
      rootUri: null,
      capabilities: {},
      initializationOptions,
    });
    return this;
  }

  uri(name: string): string {
    return pathToFileURL(path.join(this.folder, name)).href;
  }

  /** Opens or changes a document, and waits for its diagnostics. */
  async write(name: string, text: string): Promise<readonly Diagnostic[]> {
    const uri = this.uri(name);
    const version = (this.#texts.get(uri)?.version ?? 0) + 1;
    this.#texts.set(uri, { version, text });
    if (version === 1) {
      const languageId = name.endsWith('.json') ? 'json' : 'yaml';
      await this.connection.sendNotification('textDocument/didOpen', {
        textDocument: { uri, languageId, version, text },
      });
    } else {
      const contentChanges = [{ text }];
      await this.connection.sendNotification('textDocument/didChange', {
        textDocument: { uri, version },
        contentChanges,
      });
    }
    // Diagnostics arrive before the answers to later requests.
    for (let round = 0; round < 2; round++) {
      await this.connection.sendRequest('textDocument/documentSymbol', { textDocument: { uri } });
    }
    return this.diagnostics(name);
  }

  diagnostics(name: string): readonly Diagnostic[] {
    return this.#diagnostics.get(this.uri(name)) ?? [];
  }

  /** Asks about the place of `|` in the text that the document gets. */
  async ask(method: string, name: string, marked: string, more: object = {}): Promise<unknown> {
    const offset = marked.indexOf('|');
    await this.write(name, marked.replace('|', ''));
    const position = this.document(name).positionAt(offset);
    return this.connection.sendRequest(method, {
      textDocument: { uri: this.uri(name) },
      position,
      ...more,
    });
  }

  /** Closes the document; when it is written again its versions begin anew, as an editor's do. */
  async close(name: string): Promise<void> {
    this.#texts.delete(this.uri(name));
    const textDocument = { uri: this.uri(name) };
    await this.connection.sendNotification('textDocument/didClose', { textDocument });
  }

  document(name: string): TextDocument {
    const { text, version } = this.#texts.get(this.uri(name)) ?? { text: '', version: 0 };
    return TextDocument.create(this.uri(name), 'json', version, text);
  }
}
