import type { TerminalEvent } from '../../acp/gatehouse/terminal.ts';
import { toOutputEnd } from '../../base/text/outputText.ts';
import {
  IN_BACKGROUND,
  type StateChange,
  type ToolItem,
} from '../../webview/messages/chatState.ts';
import type { ChatSession } from './chatSession.ts';
import { OUTPUT_EXCERPT } from './toolItem.ts';

/** Characters of each output that are kept here: redrawn lines take more than they show. */
const KEPT = OUTPUT_EXCERPT * 4;

/** Shows what running commands print on their cards. */
export class LiveOutputs {
  readonly #sessions: () => readonly ChatSession[];
  readonly #texts = new Map<string, { readonly raw: string; readonly cut: boolean }>();

  constructor(sessions: () => readonly ChatSession[]) {
    this.#sessions = sessions;
  }

  /** Applies an event of a command's terminal. The host sends one per frame at most. */
  receive(event: TerminalEvent): void {
    const { terminalId } = event;
    if (event.event === 'opened') this.#texts.set(terminalId, { raw: '', cut: false });
    if (event.event === 'output') {
      const known = this.#texts.get(terminalId) ?? { raw: '', cut: false };
      const raw = known.raw + event.data;
      this.#texts.set(terminalId, {
        raw: raw.slice(-KEPT),
        cut: known.cut || raw.length > KEPT,
      });
    }
    this.#show(terminalId);
    if (event.event === 'closed') {
      this.#texts.delete(terminalId);
      this.#close(terminalId, event.signal ?? event.exitCode);
    }
  }

  #show(terminalId: string): void {
    const found = this.#find(terminalId);
    const printed = this.#texts.get(terminalId);
    if (found === undefined || printed === undefined) return;
    const { session, item } = found;
    const { text, cut } = toOutputEnd(printed.raw, OUTPUT_EXCERPT);
    if (text === item.output || (text === '' && printed.raw === '')) return;
    const change = toDelta(item.output, text);
    session.apply({ type: 'output', id: item.id, ...change, cut: cut || printed.cut });
  }

  /** The result of a command in the background came when it went there; this is its end. */
  #close(terminalId: string, ended: number | string | undefined): void {
    const found = this.#find(terminalId);
    if (found?.item.ended !== IN_BACKGROUND || ended === undefined) return;
    found.session.apply({ type: 'item', item: { ...found.item, ended } });
  }

  #find(terminalId: string) {
    for (const session of this.#sessions()) {
      const item = session.withTerminal(terminalId);
      if (item !== undefined) return isLive(item) ? { session, item } : undefined;
    }
    return undefined;
  }
}

/** Whether a command still prints. */
function isLive({ status, ended }: ToolItem): boolean {
  return status === 'in_progress' || ended === IN_BACKGROUND;
}

/** Characters by which the texts are aligned. */
const PROBE = 80;

/** What changes the shown text into the next one: less at the start, and another end. */
export function toDelta(
  shown: string,
  next: string,
): Pick<Extract<StateChange, { type: 'output' }>, 'drop' | 'keep' | 'text'> {
  const drop = Math.max(0, shown.indexOf(next.slice(0, PROBE)));
  const longest = Math.min(shown.length - drop, next.length);
  let keep = 0;
  while (keep < longest && shown.charCodeAt(drop + keep) === next.charCodeAt(keep)) keep += 1;
  return keep === 0 ? { drop: 0, keep: 0, text: next } : { drop, keep, text: next.slice(keep) };
}
