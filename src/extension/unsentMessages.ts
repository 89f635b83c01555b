import { toRecord } from '../base/json.ts';
import { parseAttached } from '../webview/messages/attached.ts';
import type { ChatSession } from './chat/chatSession.ts';
import type { UnsentMessage, UnsentStore } from './chat/message.ts';
import type { Translate } from './text/translate.ts';

/** The workspace state of the editor. */
export interface Memento {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const KEY = 'gatehouse.unsent';

/**
 * The messages that the host has not begun with, in the state of the workspace: the queue is the
 * host's and ends with the window. Of what is attached, only the chips are kept here; the contents are
 * on disk (`AttachedContents`).
 */
export class UnsentMessages implements UnsentStore {
  readonly #memento: Memento;
  readonly #t: Translate;
  readonly #read: () => readonly UnsentMessage[];
  /** What an earlier window has left, and no session has taken. */
  #left: readonly UnsentMessage[];
  #written: string | undefined;
  #due = false;
  #closed = false;

  /** @param read the messages of all open sessions, in their order */
  constructor(memento: Memento, t: Translate, read: () => readonly UnsentMessage[]) {
    this.#memento = memento;
    this.#t = t;
    this.#read = read;
    this.#left = parseAll(memento.get(KEY));
  }

  get closed(): boolean {
    return this.#closed;
  }

  close(): void {
    this.#closed = true;
  }

  restore(session: ChatSession): void {
    const isOwn = ({ sessionId }: UnsentMessage) => sessionId === session.id;
    const own = this.#left.filter(isOwn);
    if (own.length === 0) return;
    this.#left = this.#left.filter((each) => !isOwn(each));
    for (const { text, attached } of own) session.returnMessage({ text, attached });
    if (session.id !== undefined) session.note(describeRestored(own.length, this.#t));
  }

  /** Keeps the messages as they are after all changes of now. */
  changed(): void {
    if (this.#due) return;
    this.#due = true;
    queueMicrotask(() => {
      this.#due = false;
      if (!this.#closed) this.#keep();
    });
  }

  #keep(): void {
    const all = [...this.#left, ...this.#read()].map(({ sessionId, text, attached }) => ({
      ...(sessionId !== undefined && { sessionId }),
      ...{ text, attached: attached.map(({ chip }) => chip) },
    }));
    const written = JSON.stringify(all);
    if (written === this.#written) return;
    this.#written = written;
    void this.#memento.update(KEY, all.length === 0 ? undefined : all);
  }
}

function describeRestored(count: number, t: Translate): string {
  return count === 1
    ? t('The window closed before this message was sent. It is in the input again.')
    : t('The window closed before {0} messages were sent. They are in the input again.', count);
}

function parseAll(value: unknown): readonly UnsentMessage[] {
  return Array.isArray(value) ? value.flatMap(parseUnsent) : [];
}

function parseUnsent(value: unknown): readonly UnsentMessage[] {
  const { sessionId, text, attached } = toRecord(value);
  if (typeof text !== 'string' || !Array.isArray(attached)) return [];
  const chips = attached.map(parseAttached).filter((chip) => chip !== undefined);
  return [
    {
      ...(typeof sessionId === 'string' && { sessionId }),
      ...{ text, attached: chips.map((chip) => ({ chip })) },
    },
  ];
}
