import * as vscode from 'vscode';
import { MB } from '../../../base/units.ts';
import { parseReviewUri, type ReviewAddress } from './reviewUri.ts';

/** The texts of the review documents. */
export interface ReviewTexts {
  /** Undefined if there is no such document (any more). */
  find(address: ReviewAddress): Promise<string | undefined>;
}

/** VS Code's encoding detection takes a file with this mark for UTF-8, whatever `files.encoding` says. */
const MARK = Buffer.from('\ufeff');
/** VS Code decodes text with a mark several times slower, which is felt from this size on. Bytes. */
const LARGE = MB;

/**
 * The file system behind both sides of a review. Only proposals can be written. What is written is
 * not taken over: saving runs save participants, so the text comes from the document's changes
 * instead (`proposalDocuments.ts`), and a save only makes the document clean.
 */
export class ReviewFileSystem implements vscode.FileSystemProvider {
  readonly #texts: ReviewTexts;
  readonly #emitter = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#emitter.event;
  readonly #modified = new Map<string, number>();
  #time = Date.now();

  constructor(texts: ReviewTexts) {
    this.#texts = texts;
  }

  /** Call when the text of a document changed other than by editing the document. */
  changed(uri: vscode.Uri): void {
    this.#touch(uri);
    this.#emitter.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  watch(): vscode.Disposable {
    return { dispose: () => undefined };
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const content = await this.#read(uri);
    return {
      type: vscode.FileType.File,
      ctime: 0,
      mtime: this.#modified.get(uri.toString()) ?? 0,
      size: content.length,
      ...(!isEditable(uri) && { permissions: vscode.FilePermission.Readonly }),
    };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return this.#read(uri);
  }

  async writeFile(uri: vscode.Uri): Promise<void> {
    if (!isEditable(uri)) throw vscode.FileSystemError.NoPermissions(uri);
    await this.#find(uri);
    this.#touch(uri);
  }

  readDirectory(): [] {
    return [];
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
    this.#modified.clear();
  }

  async #read(uri: vscode.Uri): Promise<Uint8Array> {
    const content = Buffer.from(await this.#find(uri));
    return content.length >= LARGE && isUtf8Expected(uri)
      ? content
      : Buffer.concat([MARK, content]);
  }

  async #find(uri: vscode.Uri): Promise<string> {
    const address = parseReviewUri(uri);
    const text = address && (await this.#texts.find(address));
    if (text === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return text;
  }

  /** Each change needs a later time than the one before. */
  #touch(uri: vscode.Uri): void {
    this.#time = Math.max(Date.now(), this.#time + 1);
    this.#modified.set(uri.toString(), this.#time);
  }
}

function isEditable(uri: vscode.Uri): boolean {
  return parseReviewUri(uri)?.side === 'proposed';
}

/** Whether VS Code takes a file without a mark for UTF-8, in any language. */
function isUtf8Expected(uri: vscode.Uri): boolean {
  const files = vscode.workspace.getConfiguration('files', uri);
  const { languageIds = [] } = files.inspect('encoding') ?? {};
  const isGuessed = files.get('autoGuessEncoding') === true;
  return files.get('encoding') === 'utf8' && languageIds.length === 0 && !isGuessed;
}
