export interface ToolDiff {
  readonly path: string;
  /** The display form of the path, relative to the workspace folder if possible. */
  readonly label: string;
  readonly added: number;
  readonly removed: number;
  readonly created: boolean;
  readonly deleted?: true;
  /** A document of its own, such as a plan: the rows are its lines. */
  readonly document?: true;
  /** At most 20 lines, with gaps between them. */
  readonly rows: readonly DiffRow[];
  /** Number of omitted lines. */
  readonly more: number;
}

export type DiffRow = DiffLine | DiffGap;

export interface DiffLine {
  readonly sign: '+' | '-' | ' ';
  readonly text: string;
}

/** Stands for unchanged lines between two changes. */
export interface DiffGap {
  readonly sign: 'gap';
  /** Absent if it is not known. */
  readonly lines?: number;
}
