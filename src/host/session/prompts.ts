import type { ContentBlock, PromptResponse } from '@agentclientprotocol/sdk';
import { parseCompact, parseServerCommand } from '../../acp/commands.ts';
import type { SessionQueue } from '../../acp/gatehouse/queues.ts';
import { notifyClient } from '../client/requestClient.ts';
import type { HostServices } from '../services/hostServices.ts';
import { createQueue, type Queue, type QueueState } from './queue.ts';
import type { OpenDriver, SteeredPrompt, TurnSession } from './turn/driver.ts';
import { NOT_SENT, toRequestError } from './turn/promptError.ts';
import { runSessionTurn, type TurnJob } from './turn/turn.ts';

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

  /** Answers a queued prompt with `cancelled`. Returns what was attached; undefined when it is no longer queued. */
  remove(id: string): readonly ContentBlock[] | undefined {
    const job = this.#queue().state.waiting.find((entry) => entry.id === id)?.job;
    if (job === undefined || !this.#queue().remove(id)) return undefined;
    return typeof job === 'string' ? [] : job.filter(({ type }) => type !== 'text');
  }

  /** Replaces the text of a queued prompt and keeps its attachments. False when it is no longer queued. */
  edit(id: string, text: string): boolean {
    return this.#queue().edit(id, (job) => withText(job, text));
  }

  /** Puts a queued prompt before another one, or last. False when either is no longer queued. */
  move(id: string, before: string | undefined): boolean {
    return this.#queue().move(id, before);
  }

  /** Puts a queued prompt into the running turn at its next step. False when nothing runs or waits. */
  steer(id: string): boolean {
    const job = this.#queue().state.waiting.find((entry) => entry.id === id)?.job;
    // A command is no message to the model.
    if (job === undefined || typeof job === 'string' || isCommand(job)) return false;
    return this.#queue().steer(id);
  }

  /** The prompts that the running turn is to take now. */
  get steered(): readonly SteeredPrompt[] {
    return this.#queue().steered.flatMap(({ id, job }) =>
      typeof job === 'string' ? [] : [{ id, blocks: job }],
    );
  }

  /** The turn has stored these prompts. Their requests end; the turn's own tells how it ends. */
  take(ids: readonly string[]): void {
    this.#queue().take(ids);
  }

  /** Runs the queue since a turn failed. False when the queue is not paused. */
  resume(): boolean {
    return this.#queue().resume();
  }

  publish(): void {
    const { client, warn } = this.#services;
    if (!client.facts.queue) return;
    notifyClient(client, 'queueChanged', this.listed).catch((error) => warn(String(error)));
  }
}

function isCommand(job: readonly ContentBlock[]): boolean {
  return parseCompact(job) !== undefined || parseServerCommand(job) !== undefined;
}

/** The queue that runs the session's turns. */
export function createPromptQueue(
  services: HostServices,
  session: TurnSession & { readonly prompts: SessionPrompts },
  openDriver: OpenDriver,
): Queue<TurnJob, PromptResponse> {
  return createQueue<TurnJob, PromptResponse>({
    run: (job, signal) => runSessionTurn(services, session, openDriver, job, signal),
    onCancelled: () => ({ stopReason: 'cancelled' }),
    pauses: () => services.client.facts.resumeQueue,
    onFailed: () => toRequestError(NOT_SENT),
    onTaken: () => ({ stopReason: 'end_turn' }),
    onChanged: () => session.prompts.publish(),
  });
}

/** A session's queue in the form that the client gets. */
function toSessionQueue(
  sessionId: string,
  { running, waiting, paused }: QueueState<TurnJob>,
): SessionQueue {
  return {
    sessionId,
    ...(running === undefined ? {} : { running }),
    ...(paused && { paused }),
    entries: waiting.flatMap(({ id, job, since, steered }) => {
      if (typeof job === 'string') return [];
      const texts = job.flatMap((block) => (block.type === 'text' ? [block.text] : []));
      const attachments = job.length - texts.length;
      return [{ id, text: texts.join('\n'), attachments, since, ...(steered && { steered }) }];
    }),
  };
}

/** Replaces the prompt's text; the attachments follow it. */
function withText(prompt: TurnJob, text: string): TurnJob {
  if (typeof prompt === 'string') return prompt;
  return [{ type: 'text', text }, ...prompt.filter(({ type }) => type !== 'text')];
}
