import type * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';

/** The editor events that indicate typing. */
export type TypingEvents = Pick<
  typeof vscode.window,
  | 'onDidChangeTextEditorSelection'
  | 'onDidChangeActiveTextEditor'
  | 'onDidChangeTerminalState'
  | 'onDidStartTerminalShellExecution'
> &
  Pick<typeof vscode.workspace, 'onDidChangeTextDocument'> & {
    isActiveDocument(document: vscode.TextDocument): boolean;
  };

/** How long typing must have stopped before a quick pick may take focus, in milliseconds. */
export const REST = 1_000;
const KEYBOARD = 1;

/**
 * Tracks when the user last typed. The stable API does not report typing in terminals, so no quick
 * pick opens automatically after a terminal was used.
 */
export class TypingWatch implements Disposable {
  readonly #clock: Clock;
  readonly #store = new DisposableStore();
  #last = Number.NEGATIVE_INFINITY;
  #terminal = false;

  constructor(events: TypingEvents, clock: Clock) {
    this.#clock = clock;
    this.#store.add(
      events.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && events.isActiveDocument(document)) this.typed();
      }),
    );
    this.#store.add(
      events.onDidChangeTextEditorSelection(({ kind }) => {
        if (kind === KEYBOARD) this.typed();
        this.#terminal = false;
      }),
    );
    this.#store.add(
      events.onDidChangeActiveTextEditor((editor) => {
        if (editor !== undefined) this.#terminal = false;
      }),
    );
    this.#store.add(events.onDidChangeTerminalState(() => this.terminalUsed()));
    this.#store.add(events.onDidStartTerminalShellExecution(() => this.terminalUsed()));
  }

  /** Called when the user types in an editor or in the chat. */
  typed(): void {
    this.#last = this.#clock.now();
    this.#terminal = false;
  }

  terminalUsed(): void {
    this.#terminal = true;
  }

  get inTerminal(): boolean {
    return this.#terminal;
  }

  /** Milliseconds until a quick pick may open; 0 if it may open now. */
  get restLeft(): number {
    return Math.max(0, this.#last + REST - this.#clock.now());
  }

  dispose(): void {
    this.#store.dispose();
  }
}
