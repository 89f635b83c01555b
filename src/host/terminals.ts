import { type Clock, systemClock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { KB } from '../base/units.ts';
import type { TerminalView } from '../runtime/runtime.ts';

/** One frame of a 60 Hz screen, in milliseconds. */
const FRAME_MS = 16;
/** The most text of one terminal that is sent in one frame, in characters. A reader sees no more. */
const FRAME_CHARACTERS = 64 * KB;

/** What `_gatehouse/terminal` carries (contract §3). Display only. */
export type TerminalEvent =
  | {
      readonly terminalId: string;
      readonly event: 'opened';
      readonly title: string;
      readonly cwd: string;
    }
  | { readonly terminalId: string; readonly event: 'output'; readonly data: string }
  | {
      readonly terminalId: string;
      readonly event: 'closed';
      readonly exitCode?: number;
      readonly signal?: string;
    };

/**
 * Sends what commands print to the client's panes: at most one message a frame and terminal, and
 * of a flood the end of each frame. The sidecar holds every byte, so nothing is lost here.
 */
export function createTerminalView(
  send: (event: TerminalEvent) => void,
  clock: Clock = systemClock,
): TerminalView & Disposable {
  const waiting = new Map<string, Waiting>();

  function flush(terminalId: string): void {
    const found = waiting.get(terminalId);
    waiting.delete(terminalId);
    if (found === undefined) return;
    found.timer.dispose();
    send({ terminalId, event: 'output', data: toFrame(found) });
  }

  return {
    opened: ({ terminalId, title, cwd }) => send({ terminalId, event: 'opened', title, cwd }),
    output(terminalId, data) {
      if (data === '') return;
      const found = waiting.get(terminalId) ?? {
        text: '',
        skipped: 0,
        timer: clock.after(FRAME_MS, () => flush(terminalId)),
      };
      waiting.set(terminalId, append(found, data));
    },
    closed({ terminalId, exitCode, signal }) {
      flush(terminalId);
      send({
        terminalId,
        event: 'closed',
        ...(exitCode === null ? {} : { exitCode }),
        ...(signal === null ? {} : { signal }),
      });
    },
    dispose() {
      for (const { timer } of waiting.values()) timer.dispose();
      waiting.clear();
    },
  };
}

interface Waiting {
  readonly text: string;
  /** Characters that were dropped from the front of this frame. */
  readonly skipped: number;
  readonly timer: Disposable;
}

function append(waiting: Waiting, data: string): Waiting {
  const text = waiting.text + data;
  // Twice the frame before cutting, so that a flood of small pieces is not copied for each piece.
  if (text.length <= 2 * FRAME_CHARACTERS) return { ...waiting, text };
  const skipped = text.length - FRAME_CHARACTERS;
  return { ...waiting, text: text.slice(skipped), skipped: waiting.skipped + skipped };
}

function toFrame({ text, skipped }: Waiting): string {
  const over = Math.max(0, text.length - FRAME_CHARACTERS);
  const total = skipped + over;
  if (total === 0) return text;
  // Never start inside a surrogate pair.
  const start = /[\uDC00-\uDFFF]/.test(text.charAt(over)) ? over + 1 : over;
  return `\r\n… ${total} characters are not shown here …\r\n${text.slice(start)}`;
}
