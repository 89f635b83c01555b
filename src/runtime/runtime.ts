import type { OpenDocument } from '../base/openDocument.ts';
import type { Outcome } from '../base/outcome.ts';
import type { Span } from '../diff/span.ts';
import type { SearchFilter } from '../permissions/evaluate/searchFilter.ts';
import type { Inode } from '../permissions/patterns/paths.ts';
import type { PolicyFolders } from '../permissions/patterns/roots.ts';
import type { DecideAtLimit } from './atLimit.ts';
import type { ConfinedStart } from './confined.ts';
import type { Entries } from './entries.ts';
import type { Limits } from './limits.ts';
import type { ProtectedFiles } from './protectedFiles.ts';
import type { Repositories } from './repositories.ts';
import type { FilesQuery, GrepQuery, GrepResult } from './searchQuery.ts';
import type { SessionServices } from './sessionServices.ts';
import type { UserWaiting } from './waiting.ts';

/** Everything a tool may use of the outside world (spec C-6). The host makes one for each call. */
export interface Runtime {
  readonly fs: FileSystem & Search;
  readonly entries: Entries;
  readonly shell: Shell;
  readonly net: Net;
  readonly repositories: Repositories;
  readonly session: SessionServices;
  readonly folders: PolicyFolders;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  readonly sidecars: Sidecars;
  readonly protectedFiles: ProtectedFiles;
  /** Confines programs that a tool starts by itself. Absent: they run as any other program of the user. */
  readonly confined?: ConfinedStart;
  /** Whether the call waits for the user; its own time limit doesn't count that time. */
  readonly waiting?: UserWaiting;
  /**
   * The call's arguments as the model wrote them: parsed JSON loses number spellings, duplicate names
   * and the order. Absent when the user edited the call or a script made it.
   */
  readonly inputText?: string;
  /** Whether the call has changed files in the session's overlay. Absent: there is none. */
  hasCollected?(): boolean;
}

/**
 * Authorizes each access at the moment it happens: the real path of an opened file, every hop of a
 * redirect (corpus C7, spec CA-38). The error text of a refusal is ready for the model.
 */
export interface Gate {
  /**
   * The path, with links resolved, that a path of the call led to when the call was authorized.
   * Exactly this path is opened (spec CA-37). Undefined for a path that the call did not name.
   */
  realPath(written: string): string | undefined;
  authorize(touch: Touch): Promise<Outcome<void>>;
  /** Authorizes an address that an authorized host resolved to. Only rules that name it apply. */
  authorizeAddress(url: string): Promise<Outcome<void>>;
  /** Which files below `folder` (absolute, links resolved) a search may return. Undefined: all. */
  filterBelow(folder: string): SearchFilter | undefined;
}

export interface Touch {
  readonly capability: 'fs.read' | 'fs.write' | 'net.fetch';
  /** An absolute path with every link resolved, or a URL. */
  readonly target: string;
  /** Set for an opened file with more than one name (hard links). */
  readonly inode?: Inode;
  /** The text that is handed out, if it comes from a document of the editor that isn't saved. */
  readonly unsaved?: string;
}

/**
 * File access by bytes. Paths are as the model wrote them; relative ones start at `folders.cwd`
 * (spec CS-5).
 */
export interface FileSystem {
  /** Makes the path absolute without resolving links. */
  absolute(path: string): string;
  /** Opens the file, authorizes the opened file and returns its facts. */
  stat(path: string): Promise<Outcome<FileFacts>>;
  /**
   * The text as the user sees it: a dirty document takes precedence over the disk. Fails for binary
   * files.
   */
  readText(path: string): Promise<Outcome<TextFile>>;
  /**
   * Like `readText`, for a file that the call replaces: needs only `fs.write`. Undefined: there is
   * no such file.
   */
  readForChange(path: string): Promise<Outcome<TextFile | undefined>>;
  /** Part of the file on disk; without `start`, from the beginning. At most `max` bytes. */
  readBytes(path: string, range: ByteRange): Promise<Outcome<FileBytes>>;
  /**
   * Replaces parts of a file that was read and keeps every other byte. Atomic. Fails with a
   * conflict when the file or document changed since it was read (spec CR-3).
   */
  splice(file: TextFile, spans: readonly Span[]): Promise<Outcome<void>>;
  /**
   * Creates a file, which must not exist yet, and its parent folders. Uses the encoding the editor
   * names.
   */
  create(path: string, text: string): Promise<Outcome<{ readonly path: string }>>;
  /**
   * Deletes a file that was read. Fails with a conflict when it changed since, or has unsaved
   * changes.
   */
  remove(file: TextFile): Promise<Outcome<void>>;
  /** Runs `work` while no other call in this process changes one of these files (spec CR-3). */
  exclusively<Data>(
    paths: readonly string[],
    work: () => Promise<Outcome<Data>>,
  ): Promise<Outcome<Data>>;
}

