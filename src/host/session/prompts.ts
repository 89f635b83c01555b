import type { PromptResponse } from '@agentclientprotocol/sdk';
import type { SessionQueue } from '../../acp/gatehouse/queues.ts';
import { notifyClient } from '../client/requestClient.ts';
import type { HostServices } from '../services/hostServices.ts';
import type { Queue, QueueState } from './queue.ts';
import type { TurnJob } from './turn/turn.ts';

/** What a client can do with the queued prompts of one session. Each change is published to it. */
export class SessionPrompts {
  readonly #sessionId: string;
  readonly #services: HostServices;
  readonly #queue: () => Queue<TurnJob, PromptResponse>;

  constructor(
    sessionId: string,
    services: HostServices,
    queue: () => Queue<TurnJob, PromptResponse>,
  ) {
    this.#sessionId = sessionId;
    this.#services = services;
    this.#queue = queue;
  }

  /** The queued prompts and the running one. */
  get listed(): SessionQueue {
    return toSessionQueue(this.#sessionId, this.#queue().state);
  }

  /** Answers a queued prompt with `cancelled`. False when it is no longer queued. */
  remove(id: string): boolean {
    return this.#queue().remove(id);
  }

  /** Replaces the text of a queued prompt and keeps its attachments. False when it is no longer queued. */
  edit(id: string, text: string): boolean {
    return this.#queue().edit(id, (job) => withText(job, text));
  }

  publish(): void {
    const { client, warn } = this.#services;
    if (!client.facts.queue) return;
    notifyClient(client, 'queueChanged', this.listed).catch((error) => warn(String(error)));
  }
}

/** A session's queue in the form that the client gets. */
function toSessionQueue(
  sessionId: string,
  { running, waiting }: QueueState<TurnJob>,
): SessionQueue {
  return {
    sessionId,
    ...(running === undefined ? {} : { running }),
    entries: waiting.flatMap(({ id, job, since }) => {
      if (typeof job === 'string') return [];
      const texts = job.flatMap((block) => (block.type === 'text' ? [block.text] : []));
      return [{ id, text: texts.join('\n'), attachments: job.length - texts.length, since }];
    }),
  };
}

/** Replaces the prompt's text; the attachments follow it. */
function withText(prompt: TurnJob, text: string): TurnJob {
  if (typeof prompt === 'string') return prompt;
  return [{ type: 'text', text }, ...prompt.filter(({ type }) => type !== 'text')];
}
