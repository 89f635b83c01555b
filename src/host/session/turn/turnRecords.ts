import { toPromptParts, toPromptUpdate } from '../../../acp/prompt.ts';
import type { Chunk } from '../../../base/stream/chunk.ts';
import type { MessageMetadata, StoredMessage } from '../../../base/stream/stored.ts';
import type { TurnRecord } from '../../../recorder/records.ts';
import type { HostServices } from '../../services/hostServices.ts';
import type { SteeredPrompt, TurnDriver, TurnSession } from './driver.ts';
import type { TurnPublisher } from './turnPublisher.ts';

/** What a turn writes: one message, or several with the user's between them. */
export interface TurnRecords {
  /** A promise when storing takes longer, because the store is busy. */
  record(chunks: readonly Chunk[]): Promise<void> | undefined;
  /** Stores and publishes the prompts that the user put into the turn; what follows is a new message. */
  split(publisher: Pick<TurnPublisher, 'flush'>): readonly StoredMessage[];
  close(): void;
}

export function createRecords(
  services: HostServices,
  session: TurnSession,
  driver: TurnDriver,
  first: TurnRecord,
): TurnRecords {
  let record = first;
  const { recorder } = services;

  /** In one transaction, so that no window can begin a turn in between. */
  function store(prompts: readonly SteeredPrompt[]): readonly StoredMessage[] {
    return recorder.together(() => {
      record.record({ type: 'finish', finishReason: 'other' });
      record.close();
      const messages = prompts.map(({ blocks }) =>
        recorder.addUserMessage(session.id, toPromptParts(blocks)),
      );
      const opened = recorder.openTurn(session.id, toMetadata(session, driver));
      if (!opened.ok) throw new Error(opened.error);
      record = opened.data;
      return messages;
    });
  }

  return {
    record: (chunks) => {
      record.record(...chunks);
      return record.behind;
    },
    split(publisher) {
      const prompts = session.prompts.steered;
      if (prompts.length === 0) return [];
      publisher.flush();
      const messages = store(prompts);
      for (const message of messages) publish(services, message);
      session.prompts.take(prompts.map(({ id }) => id));
      return messages;
    },
    close: () => record.close(),
  };
}

/** Stored with a turn's message. */
export function toMetadata(session: TurnSession, driver: TurnDriver): MessageMetadata {
  return { agent: session.definition.name, ...driver.metadata };
}

function publish({ client, warn }: HostServices, { id, sessionId, parts }: StoredMessage): void {
  const updates = parts.flatMap((part) => {
    if (part.type === 'file') return toPromptUpdate(id, part.data);
    if (part.type !== 'text') return [];
    const content = { type: 'text' as const, text: part.text };
    return [{ sessionUpdate: 'user_message_chunk' as const, messageId: id, content }];
  });
  for (const update of updates)
    client.update(sessionId, update).catch((error) => warn(String(error)));
}
