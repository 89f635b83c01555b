/** Input from the pane of a command. */
export interface TerminalInput {
  readonly terminalId: string;
  readonly data?: string;
  readonly signal?: 'SIGINT' | 'EOF' | 'kill';
  /** Moves the command to the background, so that the turn continues. */
  readonly background?: boolean;
}
