import type * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';

/** Characters of a command's output that are kept; its end says what went wrong. */
const MOST = 64 * 1024;
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what terminals are sent.
const CONTROL = /\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b\[[0-?]*[ -/]*[@-~]|\u001b./g;

export type ShellEvents = Pick<
  typeof vscode.window,
  'onDidStartTerminalShellExecution' | 'onDidEndTerminalShellExecution'
>;

/** The last command of the user's terminals and what it printed, where shell integration tells it. */
export class TerminalOutput implements Disposable {
  readonly #listeners: readonly Disposable[];
  #execution: vscode.TerminalShellExecution | undefined;
  #text = '';
  #exitCode: number | undefined;

  constructor(events: ShellEvents) {
    this.#listeners = [
      events.onDidStartTerminalShellExecution(({ execution }) => void this.#read(execution)),
      events.onDidEndTerminalShellExecution(({ execution, exitCode }) => {
        if (execution === this.#execution) this.#exitCode = exitCode;
      }),
    ];
  }

  /** The command line. */
  get last(): string | undefined {
    return this.#execution?.commandLine.value;
  }

  /** Undefined while it runs, and if the shell doesn't tell. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  /** The command with its output and exit code. */
  describe(): string {
    const text = this.#text.replace(CONTROL, '').replace(/\r\n?/g, '\n').trimEnd();
    const end = this.#exitCode === undefined ? '' : `\n[exit code ${this.#exitCode}]`;
    return `$ ${this.last ?? ''}\n${text}${end}`;
  }

  dispose(): void {
    for (const listener of this.#listeners) listener.dispose();
  }

  async #read(execution: vscode.TerminalShellExecution): Promise<void> {
    this.#execution = execution;
    this.#text = '';
    this.#exitCode = undefined;
    for await (const data of execution.read()) {
      if (this.#execution !== execution) return;
      this.#text = (this.#text + data).slice(-MOST);
    }
  }
}
