import * as vscode from 'vscode';
import { getMessage } from '../../base/faults.ts';

/** URI scheme of the read-only documents of rules that are in no file. */
export const RULES_SCHEME = 'gatehouse-rules';

/** The document of the shipped rules, or of the rules that only one session has. */
export function toRulesUri(sessionId?: string): vscode.Uri {
  const path =
    sessionId === undefined
      ? '/shipped-rules.jsonc'
      : `/${encodeURIComponent(sessionId)}/session-rules.jsonc`;
  return vscode.Uri.from({ scheme: RULES_SCHEME, path });
}

/**
 * The read-only documents. As a file system, because VS Code then activates the extension for documents
 * that were open before a reload.
 */
export class RulesFileSystem implements vscode.FileSystemProvider {
  readonly #load: (sessionId: string | undefined) => Promise<string>;
  readonly #emitter = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#emitter.event;
  readonly #known = new Map<string, { readonly text: string; readonly mtime: number }>();

  /** `load` returns the text of a document. */
  constructor(load: (sessionId: string | undefined) => Promise<string>) {
    this.#load = load;
  }

  /** Makes an open document read its text again. */
  refresh(uri: vscode.Uri): void {
    this.#emitter.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { text, mtime } = await this.#read(uri);
    return {
      ...{ type: vscode.FileType.File, ctime: 0, mtime, size: Buffer.byteLength(text) },
      permissions: vscode.FilePermission.Readonly,
    };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return Buffer.from((await this.#read(uri)).text);
  }

  watch(): vscode.Disposable {
    return { dispose: () => undefined };
  }

  readDirectory(): [] {
    return [];
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.#emitter.dispose();
  }

  async #read(uri: vscode.Uri) {
    const found = /^\/(?:shipped-rules|([^/]+)\/session-rules)\.jsonc$/.exec(uri.path);
    if (found === null) throw vscode.FileSystemError.FileNotFound(uri);
    const key = uri.toString();
    const [, session] = found;
    const text = await this.#load(session && decodeURIComponent(session)).catch(
      (error: unknown) => {
        throw vscode.FileSystemError.Unavailable(getMessage(error));
      },
    );
    const known = this.#known.get(key);
    if (known?.text === text) return known;
    const next = { text, mtime: (known?.mtime ?? 0) + 1 };
    this.#known.set(key, next);
    return next;
  }
}
