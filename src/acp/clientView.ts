/** What the client on the other end can show. */
export interface ClientView {
  /** It knows the terminals we name, through our panes or its own `terminal/*`. */
  readonly terminals: boolean;
  /** It shows live notices, such as a retry that is waited for. */
  readonly notices: boolean;
  /** It shows that the context was compacted. */
  readonly compaction: boolean;
}
