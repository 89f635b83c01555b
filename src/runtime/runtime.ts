import type { ToolDisplay } from '../base/chunk.ts';
import type { Outcome } from '../base/outcome.ts';
import type { Places } from '../permissions/policy.ts';

/** The only way a tool reaches the world (C-6). Made by the host, one for each call. */
export interface Runtime {
  readonly fs: FileSystem;
  readonly shell: Shell;
  readonly net: Net;
  readonly session: SessionServices;
  readonly places: Places;
  readonly limits: Limits;
  readonly signal: AbortSignal;
}

/** Numbers a host may tune (`gatehouse.limits.*`); the shape never changes (C-49). Bytes, milliseconds, counts. */
export interface Limits {
  readonly readBytes: number;
  readonly globEntries: number;
  readonly grepMatches: number;
  readonly bashBytes: number;
  readonly webFetchBytes: number;
  readonly bashTimeoutMs: number;
  readonly toolTimeoutMs: number;
  readonly webSearchCalls: number;
  readonly webSearchTimeoutMs: number;
  readonly webFetchTimeoutMs: number;
  readonly turnSteps: number;
  readonly modelFirstChunkMs: number;
  readonly modelChunkMs: number;
  readonly modelRetries: number;
}

/** Open documents of the client (`_gatehouse/documents`, ACP `fs/*`). Absent: the disk is the truth. */
export interface ClientFiles {
  /** Dirty documents, new unsaved ones too (`path` null). Without `paths`: all. */
  documents(paths?: readonly string[]): Promise<readonly OpenDocument[]>;
  readText(path: string): Promise<string>;
  /** Replaces a dirty document's text; a conflict when its version is no longer `baseVersion`. */
  writeText(path: string, text: string, baseVersion?: number): Promise<Outcome<void>>;
}

export interface OpenDocument {
  /** Absolute; null for a document that was never saved. */
  readonly path: string | null;
  readonly uri: string;
  readonly dirty: boolean;
  readonly version: number;
  readonly encoding: string;
  readonly eol: '\n' | '\r\n';
}

/** Another ACP client's terminals, used only when the client has no `_gatehouse/terminal` view. */
export interface ClientTerminals {
  run(request: {
    readonly command: string;
    readonly args: readonly string[];
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly outputByteLimit: number;
    readonly signal: AbortSignal;
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
  setTodo(items: readonly TodoItem[]): void;
  /** Undefined when no user is there (C-25). */
  readonly askQuestions?: (
    questions: readonly Question[],
    signal: AbortSignal,
  ) => Promise<Outcome<readonly (readonly string[])[]>>;
  /** Shows something of the running call: a terminal, a location, a text. */
  progress(display: ToolDisplay): void;
  /** A counter that lives as long as the session (`web_search` calls). */
  count(name: string): number;
}

export interface TodoItem {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  readonly priority?: 'high' | 'medium' | 'low';
}

export interface Question {
  readonly question: string;
  readonly header?: string;
  readonly options?: readonly { readonly label: string; readonly description?: string }[];
  readonly multi_select?: boolean;
}
