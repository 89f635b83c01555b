import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { SessionQueue } from '../../acp/gatehouse/queues.ts';
import type { QueueState } from './queue.ts';

type Prompt = readonly ContentBlock[];

/** A session's queue in the form that the client gets. */
export function toSessionQueue(
  sessionId: string,
  { running, waiting }: QueueState<Prompt>,
): SessionQueue {
  return {
    sessionId,
    ...(running === undefined ? {} : { running }),
    entries: waiting.map(({ id, job, since }) => {
      const texts = job.flatMap((block) => (block.type === 'text' ? [block.text] : []));
      return { id, text: texts.join('\n'), attachments: job.length - texts.length, since };
    }),
  };
}

/** Replaces the prompt's text; the attachments follow it. */
export function withText(prompt: Prompt, text: string): Prompt {
  return [{ type: 'text', text }, ...prompt.filter(({ type }) => type !== 'text')];
}
