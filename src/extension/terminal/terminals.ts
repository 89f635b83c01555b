import type * as vscode from 'vscode';
import type { TerminalEvent } from '../../acp/gatehouse/terminal.ts';
import { type Clock, FRAME } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import { getMessage } from '../../base/faults.ts';
import type { TerminalInput } from '../../base/terminalInput.ts';
import { toVisible } from '../../base/text/visibleText.ts';
import type { Translate } from '../text/translate.ts';
import type { TypedCommand } from './runInTerminal.ts';
import { TerminalFilter } from './terminalText.ts';

type Opened = Extract<TerminalEvent, { readonly event: 'opened' }>;

export interface TerminalParts {
  readonly window: Pick<typeof vscode.window, 'createTerminal'>;
  readonly clock: Clock;
  readonly t: Translate;
  /** Sends input to the command in the host. Rejects if the command doesn't take it. */
  send(input: TerminalInput): Promise<unknown>;
  /** Called when the user types into a pane. */
  onInput(): void;
}

/** Maximum scrollback in characters. The session's folder keeps the complete output. */
const SCROLLBACK = 200_000;
/** Maximum number of panes to keep; the oldest ended ones are dropped. */
const KEPT = 50;

/** Terminal panes of the commands that run in the host. No pane opens automatically. */
export class Terminals implements Disposable {
  readonly #parts: TerminalParts;
  readonly #views = new Map<string, TerminalView>();
  #typed = false;

  constructor(parts: TerminalParts) {
    this.#parts = parts;
  }

  /** Applies a terminal event from the host. */
  receive(event: TerminalEvent): void {
    const view = this.#view(event.terminalId);
    switch (event.event) {
      case 'opened':
        view.opened(event);
        break;
      case 'output':
        view.write(event.data);
        break;
      case 'closed':
        view.closed(event.exitCode, event.signal);
        break;
    }
  }

  /** Opens the pane, which takes what the user types. An unknown id gets an empty one. */
  show(id: string): void {
    this.#view(id).show();
  }

  /** Ends commands, and all that they started. */
  stop(ids: readonly string[]): void {
    for (const terminalId of ids) this.#send({ terminalId, signal: 'kill' });
  }

  /** Lets the turn go on while commands run. */
  background(ids: readonly string[]): void {
    for (const terminalId of ids) this.#send({ terminalId, background: true });
  }

  /** The command of a terminal of this window. */
  command(id: string): TypedCommand | undefined {
    return this.#views.get(id)?.command;
  }

