/** Every tool the host knows, and the manifests that wait for acceptance. */
export interface ToolListing {
  readonly tools: readonly ToolRow[];
  readonly pending: readonly PendingManifest[];
}

/** A tool as listed by the host. */
export interface ToolRow {
  readonly id: string;
  /** The id that settings may still name it by. */
  readonly formerId?: string;
  /** The id of the tool source: `built-in`, `declared`. */
  readonly source: string;
  /** The MCP server that it belongs to. */
  readonly server?: string;
  /** Whether the user is signed in to that server, if it wants that. */
  readonly signIn?: 'needed' | 'done';
  readonly kind: string;
  readonly description: string;
  readonly requires: object;
  /** JSON Schema of the arguments. */
  readonly parameters: object;
  readonly state: 'offered' | 'disabled' | 'not offered';
  /** Why the tool is not offered to the model. */
  readonly why?: string;
  /** The error of its last failed call in this session. */
  readonly lastError?: string;
  /** The file that declares it. */
  readonly file?: string;
  /** JSON pointer (RFC 6901) to the entry in the file. */
  readonly pointer?: string;
}

/** A manifest whose tools wait for the user's acceptance. */
export interface PendingManifest {
  readonly file: string;
  /** The name of an MCP server. The entry is about the server itself, or about tools of it. */
  readonly server?: string;
  /** Covers the manifest and everything it runs, in their current state. */
  readonly hash: string;
  readonly tools: readonly {
    readonly id: string;
    readonly runs: string;
    /** False if it reaches only the host that its manifest names. */
    readonly reachesAnyHost: boolean;
    /** Of an MCP server: the hosts that it reaches. In the sandbox only, where `reachesAnyHost` is true. */
    readonly hosts?: readonly string[];
    readonly description: string;
    /** JSON Schema of the arguments. Absent: the file has it, or it is too large to be sent. */
    readonly parameters?: object;
  }[];
}
