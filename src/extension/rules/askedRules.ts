import type { Emitter } from '../../base/event.ts';
import type { AskedRule } from '../../base/tools/ruleWindow.ts';
import type { Ask } from '../../webview/messages/asks.ts';

/** Rules that are kept for each session. */
const MOST = 50;
/** Sessions whose rules are kept. */
const SESSIONS = 20;

/** The pending requests of the window. */
interface PendingAsks {
  readonly pending: readonly { readonly sessionId: string; readonly ask: Ask }[];
  readonly onDidChange: Emitter<void>['event'];
}

/** The rules that permission requests offered to store, by session, so that settings files can complete them. */
export class AskedRules {
  readonly #asks: PendingAsks;
  /** The session that asked last at the end; its newest rule first. */
  readonly #bySession = new Map<string, readonly AskedRule[]>();
  #seen = new Set<string>();
  readonly #listening: { dispose(): void };

  constructor(asks: PendingAsks) {
    this.#asks = asks;
    this.#listening = asks.onDidChange(() => this.#look());
  }

  /** Each rule once: those of the session first, then of the others, newest first. */
  list(sessionId: string | undefined): readonly AskedRule[] {
    const own = sessionId === undefined ? [] : (this.#bySession.get(sessionId) ?? []);
    const all = [...own, ...[...this.#bySession.values()].toReversed().flat()];
    const keys = all.map((rule) => JSON.stringify(rule));
    return all.filter((_, at) => keys.indexOf(keys[at] ?? '') === at);
  }

  dispose(): void {
    this.#listening.dispose();
  }

  #look(): void {
    const fresh = this.#asks.pending.filter(({ ask }) => !this.#seen.has(ask.id));
    this.#seen = new Set(this.#asks.pending.map(({ ask }) => ask.id));
    for (const { sessionId, ask } of fresh) {
      if (ask.kind === 'permission') this.#keep(sessionId, toRules(ask.offers));
    }
  }

  #keep(sessionId: string, rules: readonly AskedRule[]): void {
    const known = this.#bySession.get(sessionId) ?? [];
    this.#bySession.delete(sessionId);
    this.#bySession.set(sessionId, [...rules, ...known].slice(0, MOST));
    const [oldest] = this.#bySession.keys();
    if (this.#bySession.size > SESSIONS && oldest !== undefined) this.#bySession.delete(oldest);
  }
}

interface Offers {
  readonly allow: readonly Part[];
  readonly deny: readonly Part[];
}

interface Part {
  readonly rules: readonly { readonly rule: AskedRule }[];
}

function toRules({ allow, deny }: Offers): readonly AskedRule[] {
  return [...allow, ...deny].flatMap(({ rules }) =>
    rules.map(({ rule: { permission, pattern } }) => ({ permission, pattern })),
  );
}
