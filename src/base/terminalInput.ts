/** What the user does in the pane of a command. */
export interface TerminalInput {
  readonly terminalId: string;
  readonly data?: string;
  readonly signal?: 'SIGINT' | 'EOF' | 'kill';
  /** The turn goes on while the command keeps running. */
  readonly background?: boolean;
}
