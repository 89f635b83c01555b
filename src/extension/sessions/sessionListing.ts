import type { ListSessionsRequest } from '@agentclientprotocol/sdk';
import { toMeta } from '../../acp/gatehouse/parse.ts';
import type { SessionListMeta } from '../../acp/gatehouse/sessionList.ts';
import type { Clock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import type { ChatSession } from '../chat/chatSession.ts';
import type { Chats } from '../chat/chats.ts';
import type { HostLink } from '../host/hostLink.ts';
import { SessionList } from './sessionList.ts';
import type { SessionRow } from './sessionTree.ts';
import { toEntry } from './toEntry.ts';

export interface SessionListingParts {
  readonly link: Pick<HostLink, 'connection' | 'onDidConnect' | 'onDidChangeSessions'>;
  readonly chats: Pick<Chats, 'all' | 'withId' | 'onDidChange'>;
  readonly clock: Clock;
  /** The open folders, or the scratch folder if there is none. */
  folders(): readonly string[];
  readonly unread: {
    has(session: ChatSession): boolean;
    onDidChange(listener: () => void): Disposable;
  };
}

export interface Listed {
  readonly entries: readonly SessionRow[];
  readonly hasMore: boolean;
}

/** How long changes are collected before the list is read again, in milliseconds. */
const REST = 300;
const NOTHING: Listed = { entries: [], hasMore: false };

/** The stored sessions of the open folders, with what those of this window do now. */
export class SessionListing implements Disposable {
  readonly #parts: SessionListingParts;
  readonly #store = new DisposableStore();
  readonly #changed = new Emitter<void>();
  readonly #seen = new WeakMap<ChatSession, string>();
  readonly onDidChange = this.#changed.event;
  #list: SessionList | undefined;
  #withArchived = false;
  /** What was read is of this generation; those after it were invalidated. */
  #read = 0;
  #generation = 1;
  #reading: Promise<void> | undefined;
  #timer: Disposable | undefined;

  constructor(parts: SessionListingParts) {
    this.#parts = parts;
    this.#store.add(parts.link.onDidConnect(() => this.#soon()));
    this.#store.add(parts.link.onDidChangeSessions(() => this.#soon()));
    this.#store.add(parts.chats.onDidChange(({ session }) => this.#look(session)));
    this.#store.add(parts.unread.onDidChange(() => this.#changed.fire()));
  }

  /** What was read last, with what the sessions do now. */
  get known(): Listed {
    if (this.#list === undefined) return NOTHING;
    const { chats, unread } = this.#parts;
    const isUnread = (session: ChatSession) => unread.has(session);
    return {
      entries: this.#list.sessions.map((info) =>
        toEntry(info, chats.withId(info.sessionId), isUnread),
      ),
      hasMore: this.#list.hasMore,
    };
  }

  /** Reads the list unless it is known. */
  async read(): Promise<Listed> {
    // What is being read may be invalid by the time it is there.
    for (let tries = 0; tries < 2 && !this.isValid; tries += 1) {
      this.#reading ??= this.#load().finally(() => {
        this.#reading = undefined;
      });
      await this.#reading;
    }
    return this.known;
  }

  /** Whether `read` answers without asking the host. */
  get isValid(): boolean {
    return this.#read === this.#generation;
  }

  /** The next `read` asks the host. */
  invalidate(): void {
    this.#generation += 1;
  }

  /** Asks the host again, also if no view shows the list: one may be hidden while it has nothing to list. */
  refresh(): void {
    this.invalidate();
    this.#changed.fire();
  }

  async loadMore(): Promise<void> {
    await this.#list?.loadMore();
  }

  showArchived(shown: boolean): void {
    this.#withArchived = shown;
    this.invalidate();
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#store.dispose();
  }

  async #load(): Promise<void> {
    const generation = this.#generation;
    const connection = await this.#parts.link.connection();
    const meta = this.#withArchived ? toMeta<SessionListMeta>({ archived: true }) : {};
    const list = (request: ListSessionsRequest) => connection.listSessions({ ...request, ...meta });
    const folders = this.#parts.folders();
    const least = this.#list?.sessions.length ?? 0;
    this.#list = await SessionList.load({ list }, folders, least);
    this.#read = generation;
  }

  /** A turn that streams changes its session often, but seldom what its row shows. */
  #look(session: ChatSession): void {
    const { state, id } = session;
    const { activity, title } = state;
    const asks = state.asks.map(({ kind }) => kind);
    const shown = JSON.stringify([id, activity, title, asks, state.retry != null]);
    if (this.#seen.get(session) === shown) return;
    this.#seen.set(session, shown);
    if (id === undefined) return;
    this.#changed.fire();
    this.#soon();
  }

  #soon(): void {
    this.#timer ??= this.#parts.clock.after(REST, () => {
      this.#timer = undefined;
      this.refresh();
    });
  }
}
