export interface FilesQuery {
  readonly directory: string;
  readonly pattern: string;
  readonly hidden?: boolean;
}

export interface GrepQuery {
  readonly pattern: string;
  readonly directory: string;
  readonly include?: string;
  /** Number of lines before and after each match. */
  readonly context?: number;
  readonly ignoreCase?: boolean;
  readonly hidden?: boolean;
  readonly output: 'content' | 'files' | 'count';
  readonly limit: number;
}

export interface GrepRow {
  readonly path: string;
  /** 1-based; 0 for rows of `files`. */
  readonly line: number;
  readonly text: string;
  /** Set on a context line; absent on a match. */
  readonly context?: true;
}

export interface GrepResult {
  readonly rows: readonly GrepRow[];
  /** There are more than `limit` matches. */
  readonly more: boolean;
  /** ripgrep's messages about files that could not be searched. */
  readonly notes: readonly string[];
}
