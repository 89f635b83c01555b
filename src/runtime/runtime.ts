import type { OpenDocument } from '../base/openDocument.ts';
import type { Outcome } from '../base/outcome.ts';
import type { ToolDisplay } from '../base/stream/chunk.ts';
import type { PlanItem } from '../base/stream/dataChunk.ts';
import type { Span } from '../diff/span.ts';
import type { SearchFilter } from '../permissions/evaluate/searchFilter.ts';
import type { Inode } from '../permissions/patterns/paths.ts';
import type { PolicyFolders } from '../permissions/patterns/roots.ts';
import type { Limits } from './limits.ts';
import type { FilesQuery, GrepQuery, GrepResult } from './searchQuery.ts';

/** The only way a tool reaches the world (spec C-6). Made by the host, one for each call. */
export interface Runtime {
  readonly fs: FileSystem & Search;
  readonly shell: Shell;
  readonly net: Net;
  readonly session: SessionServices;
  readonly folders: PolicyFolders;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  readonly sidecars: Sidecars;
  /**
   * The arguments of this call exactly as the model wrote them: their numbers, names and order, which
   * parsed JSON does not keep. Absent when the user edited the call or a script made it.
   */
  readonly inputText?: string;
}

/**
 * Asked about what is really touched, at the moment it is touched: the real path of an opened
 * file, each hop of a redirect (spec CA-38; corpus C7). A failure's text is ready for the model.
 */
export interface Gate {
  /**
   * Where a path of the call led when it was admitted, links resolved: what was asked about is what is
   * opened (spec CA-37). Undefined for a path that the call did not name.
   */
  realPath(written: string): string | undefined;
  authorize(touch: Touch): Promise<Outcome<void>>;
  /** Asked about an address that an authorised name led to: only rules that name the address count. */
  authorizeAddress(url: string): Promise<Outcome<void>>;
  /** What a search in a folder, absolute and real, may show of what lies below. Undefined: all of it. */
  filterBelow(folder: string): SearchFilter | undefined;
}

export interface Touch {
  readonly capability: 'fs.read' | 'fs.write' | 'net.fetch';
  /** An absolute path with every link resolved, or a URL. */
  readonly target: string;
  /** Of an opened file that has several names. */
  readonly inode?: Inode;
}

/** Files by bytes. Paths are as the model wrote them; relative ones start at `places.cwd` (spec CS-5). */
export interface FileSystem {
  /** The path made absolute, links left alone. */
  absolute(path: string): string;
  /** Opens, asks the gate about the file that was opened, and says what it is. */
  stat(path: string): Promise<Outcome<FileFacts>>;
  /** The text as the user sees it: a dirty document before the disk. Fails for binary files. */
  readText(path: string): Promise<Outcome<TextFile>>;
  /** The same for a file that a call replaces: needs `fs.write` alone. Undefined: there is none. */
  readForChange(path: string): Promise<Outcome<TextFile | undefined>>;
  /** Part of the file on disk. Without a range: all of it, up to `max` bytes. */
  readBytes(path: string, range: ByteRange): Promise<Outcome<FileBytes>>;
  /**
   * Replaces parts of a file that was read; every other byte stays. Atomic. A conflict when the
   * file or the document is no longer the one that was read (spec CR-3).
   */
  splice(file: TextFile, spans: readonly Span[]): Promise<Outcome<void>>;
  /** Creates a file that must not exist yet, in the encoding the editor names, with its parent folders. */
  create(path: string, text: string): Promise<Outcome<{ readonly path: string }>>;
  /** Deletes a file that was read. A conflict when it is no longer that file, or has unsaved changes. */
  remove(file: TextFile): Promise<Outcome<void>>;
  /** Runs `work` while no other call of this process changes one of the same files (spec CR-3). */
  exclusively<Data>(
    paths: readonly string[],
    work: () => Promise<Outcome<Data>>,
  ): Promise<Outcome<Data>>;
}

/** Searching below a folder; dirty and unsaved documents count in place of what is on disk. */
export interface Search {
  /** Names below `directory`, with `/`, ignore files honoured; the newest first. */
  files(query: FilesQuery): Promise<Outcome<readonly string[]>>;
  /** Lines that match, ignore files honoured; stops at `limit` + 1. */
  grep(query: GrepQuery): Promise<Outcome<GrepResult>>;
}

