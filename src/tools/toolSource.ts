import type { Disposable } from '../base/disposable.ts';
import type { Outcome } from '../base/outcome.ts';
import type { McpServer, ServerAction } from '../base/tools/mcpServer.ts';
import type {
  CompletionRequest,
  ContentPart,
  ContentRequest,
  ServerContent,
} from '../base/tools/serverContent.ts';
import type { PendingManifest } from '../base/tools/toolRow.ts';
import type { Tool } from './contract.ts';

/** The source of the host's own tools, the only one that may offer locked ids. */
export const BUILT_IN = 'built-in';

/** What the tools of a session depend on. Sources are queried again when its data change. */
export interface SourceSession {
  readonly id: string;
  /** The name of the session's agent definition. */
  readonly agent: string;
  /** The workspace folders. Absolute. */
  readonly folders: readonly string[];
  /** False: a source must not touch the workspace's files, not even to read their timestamps. */
  readonly trusted: boolean;
  /** Hosts of the configured web search providers. */
  readonly searchHosts: readonly string[];
  /** Time limit in milliseconds of a declared tool whose manifest sets none. */
  readonly timeoutMs: number;
  /** Time limit in milliseconds for one schema of a declared tool. */
  readonly schemaMs: number;
  /** False: a declared tool that requires confirmation runs without asking when a rule allows it. */
  readonly confirmExternalActions: boolean;
  /** Absent: none. */
  readonly mcp?: SessionServers;
  /** What rules hide from the session's servers. Absent: nothing. */
  readonly hidden?: HiddenFiles;
  /** False: the tools of the editor's other extensions are left out. Default: true. */
  readonly editorTools?: boolean;
}

/** The files that reading asks about or that may not be read. What runs beside the calls must not see them. */
export interface HiddenFiles {
  /** Another one when rules deny or ask about other files. */
  readonly id: string;
  /**
   * Looks for them by the rules of now, below the session's folders and below `others`. Absolute, links resolved. Fails
   * with a sentence.
   */
  find(others: readonly string[]): Promise<Outcome<readonly string[]>>;
}

/** The MCP servers of a session, apart from those that files of the workspace name. */
export interface SessionServers {
  /** The setting `gatehouse.mcp`, as written. */
  readonly configured: unknown;
  /** What the client gave for this session. */
  readonly servers: readonly McpServer[];
  /** How long a turn waits for servers that start, in milliseconds. Default: 4000. */
  readonly startMs?: number;
}

/** Where tools come from: the host itself, manifests, servers. */
export interface ToolSource {
  /** Unique among the sources; shown in the Tools view. */
  readonly id: string;
  /** May reject; the source's tools are then not offered, and the Tools view shows the reason. */
  tools(session: SourceSession): Promise<ToolOffer>;
  /** Fires when an earlier result of `tools` may be outdated. */
  onDidChange(listener: () => void): Disposable;
  /** Does what the user wants with a server of the session, by its name in rules. Absent: there are none. */
  act?(session: SourceSession, server: string, action: ServerAction): Promise<Outcome<void>>;
  /** The name that a server of the session was given, by its name in rules. Absent, or undefined: there is none. */
  getServerName?(session: SourceSession, server: string): string | undefined;
  /**
   * What the servers of the session offer to the user besides tools. `onlyRunning`: none is started for it.
   * Absent: there are none.
   */
  content?(session: SourceSession, onlyRunning?: boolean): Promise<ServerContent>;
  /** Reads what `content` listed. */
  readContent?(
    session: SourceSession,
    request: ContentRequest,
    signal: AbortSignal,
  ): Promise<Outcome<readonly ContentPart[]>>;
  /** Values that a server suggests for what the user types. */
  completeContent?(
    session: SourceSession,
    request: CompletionRequest,
    signal: AbortSignal,
  ): Promise<Outcome<readonly string[]>>;
  /** Ends what belongs to a session that ended. */
  drop?(sessionId: string): void;
  dispose?(): Promise<void>;
}

/** The tools of one source for one session. */
export interface ToolOffer {
  readonly tools: readonly OfferedTool[];
  readonly notOffered: readonly NotOffered[];
  /** Manifests that the user has not accepted yet. */
  readonly pending: readonly PendingManifest[];
  /**
   * Whether the offer is up to date, by a cheap check of its inputs. The catalog calls it before each
   * use of a cached offer. Absent: the offer is valid until `onDidChange`.
   */
  isCurrent?(): Promise<boolean>;
}

/** Where a tool was declared; empty for tools that no file declares. */
export interface ToolOrigin {
  /** Absolute. */
  readonly file?: string;
  /** JSON Pointer (RFC 6901) of the entry in the file. */
  readonly pointer?: string;
}

export interface OfferedTool extends ToolOrigin {
  readonly tool: Tool;
  /** The MCP server that it belongs to. */
  readonly server?: string;
  /** Whether the user is signed in to that server, if it wants that. */
  readonly signIn?: 'needed' | 'done';
}

/** A tool that is withheld from the model, with the reason for the user. */
export interface NotOffered extends ToolOrigin {
  /** As written; the source's id when its tools are unknown. */
  readonly id: string;
  /** The id that the model would call it by, if it is known and another one. */
  readonly calledAs?: string;
  /** The MCP server that it belongs to. */
  readonly server?: string;
  /** Whether the user is signed in to that server, if it wants that. */
  readonly signIn?: 'needed' | 'done';
  readonly why: string;
}

/** `onDidChange` of a source that never changes. */
export function neverChanges(): Disposable {
  return { dispose: () => undefined };
}
