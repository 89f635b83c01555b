/** Every tool the host knows, and the manifests that wait. */
export interface ToolListing {
  readonly tools: readonly ToolRow[];
  readonly pending: readonly PendingManifest[];
}

/** One tool as the host lists it. */
export interface ToolRow {
  readonly id: string;
  /** The id of the tool source: `built-in`, `declared`. */
  readonly source: string;
  readonly kind: string;
  readonly description: string;
  readonly requires: object;
  /** JSON Schema of the arguments. */
  readonly parameters: object;
  readonly state: 'offered' | 'disabled' | 'not offered';
  /** Why it is not offered. */
  readonly why?: string;
  /** What its last call in this session failed with. */
  readonly lastError?: string;
  /** Where it was declared. */
  readonly file?: string;
  /** RFC 6901, of the entry in the file. */
  readonly pointer?: string;
}

/** A manifest whose tools wait for the user's yes. */
export interface PendingManifest {
  readonly file: string;
  /** Covers the manifest and everything it runs, as they are now. */
  readonly hash: string;
  readonly tools: readonly {
    readonly id: string;
    readonly runs: string;
    readonly description: string;
  }[];
}
