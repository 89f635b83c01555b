import * as vscode from 'vscode';
import type { RulesQuery } from '../../acp/gatehouse/rules.ts';
import { getMessage } from '../../base/faults.ts';

/** URI scheme of the read-only documents of rules that are in no file. */
export const RULES_SCHEME = 'gatehouse-rules';

/** The document of the shipped rules, of one session or of a settings file of the workspace. */
export function toRulesUri({ sessionId, file, accepted }: RulesQuery): vscode.Uri {
  const ofFile = accepted ? 'accepted-rules' : 'workspace-rules';
  const ofSession = sessionId === undefined ? 'shipped-rules' : 'session-rules';
  const path = `/${file === undefined ? ofSession : ofFile}.jsonc`;
  const query = new URLSearchParams({ ...(sessionId && { sessionId }), ...(file && { file }) });
  return vscode.Uri.from({ scheme: RULES_SCHEME, path, query: query.toString() });
}

function parseRulesUri({ path, query }: vscode.Uri): RulesQuery | undefined {
  const named = new URLSearchParams(query);
  const [sessionId, file] = [named.get('sessionId'), named.get('file')];
  if (path === '/shipped-rules.jsonc') return {};
  if (path === '/session-rules.jsonc' && sessionId !== null) return { sessionId };
  const isAccepted = path === '/accepted-rules.jsonc';
  if (file === null || !(isAccepted || path === '/workspace-rules.jsonc')) return undefined;
  return { file, accepted: isAccepted };
}

/**
 * The read-only documents. As a file system, because VS Code then activates the extension for documents
 * that were open before a reload.
 */
export class RulesFileSystem implements vscode.FileSystemProvider {
  readonly #load: (query: RulesQuery) => Promise<string>;
  readonly #emitter = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#emitter.event;
  readonly #known = new Map<string, { readonly text: string; readonly mtime: number }>();

  /** `load` returns the text of a document. */
  constructor(load: (query: RulesQuery) => Promise<string>) {
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
    const query = parseRulesUri(uri);
    if (query === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    const key = uri.toString();
    const text = await this.#load(query).catch((error: unknown) => {
      throw vscode.FileSystemError.Unavailable(getMessage(error));
    });
    const known = this.#known.get(key);
    if (known?.text === text) return known;
    const next = { text, mtime: (known?.mtime ?? 0) + 1 };
    this.#known.set(key, next);
    return next;
  }
}
