import { getMessage } from '../../base/faults.ts';
import type { Chip, ReadResult } from '../../webview/messages/attached.ts';
import type { Translate } from '../text/translate.ts';
import type { AttachedContents } from './contents.ts';
import type { ChipContent } from './lookUp.ts';
import type { Composing } from './outbox.ts';

/** A view whose page shows what is being read. */
export interface Attachable extends Composing {
  addToMessage(attached: readonly Chip[], text?: string): void;
  attached(request: string, result: ReadResult): void;
}

/** A content that is read for a chip, which the page shows until then. */
export interface ToRead {
  readonly chip: Omit<Chip, 'id'>;
  /** Undefined if there is nothing to attach. */
  read(): Promise<ChipContent | undefined>;
}

/**
 * Reads what is attached to messages. A chip stands for it from the beginning, so that no message is
 * sent without it, and each is answered, also when it can't be read.
 */
export class Readings {
  readonly #contents: Pick<AttachedContents, 'add'>;
  readonly #t: Translate;
  readonly #running = new Set<string>();

  constructor(contents: Pick<AttachedContents, 'add'>, t: Translate) {
    this.#contents = contents;
    this.#t = t;
  }

  /** Reads for a chip that the page shows already. Never rejects. */
  async answer(view: Attachable, request: string, read: ToRead['read']): Promise<void> {
    this.#running.add(request);
    const result = await this.#read(read);
    this.#running.delete(request);
    view.attached(request, result);
  }

  /** Adds chips to the message, focuses it, and reads them. */
  async add(view: Attachable, all: readonly ToRead[], text?: string): Promise<void> {
    const requests = all.map((each) => ({ ...each, id: crypto.randomUUID() }));
    const chips = requests.map(({ id, chip }) => ({ id, ...chip, reading: true as const }));
    view.addToMessage(chips, text);
    await Promise.all(requests.map(({ id, read }) => this.answer(view, id, read)));
  }

  /**
   * Answers chips that an earlier page has left and nobody reads any more, such as after a reload of the
   * window.
   */
  answerLost(view: Attachable, requests: readonly string[]): void {
    const fault = this.#t('The chat was closed before it was read. Remove it and attach it again.');
    for (const request of requests) {
      if (!this.#running.has(request)) view.attached(request, { fault });
    }
  }

  async #read(read: ToRead['read']): Promise<ReadResult> {
    try {
      const found = await read();
      if (found === undefined) return { fault: this.#t('There is nothing to attach.') };
      return { attached: await this.#contents.add(found.chip, found.content) };
    } catch (error) {
      return { fault: getMessage(error) };
    }
  }
}
