import type { TerminalEvent } from '../../acp/gatehouse/terminal.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { KB } from '../../base/units.ts';
import type { TerminalView } from '../../runtime/runtime.ts';

/** One frame of a 60 Hz screen, in milliseconds. */
const FRAME_MS = 16;
/** The most characters of one terminal that are sent in one frame. Nobody can read faster. */
const FRAME_CHARACTERS = 64 * KB;

/**
 * Sends the output of commands to the client's panes: at most one message per frame and terminal, none
 * while the previous one is in flight, and only the end of each frame when there is too much. The
 * sidecar holds every byte, so nothing is lost.
 */
export function createTerminalView(
  send: (event: TerminalEvent) => Promise<void>,
  clock: Clock = systemClock,
): TerminalView & Disposable {
  const panes = new Map<string, Pane>();

  function getPane(terminalId: string): Pane {
    const known = panes.get(terminalId) ?? new Pane(terminalId, send, clock);
    panes.set(terminalId, known);
    return known;
  }

  return {
    opened: ({ terminalId, title, command, cwd }) => {
      getPane(terminalId).send({ terminalId, event: 'opened', title, command, cwd });
    },
    output: (terminalId, data) => getPane(terminalId).output(data),
    closed({ terminalId, exitCode, signal }) {
      const pane = getPane(terminalId);
      panes.delete(terminalId);
      pane.flush();
      pane.send({
        terminalId,
        event: 'closed',
        ...(exitCode === null ? {} : { exitCode }),
        ...(signal === null ? {} : { signal }),
      });
    },
    dispose() {
      for (const pane of panes.values()) pane.dispose();
      panes.clear();
    },
  };
}

/** The pending output of one terminal. */
class Pane implements Disposable {
  readonly #terminalId: string;
  readonly #send: (event: TerminalEvent) => Promise<void>;
  readonly #clock: Clock;
  #waiting: Waiting = NOTHING;
  #timer: Disposable | undefined;
  /** Messages in flight. */
  #underway = 0;

  constructor(terminalId: string, send: (event: TerminalEvent) => Promise<void>, clock: Clock) {
    this.#terminalId = terminalId;
    this.#send = send;
    this.#clock = clock;
  }

  output(data: string): void {
    if (data === '') return;
    this.#waiting = append(this.#waiting, data);
    this.#schedule();
  }

  flush(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    if (this.#waiting.text === '') return;
    const data = toFrame(this.#waiting);
    this.#waiting = NOTHING;
    this.send({ terminalId: this.#terminalId, event: 'output', data });
  }

  send(event: TerminalEvent): void {
    this.#underway += 1;
    // Ignore errors of a closed connection; they are handled where the connection ends.
    const done = () => {
      this.#underway -= 1;
      if (this.#waiting.text !== '') this.#schedule();
    };
    this.#send(event).then(done, done);
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#waiting = NOTHING;
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#underway > 0) return;
    this.#timer = this.#clock.after(FRAME_MS, () => this.flush());
  }
}

interface Waiting {
  readonly text: string;
  /** Characters that were dropped from the front of this frame. */
  readonly skipped: number;
}

const NOTHING: Waiting = { text: '', skipped: 0 };

function append(waiting: Waiting, data: string): Waiting {
  const text = waiting.text + data;
  // Cut only at twice the frame size, so that many small pieces are not copied each time.
  if (text.length <= 2 * FRAME_CHARACTERS) return { text, skipped: waiting.skipped };
  const skipped = text.length - FRAME_CHARACTERS;
  return { text: text.slice(skipped), skipped: waiting.skipped + skipped };
}

function toFrame({ text, skipped }: Waiting): string {
  const over = Math.max(0, text.length - FRAME_CHARACTERS);
  const total = skipped + over;
  if (total === 0) return text;
  // Never start inside a surrogate pair.
  const start = /[\uDC00-\uDFFF]/.test(text.charAt(over)) ? over + 1 : over;
  return `\r\n… ${total} characters are not shown here …\r\n${text.slice(start)}`;
}