/** Searches below a folder. Dirty and unsaved documents take the place of what is on disk. */
export interface Search {
  /** Names below `directory`, separated by `/`, newest first. Ignore files are honored. */
  files(query: FilesQuery): Promise<Outcome<readonly string[]>>;
  /** Matching lines; stops at `limit` + 1 matches. Ignore files are honored. */
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

/** Disposing it returns its memory for the next large file; don't use its bytes after that. */
export interface TextFile extends Disposable {
  /** Absolute, every link resolved. */
  readonly path: string;
  /** The text as UTF-8, without a byte order mark. */
  readonly utf8: Buffer;
  /** The bytes on disk; absent when the text comes from a dirty document. */
  readonly raw?: Buffer;
  readonly encoding: TextEncoding;
  /** Cheap to compare: equal as long as the file on disk is the one that was read. */
  readonly stamp: string;
  /** SHA-256 of the bytes on disk, or of a dirty document's text, as hex. */
  hash(): string;
  /** The dirty document this text came from. */
  readonly document?: OpenDocument;
}

export interface TextEncoding {
  /** `utf8`, `utf16le`, `utf16be` or a legacy name as VS Code and iconv-lite spell it. */
  readonly name: string;
  /** Length of the byte order mark in bytes. */
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
  /** Bytes of output kept in memory; longer output also goes to a sidecar. */
  readonly outputBytes: number;
  readonly background: boolean;
  readonly atLimit?: DecideAtLimit;
}

export interface ShellResult {
  /** Standard output and standard error in order of arrival, cut at a character boundary. */
  readonly output: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly ended: 'exit' | 'timeout' | 'abort' | 'background';
  readonly truncated: boolean;
  /** The file with the complete output; absent when nothing was cut or it could not be written. */
  readonly outputPath?: string;
  /** The end of an output that was cut. */
  readonly outputEnd?: string;
  /** Warnings for the model, such as that the disk is full. */
  readonly notes: readonly string[];
  readonly terminalId: string;
  /** Processes that the command left running; they are killed when the session ends. */
  readonly left: readonly LeftProcess[];
}

export interface LeftProcess {
  readonly pid: number;
  readonly command: string;
}

/** Displays the output of a running command; the host forwards it to the editor's pane. */
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
  /** Authorizes each hop before connecting to it. */
  fetch(request: NetRequest): Promise<Outcome<NetResponse>>;
}

export interface NetRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Methods other than GET, HEAD and POST are only for declared tools. */
  readonly method?: string;
  readonly body?: string;
  /**
   * `refuse`: fail on a redirect, so that secrets in the request don't reach another host. Default:
   * follow.
   */
  readonly redirect?: 'follow' | 'refuse';
  /** Limit for the decoded body, in bytes. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /**
   * Skips authorization of the host: the user configured this provider, so the tool may reach it
   * even where the model may not fetch (spec C-10).
   */
  readonly configuredHost?: boolean;
}

export interface NetResponse {
  /** The URL after all redirects. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** Files of this session that hold output too long for a result (spec C-44 to C-47). */
export interface Sidecars {
  /** Writes a file that only this session may read, and returns its path. */
  write(name: string, content: string | Buffer): Promise<Outcome<string>>;
}

/** The client's open documents. Absent when the client has none: the disk is authoritative. */
export interface ClientFiles {
  /**
   * All open documents, including new unsaved ones (`path` null). With `paths`, only those, plus
   * files that are not open but have an encoding set in the editor.
   */
  documents(paths?: readonly string[]): Promise<readonly OpenDocument[]>;
  readText(path: string): Promise<string>;
  /**
   * Replaces a dirty document's text. Fails with a conflict when its version is no longer
   * `baseVersion`.
   */
  writeText(path: string, text: string, baseVersion?: number): Promise<Outcome<void>>;
}

/** Another ACP client's terminals, used only when the client does not display our panes. */
export interface ClientTerminals {
  run(request: {
    readonly command: string;
    readonly args: readonly string[];
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly outputByteLimit: number;
    readonly signal: AbortSignal;
    /**
     * Called with the terminal's id as soon as it exists: the client must display it before it is
     * released.
     */
    readonly onStart?: (terminalId: string) => void;
  }): Promise<{
    readonly terminalId: string;
    readonly output: string;
    readonly truncated: boolean;
    readonly exitCode: number | null;
    readonly signal: string | null;
  }>;
}
