import type { Disposable } from '../base/disposable.ts';
import type { PendingManifest } from '../base/tools/toolRow.ts';
import type { Tool } from './contract.ts';

/** The source of the host's own tools, the only one that may offer locked ids. */
export const BUILT_IN = 'built-in';

/** What the tools of a session depend on. Plain data: sources are asked again when it changes. */
export interface SourceSession {
  readonly id: string;
  /** The name of the session's agent definition. */
  readonly agent: string;
  /** The workspace folders. Absolute. */
  readonly folders: readonly string[];
  /** False: a source must not touch the workspace's files, not even to look at their dates. */
  readonly trusted: boolean;
  /** Hosts of the web search providers that the user set up. */
  readonly searchHosts: readonly string[];
  /** Milliseconds for a declared tool whose manifest names no limit. */
  readonly timeoutMs: number;
  /** False: a declared tool that requires confirmation runs unasked when a rule allows it. */
  readonly confirmExternalActions: boolean;
}

/** Where tools come from: the host itself, manifests, servers. */
export interface ToolSource {
  /** Unique among the sources; users see it in the list of tools. */
  readonly id: string;
  /** May reject: the source's tools are then not offered, and the user sees why. */
  tools(session: SourceSession): Promise<ToolOffer>;
  /** Fires when what `tools` resolved to before may no longer hold. */
  onDidChange(listener: () => void): Disposable;
}

/** What one source has for one session. */
export interface ToolOffer {
  readonly tools: readonly OfferedTool[];
  readonly notOffered: readonly NotOffered[];
  /** Files whose tools wait for the user's acceptance. */
  readonly pending: readonly PendingManifest[];
  /**
   * Whether the offer still holds, by a cheap look at what it was made from: a catalog that keeps
   * offers asks before each use. Absent: it holds until `onDidChange`.
   */
  isCurrent?(): Promise<boolean>;
}

/** Where a tool was declared. Absent for tools that no file declares. */
export interface ToolOrigin {
  /** Absolute. */
  readonly file?: string;
  /** RFC 6901, of the entry in the file. */
  readonly pointer?: string;
}

export interface OfferedTool extends ToolOrigin {
  readonly tool: Tool;
}

/** A tool that no model gets, and why, for the user. */
export interface NotOffered extends ToolOrigin {
  /** As written; the source's id when none of its tools can be named. */
  readonly id: string;
  readonly why: string;
}

/** `onDidChange` of a source that never changes by itself. */
export function neverChanges(): Disposable {
  return { dispose: () => undefined };
}
