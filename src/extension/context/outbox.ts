import { getMessage } from '../../base/faults.ts';
import { MESSAGE_BYTES } from '../../base/stream/attachment.ts';
import { KB, MB } from '../../base/units.ts';
import type { Attached } from '../../webview/messages/attached.ts';
import type { ChatSession } from '../chat/chatSession.ts';
import type { Chats } from '../chat/chats.ts';
import { type AttachedContent, type Message, toPrompt } from '../chat/message.ts';
import { plainNotice } from '../text/plainNotice.ts';
import type { Translate } from '../text/translate.ts';
import type { AttachedContents } from './contents.ts';

export interface OutboxParts {
  readonly chats: Pick<Chats, 'send'>;
  readonly contents: Pick<AttachedContents, 'get' | 'putBack' | 'remove'>;
  readonly t: Translate;
  /** Where a message that could not be sent is put back. */
  readonly views: { showing(session: ChatSession): Composing | undefined };
  readonly window: { showErrorMessage(message: string): unknown };
}

/** A view with a composer. */
export interface Composing {
  addToMessage(attached: readonly Attached[], text?: string): void;
}

/** Reads what is attached to messages and sends them, in the order in which the user did. */
export class Outbox {
  readonly #parts: OutboxParts;
  /** What was put back into a composer and is there still. */
  readonly #returned = new Set<string>();
  /** The message that is being read. */
  #last: Promise<void> | undefined;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  send(session: ChatSession, text: string, attached: readonly Attached[]): Promise<void> {
    if (attached.length === 0 && this.#last === undefined) {
      return this.#parts.chats.send(session, text);
    }
    const read = (this.#last ?? Promise.resolve()).then(() => this.#begin(session, text, attached));
    const last = read
      .then(() => undefined)
      .finally(() => {
        if (this.#last === last) this.#last = undefined;
      });
    this.#last = last;
    return read.then(({ sent }) => sent);
  }

  /**
   * Keeps what is attached to a message that is put back into a composer. That the host is done with it may
   * be known before or after this.
   */
  async putBack(attached: readonly AttachedContent[]): Promise<void> {
    for (const { chip } of attached) this.#returned.add(chip.id);
    const { contents, window } = this.#parts;
    try {
      for (const { chip, content } of attached) await contents.putBack(chip.id, content);
    } catch (error) {
      window.showErrorMessage(plainNotice(getMessage(error)));
    }
  }

  /** Removes what was sent. A retry has it from the session. */
  async #release(attached: readonly AttachedContent[]): Promise<void> {
    for (const { chip } of attached) {
      // What can't be removed is removed when it is old.
      if (!this.#returned.has(chip.id)) {
        await this.#parts.contents.remove(chip.id).catch(() => undefined);
      }
    }
  }

  /** Resolves when the message is handed on; its turn may take long. */
  async #begin(session: ChatSession, text: string, attached: readonly Attached[]) {
    const { chats, t, views, window } = this.#parts;
    let read: readonly ReadChip[] = [];
    try {
      read = await Promise.all(attached.map((chip) => this.#read(chip)));
      const missing = read.find(({ content }) => content === undefined);
      const message = { text, attached: read.filter(isRead) };
      if (missing !== undefined) {
        window.showErrorMessage(
          plainNotice(t('{0} is no longer available. Attach it again.', missing.chip.label)),
        );
      } else if (isTooLong(message)) {
        window.showErrorMessage(
          t(
            'The message with what is attached is larger than {0} MB, so it was not sent. Your text and all attachments are kept: remove one and send again.',
            MESSAGE_BYTES / MB,
          ),
        );
      } else {
        for (const { id } of attached) this.#returned.delete(id);
        const sent = chats.send(session, text, message.attached);
        return { sent: sent.finally(() => this.#release(message.attached)) };
      }
    } catch (error) {
      window.showErrorMessage(plainNotice(getMessage(error)));
    }
    const view = views.showing(session);
    if (view !== undefined) view.addToMessage(attached, text);
    // What is gone cannot be put back.
    else session.returnMessage({ text, attached: read.filter(isRead) });
    return { sent: Promise.resolve() };
  }

  async #read(chip: Attached): Promise<ReadChip> {
    const content = await this.#parts.contents.get(chip.id);
    return { chip, ...(content && { content }) };
  }
}

/** Bytes that a prompt may take in its message, besides which there are a few names and ids. */
const PROMPT_BYTES = MESSAGE_BYTES - 4 * KB;

/** The host would not read such a message. */
function isTooLong(message: Message): boolean {
  return Buffer.byteLength(JSON.stringify(toPrompt(message))) > PROMPT_BYTES;
}

/** A chip with its content, if that is still there. */
type ReadChip = Pick<AttachedContent, 'chip'> & Partial<AttachedContent>;

function isRead(read: ReadChip): read is AttachedContent {
  return read.content !== undefined;
}
