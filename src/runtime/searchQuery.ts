export interface FilesQuery {
  readonly directory: string;
  readonly pattern: string;
  readonly hidden?: boolean;
}

export interface GrepQuery {
  readonly pattern: string;
  readonly directory: string;
  readonly include?: string;
  /** Lines before and after each match. */
  readonly context?: number;
  readonly ignoreCase?: boolean;
  readonly hidden?: boolean;
  readonly output: 'content' | 'files' | 'count';
  readonly limit: number;
}

export interface GrepRow {
  readonly path: string;
  /** From 1; 0 for rows of `files`. */
  readonly line: number;
  readonly text: string;
  /** A line of context rather than a match. */
  readonly context?: true;
}

export interface GrepResult {
  readonly rows: readonly GrepRow[];
  /** Matches were left off after `limit` + 1. */
  readonly more: boolean;
  /** Files that could not be searched, as ripgrep says it. */
  readonly notes: readonly string[];
}