export interface FileFacts {
  /** Absolute, every link resolved. */
  readonly path: string;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

export interface ByteRange {
  readonly start?: number;
  readonly max: number;
}

export interface FileBytes extends FileFacts {
  readonly bytes: Buffer;
}

/** Disposing it gives its memory to the next large file: nothing of its bytes is used afterwards. */
export interface TextFile extends Disposable {
  /** Absolute, every link resolved. */
  readonly path: string;
  /** The text as UTF-8, without a byte order mark. */
  readonly utf8: Buffer;
  /** The bytes on disk; absent when a dirty document is the truth. */
  readonly raw?: Buffer;
  readonly encoding: TextEncoding;
  /** Tells cheaply whether the file on disk is still the one that was read. */
  readonly stamp: string;
  /** SHA-256 of the bytes on disk, or of a dirty document's text, in hex. */
  hash(): string;
  /** The dirty document this text came from. */
  readonly document?: OpenDocument;
}

export interface TextEncoding {
  /** `utf8`, `utf16le`, `utf16be` or a legacy name as VS Code and iconv-lite spell it. */
  readonly name: string;
  /** Bytes of the byte order mark in front of the text. */
  readonly bom: number;
}

export interface Shell {
  run(request: ShellRequest): Promise<Outcome<ShellResult>>;
}

export interface ShellRequest {
  readonly command: string;
  readonly title: string;
  readonly cwd: string;
  readonly timeoutMs: number;
  /** Bytes of output kept in memory; the rest goes to the sidecar. */
  readonly outputBytes: number;
  readonly background: boolean;
}

export interface ShellResult {
  /** Standard output and error, in the order they arrived, cut at a character border. */
  readonly output: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly ended: 'exit' | 'timeout' | 'abort' | 'background';
  readonly truncated: boolean;
  /** The file with every byte; absent when nothing was cut, or it could not be written. */
  readonly outputPath?: string;
  /** What the model must know: the head is lost, the disk is full. */
  readonly notes: readonly string[];
  readonly terminalId: string;
  /** Processes the command left running; they end with the session. */
  readonly left: readonly LeftProcess[];
}

export interface LeftProcess {
  readonly pid: number;
  readonly command: string;
}

/** Where the output of a running command is shown; the host sends it to the editor's pane. */
export interface TerminalView {
  opened(terminal: {
    readonly terminalId: string;
    readonly title: string;
    readonly command: string;
    readonly cwd: string;
  }): void;
  output(terminalId: string, data: string): void;
  closed(terminal: {
    readonly terminalId: string;
    readonly exitCode: number | null;
    readonly signal: string | null;
  }): void;
}

export interface Net {
  /** Each hop is authorised before it is dialled. */
  fetch(request: NetRequest): Promise<Outcome<NetResponse>>;
}

export interface NetRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Any method but GET, HEAD and POST is for declared tools. */
  readonly method?: string;
  readonly body?: string;
  /** `refuse`: a redirect is the answer, not a way; it would carry secrets on. Default: follow. */
  readonly redirect?: 'follow' | 'refuse';
  /** Bytes of the decoded body. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** The configured provider is reached even where the model may not fetch (spec C-10). */
  readonly configuredHost?: boolean;
}

export interface NetResponse {
  /** Where the redirects ended. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** Files of this session that hold what was cut off (spec C-44 … C-47). */
export interface Sidecars {
  /** Writes a file that only this session may read, and gives its path. */
  write(name: string, content: string | Buffer): Promise<Outcome<string>>;
}

/** Open documents of the client. Absent: the disk is the truth. */
export interface ClientFiles {
  /**
   * Open documents, new unsaved ones too (`path` null). Without `paths`: all. Of `paths` also files that
   * are not open, where the editor has an encoding set for them.
   */
  documents(paths?: readonly string[]): Promise<readonly OpenDocument[]>;
  readText(path: string): Promise<string>;
  /** Replaces a dirty document's text; a conflict when its version is no longer `baseVersion`. */
  writeText(path: string, text: string, baseVersion?: number): Promise<Outcome<void>>;
}

/** Another ACP client's terminals, used only when the client shows no panes of ours. */
export interface ClientTerminals {
  run(request: {
    readonly command: string;
    readonly args: readonly string[];
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly outputByteLimit: number;
    readonly signal: AbortSignal;
    /** Told the terminal's id as soon as it exists: it must be shown before it is released. */
    readonly onStart?: (terminalId: string) => void;
  }): Promise<{
    readonly terminalId: string;
    readonly output: string;
    readonly truncated: boolean;
    readonly exitCode: number | null;
    readonly signal: string | null;
  }>;
}

/** What a session keeps for its tools; the host implements it. */
export interface SessionServices {
  readonly id: string;
  /** Replaces the list; the host turns it into the ACP plan. */
  setTodo(items: readonly PlanItem[]): void;
  /** Undefined when no user is there (spec C-25). */
  readonly askQuestions?: (
    questions: readonly Question[],
    signal: AbortSignal,
  ) => Promise<Outcome<readonly (readonly string[])[]>>;
  /** Shows something of the running call: a terminal, a location, a text. */
  progress(display: ToolDisplay): void;
  /** A counter that lives as long as the session (`web_search` calls): the number with this call. */
  count(name: string): number;
  /** The search providers that are set up, in a fixed order; none when absent. */
  readonly searchProviders?: () => Promise<readonly SearchProvider[]>;
}

/** One search service, with what the user configured (spec C-29, decision 24). */
export interface SearchProvider {
  readonly id: 'searxng' | 'brave' | 'tavily';
  readonly baseUrl: string;
  readonly apiKey?: string;
}

export interface Question {
  readonly question: string;
  readonly header?: string;
  readonly options?: readonly { readonly label: string; readonly description?: string }[];
  readonly multi_select?: boolean;
}
