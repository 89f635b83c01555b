import { type Clock, systemClock } from '../base/clock.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { Emitter } from '../base/event.ts';
import { getMessage } from '../base/faults.ts';
import { failure, type Outcome } from '../base/outcome.ts';
import type { ServerAction } from '../base/tools/mcpServer.ts';
import { composeTools, type SessionTools } from './composeTools.ts';
import type { SourceSession, ToolOffer, ToolSource } from './toolSource.ts';

/** The tools of every session, from all sources. */
export interface ToolCatalog extends Disposable {
  /**
   * The current tools; ids in `disabled` are marked as disabled. Never rejects: a source that throws or
   * times out is listed as not offered. Returns the same object while nothing changed.
   */
  get(session: SourceSession, disabled?: readonly string[]): Promise<SessionTools>;
  /** Fires when the tools of a source may have changed. */
  onDidChange(listener: () => void): Disposable;
  /** Does what the user wants with a server of the session. */
  act(session: SourceSession, server: string, action: ServerAction): Promise<Outcome<void>>;
  getServerName: NonNullable<ToolSource['getServerName']>;
  /** What the servers of the session offer to the user besides tools. */
  content: NonNullable<ToolSource['content']>;
  /** Reads what `content` listed. */
  readContent: NonNullable<ToolSource['readContent']>;
  completeContent: NonNullable<ToolSource['completeContent']>;
  /** Drops what is kept for a session that ended. */
  drop(sessionId: string): void;
  /** Resolves when what the sources started has ended. */
  dispose(): Promise<void>;
}

/** How long a turn waits for one source, in milliseconds; longer than for the servers of one that starts some. */
const WAIT_MS = 5_000;
const AFTER_SERVERS_MS = 1_000;

export function createToolCatalog(
  sources: readonly ToolSource[],
  {
    clock = systemClock,
    waitMs = WAIT_MS,
  }: { readonly clock?: Clock; readonly waitMs?: number } = {},
): ToolCatalog {
  const sessions = new Map<string, Kept>();
  const changed = new Emitter<void>();
  const store = new DisposableStore();
  store.add(changed);
  for (const source of sources) {
    const onChange = () => {
      for (const { slots } of sessions.values()) slots.delete(source);
      changed.fire();
    };
    store.add(source.onDidChange(onChange));
  }

  async function get(session: SourceSession, disabled: readonly string[] = []) {
    const kept: Kept = sessions.get(session.id) ?? { slots: new Map() };
    sessions.set(session.id, kept);
    const withServers = Math.max(waitMs, (session.mcp?.startMs ?? 0) + AFTER_SERVERS_MS);
    const asked = sources.map((source) => {
      const wait = source.act === undefined ? waitMs : withServers;
      return inTime(source, session, kept, { clock, waitMs: wait });
    });
    const offers = await Promise.all(asked);
    const { last } = kept;
    const hidden = JSON.stringify(disabled);
    const isSame = offers.every((offer, index) => offer === last?.offers[index]);
    if (last && isSame && last.disabled === hidden) return last.composed;
    const named = sources.map(({ id }, index) => ({ source: id, offer: offers[index] ?? NOTHING }));
    const composed = composeTools(named, disabled);
    kept.last = { offers, disabled: hidden, composed };
    return composed;
  }

  return {
    get,
    onDidChange: changed.event,
    ...toServers(sources),
    drop: (sessionId) => {
      sessions.delete(sessionId);
      for (const source of sources) source.drop?.(sessionId);
    },
    dispose: async () => {
      store.dispose();
      sessions.clear();
      await Promise.all(sources.map((source) => source.dispose?.()));
    },
  };
}

/** What the user does with servers; one source has them. */
function toServers(
  sources: readonly ToolSource[],
): Pick<ToolCatalog, 'act' | 'getServerName' | 'content' | 'readContent' | 'completeContent'> {
  const found: Partial<ToolSource> = sources.find((each) => each.act !== undefined) ?? {};
  const { act, getServerName, content, readContent, completeContent } = found;
  const none = async () => failure<never>('No source of tools has servers.');
  return {
    act: act ?? none,
    getServerName: getServerName ?? (() => undefined),
    content: content ?? (async () => ({ resources: [], templates: [], prompts: [] })),
    readContent: readContent ?? none,
    completeContent: completeContent ?? none,
  };
}

/** The cache of one session. */
interface Kept {
  readonly slots: Map<ToolSource, Slot>;
  last?: {
    readonly offers: readonly ToolOffer[];
    readonly disabled: string;
    readonly composed: SessionTools;
  };
}

/** The newest offer of one source for one session; it may still be pending. */
interface Slot {
  /** The session data it was requested for, as JSON. */
  readonly request: string;
  offer: Promise<ToolOffer>;
  /** A wait timed out and the source has not answered yet. */
  isLate: boolean;
}

const NOTHING: ToolOffer = { tools: [], notOffered: [], pending: [] };

/** The source's offer; an offer with only a reason when the source fails or times out. */
function inTime(
  source: ToolSource,
  session: SourceSession,
  { slots }: Kept,
  { clock, waitMs }: { readonly clock: Clock; readonly waitMs: number },
): Promise<ToolOffer> {
  const words = JSON.stringify(session);
  const known = slots.get(source);
  const late = toFailure(
    source,
    `The source did not respond within ${waitMs / 1000} seconds. Its tools become available once it does.`,
  );
  // Only the first turn waits for a hanging source.
  if (known?.request === words && known.isLate) return Promise.resolve(late);
  const slot: Slot = {
    request: words,
    offer: refresh(source, session, known, words),
    isLate: false,
  };
  slots.set(source, slot);
  return new Promise((resolve) => {
    const timer = clock.after(waitMs, () => {
      slot.isLate = true;
      resolve(late);
    });
    const settle = (offer: ToolOffer) => {
      timer.dispose();
      slot.isLate = false;
      resolve(offer);
    };
    slot.offer.then(settle, (fault: unknown) => {
      // Failures are not cached: the next turn tries again.
      if (slots.get(source) === slot) slots.delete(source);
      settle(toFailure(source, getMessage(fault)));
    });
  });
}

/** The cached offer while it is current, else a new one. */
async function refresh(
  source: ToolSource,
  session: SourceSession,
  known: Slot | undefined,
  words: string,
): Promise<ToolOffer> {
  if (known?.request === words) {
    const offer = await known.offer.catch(() => undefined);
    if (offer !== undefined && (await isCurrent(offer))) return offer;
  }
  return source.tools(session);
}

/** An offer whose check fails is outdated. */
async function isCurrent(offer: ToolOffer): Promise<boolean> {
  try {
    return (await offer.isCurrent?.()) ?? true;
  } catch {
    return false;
  }
}

function toFailure({ id }: ToolSource, why: string): ToolOffer {
  return { ...NOTHING, notOffered: [{ id, why: `The tools of "${id}" are not offered. ${why}` }] };
}
