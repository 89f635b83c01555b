import type { ContentBlock, ContentChunk } from '@agentclientprotocol/sdk';

/** The newest message that the host has sent: of the history that loads, or put into the running turn. */
export class HostPrompt {
  #id: unknown;
  #blocks: readonly ContentBlock[] | undefined;

  get blocks(): readonly ContentBlock[] | undefined {
    return this.#blocks;
  }

  /** Adds a part of a message: of the one before if it has the same id. */
  add({ messageId, content }: ContentChunk): void {
    const isSame = messageId != null && this.#id === messageId;
    this.#blocks = [...((isSame && this.#blocks) || []), content];
    this.#id = messageId;
  }

  clear(): void {
    this.#id = undefined;
    this.#blocks = undefined;
  }
}
