import type * as vscode from 'vscode';
import type { Translate } from '../text/translate.ts';

export interface RunInTerminalParts {
  readonly window: Pick<typeof vscode.window, 'createTerminal' | 'showInformationMessage'>;
  copy(text: string): PromiseLike<void>;
  readonly t: Translate;
}

/** A command as its terminal got it, or as its card shows it. */
export interface TypedCommand {
  readonly command: string;
  readonly cwd?: string;
}

/**
 * Opens a real terminal with the command typed. Only the user runs it: a line end would run what comes before
 * it, so a command of several lines is copied instead, and so is one that a shell could read as keys.
 */
export async function runInTerminal(
  { window, copy, t }: RunInTerminalParts,
  { command, cwd }: TypedCommand,
): Promise<void> {
  const line = command.trim();
  const terminal = window.createTerminal({ ...(cwd !== undefined && { cwd }) });
  terminal.show();
  if (!UNSAFE.test(line)) return terminal.sendText(line, false);
  await copy(line);
  void window.showInformationMessage(
    t('The command has several lines or hidden characters, so it was copied instead of typed.'),
  );
}

/** What a card does with its command. */
export type UseCommand = (
  how: 'stopCommand' | 'continueInBackground' | 'runInTerminal',
  card: { readonly terminals: readonly string[]; readonly command?: string } | undefined,
) => void;

/** Control characters are keys for a shell. `␣` marks what a card has written out. */
const UNSAFE = /\p{Cc}|\p{Cf}|␣/u;