  /** A command that ended meanwhile needs nothing any more. */
  #send(input: TerminalInput): void {
    this.#parts.send(input).catch(() => undefined);
  }

  /** The id of the newest command's terminal, for *Show Terminal*. */
  get latest(): string | undefined {
    return [...this.#views.keys()].at(-1);
  }

  dispose(): void {
    for (const view of this.#views.values()) view.dispose();
    this.#views.clear();
  }

  /** True once: what is said about input is said to the first who types. */
  #firstInput(): boolean {
    const first = !this.#typed;
    this.#typed = true;
    return first;
  }

  #view(id: string): TerminalView {
    const known = this.#views.get(id);
    if (known !== undefined) return known;
    for (const [old, view] of this.#views) {
      if (this.#views.size < KEPT) break;
      if (view.idle) this.#views.delete(old);
    }
    const view = new TerminalView(id, this.#parts, () => this.#firstInput());
    this.#views.set(id, view);
    return view;
  }
}

/** A pane: a bounded text in a pseudoterminal, written at most once per frame. */
class TerminalView implements Disposable {
  readonly #id: string;
  readonly #parts: TerminalParts;
  readonly #filter = new TerminalFilter();
  readonly #isFirstInput: () => boolean;
  command: TypedCommand | undefined;
  #title: string;
  #text = '';
  #unsent = '';
  #ended = false;
  #line = '';
  #timer: Disposable | undefined;
  #writer: Emitter<string> | undefined;
  #terminal: vscode.Terminal | undefined;

  constructor(id: string, parts: TerminalParts, isFirstInput: () => boolean) {
    this.#id = id;
    this.#isFirstInput = isFirstInput;
    this.#parts = parts;
    this.#title = parts.t('Command');
  }

  /** The command has ended and the pane is not open. */
  get idle(): boolean {
    return this.#ended && this.#terminal === undefined;
  }

  /** Shows the command at the top, because the agent may have chosen the title. */
  opened({ title, command = '', cwd }: Opened): void {
    if (title !== '') this.#title = title;
    if (command === '') return;
    this.command = { command, ...(cwd !== undefined && { cwd }) };
    const line = toVisible(command).text.replaceAll('\n', '\r\n  ');
    this.#append(`\u001B[2m$ ${line}\u001B[0m\r\n`);
  }

  write(data: string): void {
    this.#append(this.#filter.push(data));
  }

  closed(exitCode: number | undefined, signal: string | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    const { t } = this.#parts;
    const words =
      signal === undefined
        ? t('Ended with exit code {0}.', exitCode ?? '?')
        : t('Terminated by signal {0}.', signal);
    this.#append(`\r\n\u001B[2m${words}\u001B[0m\r\n`);
  }

  show(): void {
    this.#terminal ??= this.#create();
    this.#terminal.show();
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#writer?.dispose();
    this.#terminal?.dispose();
  }

  #create(): vscode.Terminal {
    const writer = new Emitter<string>();
    this.#writer = writer;
    const pty: vscode.Pseudoterminal = {
      onDidWrite: writer.event,
      open: () => {
        this.#unsent = '';
        writer.fire(this.#text);
      },
      close: () => {
        this.#writer = undefined;
        this.#terminal = undefined;
      },
      handleInput: (keys) => this.#input(keys),
    };
    const name = this.#title.split('\n')[0]?.slice(0, 40) ?? '';
    return this.#parts.window.createTerminal({ name: `Gatehouse: ${name}`, pty });
  }

  #append(text: string): void {
    if (text === '') return;
    this.#text = (this.#text + text).slice(-SCROLLBACK);
    if (this.#writer === undefined) return;
    this.#unsent = (this.#unsent + text).slice(-SCROLLBACK);
    this.#timer ??= this.#parts.clock.after(FRAME, () => {
      this.#timer = undefined;
      const data = this.#unsent;
      this.#unsent = '';
      this.#writer?.fire(data);
    });
  }

  /** Writes a line of our own. */
  #say(words: string): void {
    this.#append(`\u001B[2m${words}\u001B[0m\r\n`);
  }

  #sayHowToType(): void {
    const { t } = this.#parts;
    this.#say(
      t(
        'The program is not connected to a terminal: a line is sent with Enter. Ctrl+C interrupts the program, Ctrl+D ends its input.',
      ),
    );
  }

  #signal(signal: 'SIGINT' | 'EOF'): void {
    const { send } = this.#parts;
    // A command that has ended needs none.
    send({ terminalId: this.#id, signal }).catch(() => undefined);
  }

  #input(keys: string): void {
    this.#parts.onInput();
    if (this.#ended) return;
    if (this.#isFirstInput()) this.#sayHowToType();
    for (const key of keys) this.#key(key);
  }

  /** The program's stdin is a pipe, so lines are edited here and sent on Enter. */
  #key(key: string): void {
    const terminalId = this.#id;
    if (key === '\u0003') this.#signal('SIGINT');
    else if (key === '\u0004') this.#signal('EOF');
    else if (key === '\r') {
      const sent = this.#parts.send({ terminalId, data: `${this.#line}\n` });
      sent.catch((error: unknown) => this.#say(getMessage(error).replace(/^Invalid params: /, '')));
      this.#line = '';
      this.#append('\r\n');
    } else if (key === '\u007F') {
      if (this.#line === '') return;
      this.#line = this.#line.slice(0, -1);
      this.#append('\b \b');
    } else if (key >= ' ') {
      this.#line += key;
      this.#append(key);
    }
  }
}
