export interface ToolDiff {
  readonly path: string;
  /** The display form of the path, relative to the workspace folder if possible. */
  readonly label: string;
  readonly added: number;
  readonly removed: number;
  readonly created: boolean;
  /** At most 20 rows. */
  readonly rows: readonly DiffRow[];
  readonly more: number;
}

export interface DiffRow {
  readonly sign: '+' | '-' | ' ';
  readonly text: string;
}
