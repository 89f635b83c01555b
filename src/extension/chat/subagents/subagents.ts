import type { Clock } from '../../../base/clock.ts';
import type { Disposable } from '../../../base/disposable.ts';
import type { ChatItem, StateChange } from '../../../webview/messages/chatState.ts';
import type { SubagentState } from '../../../webview/messages/subagents.ts';
import type { AcpConnection } from '../../host/connection.ts';
import type { HostLink } from '../../host/hostLink.ts';
import type { Translate } from '../../text/translate.ts';
import type { ChatSession } from '../chatSession.ts';
import type { Chats } from '../chats.ts';
import { describeError } from '../errorCard.ts';
import type { PathLabel } from '../toolItem.ts';
import { readSubagent } from './readSubagent.ts';

interface SubagentsParts {
  readonly chats: Pick<Chats, 'onDidChange'>;
  readonly link: Pick<HostLink, 'connection'>;
  readonly clock: Clock;
  readonly label: PathLabel;
  readonly t: Translate;
}

/** Milliseconds between two readings of a subagent that works, at least. */
const AGAIN_MS = 400;
/** The pause is so many times as long as the reading took, so that a long subagent slows nothing. */
const PAUSE = 4;
/** Subagents of a session whose conversation is kept. */
const MOST_KEPT = 20;

/** What the subagents of the sessions have done, loaded once a page shows it, and again whenever they go on. */
export class Subagents implements Disposable {
  readonly #parts: SubagentsParts;
  /** Those that are read or wait for it. The value: something has happened since the reading began. */
  readonly #readings = new WeakMap<ChatSession, Map<string, boolean>>();
  readonly #changes: Disposable;
  #disposed = false;

  constructor(parts: SubagentsParts) {
    this.#parts = parts;
    this.#changes = parts.chats.onDidChange(({ session, change }) => this.#note(session, change));
  }

  /** Loads a subagent that a card of the session, or of one of its subagents, shows. Any other is ignored. */
  show(session: ChatSession, subagent: string): void {
    if (isNamed(session, subagent)) this.#read(session, subagent);
  }

  dispose(): void {
    this.#disposed = true;
    this.#changes.dispose();
  }

  /** A card that changes tells that its subagent has gone on. */
  #note(session: ChatSession, change: StateChange): void {
    const { subagents } = session.state;
    if (subagents === undefined || !session.watched) return;
    const shown = Object.keys(subagents);
    if (change.type === 'reset') for (const each of shown) this.#read(session, each);
    if (change.type !== 'item' || change.item.kind !== 'tool') return;
    const { subagent } = change.item;
    if (subagent === undefined || !shown.includes(subagent)) return;
    // Those that it has started show no card here.
    for (const each of [subagent, ...listBelow(subagents, subagent)]) this.#read(session, each);
  }

  #read(session: ChatSession, subagent: string): void {
    const readings = this.#readings.get(session) ?? new Map<string, boolean>();
    this.#readings.set(session, readings);
    if (readings.has(subagent)) {
      readings.set(subagent, true);
      return;
    }
    readings.set(subagent, false);
    const { clock } = this.#parts;
    const begun = clock.now();
    void this.#load(session, subagent).finally(() => {
      clock.after(Math.max(AGAIN_MS, PAUSE * (clock.now() - begun)), () => {
        const again = readings.get(subagent) === true;
        readings.delete(subagent);
        if (again && !this.#disposed) this.#read(session, subagent);
      });
    });
  }

  async #load(session: ChatSession, subagent: string): Promise<void> {
    const { link, label, t } = this.#parts;
    try {
      const connection: Pick<AcpConnection, 'call'> = await link.connection();
      keep(session, subagent, await readSubagent(connection, subagent, session.state, label));
    } catch (error) {
      const before = session.state.subagents?.[subagent] ?? { items: [], left: 0 };
      const fault = t('Could not load what the subagent did: {0}', describeError(error));
      keep(session, subagent, { ...before, fault });
    }
  }
}

function keep(session: ChatSession, id: string, state: SubagentState): void {
  const { [id]: _, ...others } = session.state.subagents ?? {};
  const kept = [...Object.entries(others), [id, state] as const].slice(-MOST_KEPT);
  session.set({ subagents: Object.fromEntries(kept) });
}

/** Whether a card that the page can show names the subagent: the page may not read other sessions. */
function isNamed({ state }: ChatSession, subagent: string): boolean {
  const { items, subagents = {} } = state;
  const all = [items, ...Object.values(subagents).map((each) => each.items)];
  return all.some((each) => each.some((item) => toSubagent(item) === subagent));
}

function toSubagent(item: ChatItem): string | undefined {
  return item.kind === 'tool' ? item.subagent : undefined;
}

/** The loaded subagents that a subagent has started, and those below. Each is listed once, whatever is stored. */
function listBelow(
  subagents: Readonly<Record<string, SubagentState>>,
  subagent: string,
): readonly string[] {
  const found = new Set([subagent]);
  for (const id of found) {
    for (const item of subagents[id]?.items ?? []) {
      const below = toSubagent(item);
      if (below !== undefined && subagents[below] !== undefined) found.add(below);
    }
  }
  found.delete(subagent);
  return [...found];
}
