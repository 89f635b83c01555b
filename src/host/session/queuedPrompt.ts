import type { SessionQueue } from '../../acp/gatehouse/queues.ts';
import type { QueueState } from './queue.ts';
import type { TurnJob } from './turn/turn.ts';

/** A session's queue in the form that the client gets. */
export function toSessionQueue(
  sessionId: string,
  { running, waiting }: QueueState<TurnJob>,
): SessionQueue {
  return {
    sessionId,
    ...(running === undefined ? {} : { running }),
    entries: waiting.flatMap(({ id, job, since }) => {
      if (job === 'continue') return [];
      const texts = job.flatMap((block) => (block.type === 'text' ? [block.text] : []));
      return [{ id, text: texts.join('\n'), attachments: job.length - texts.length, since }];
    }),
  };
}

/** Replaces the prompt's text; the attachments follow it. */
export function withText(prompt: TurnJob, text: string): TurnJob {
  if (prompt === 'continue') return prompt;
  return [{ type: 'text', text }, ...prompt.filter(({ type }) => type !== 'text')];
}
