/** What the connected client supports. */
export interface ClientView {
  /** It displays our terminals, through our panes or its own `terminal/*`. */
  readonly terminals: boolean;
  /** It displays transient notices, such as a pending retry. */
  readonly notices: boolean;
  /** It displays that the context was compacted. */
  readonly compaction: boolean;
}
