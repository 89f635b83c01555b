import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { SessionQueue } from '../../acp/gatehouse/queues.ts';
import type { QueueState } from './queue.ts';

type Prompt = readonly ContentBlock[];

/** A session's queue as its client sees it. */
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

/** The prompt with another text, in front of what is attached. */
export function withText(prompt: Prompt, text: string): Prompt {
  return [{ type: 'text', text }, ...prompt.filter(({ type }) => type !== 'text')];
}
