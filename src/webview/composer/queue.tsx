import { Button, Icon, IconButton } from '../controls/icon.tsx';
import type { ChatState, QueuedMessage } from '../messages/chatState.ts';
import { useSurroundings } from '../state/context.ts';

/** Characters. */
const HEAD = 40;

/**
 * Queued messages. *Edit* moves one into the input, with its chips and behind what is there; *Send Now*
 * puts it into the running turn. A queue that a failed turn paused waits for *Resume Queue*.
 */
export function Queue({ state }: { readonly state: ChatState }) {
  const { t } = useSurroundings();
  const { queue } = state;
  if (queue.length === 0) return null;
  return (
    <>
      {state.queuePaused === true && <Paused />}
      <ul class="queue" aria-label={t('queued')}>
        {queue.map((message, at) => (
          <li key={message.id} title={t(message.steered ? 'steered' : 'queued')}>
            {message.steered && <Icon name="arrow-right" />}
            <span dir="auto">{message.text}</span>
            <Count message={message} />
            <Actions state={state} at={at} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Paused() {
  const { t, host } = useSurroundings();
  return (
    <section class="retry" aria-label={t('queuePaused')}>
      <span class="retry-words" role="status">
        <Icon name="debug-pause" /> {t('queuePaused')}
      </span>
      <Button onClick={() => host.post({ type: 'resumeQueue' })}>{t('resumeQueue')}</Button>
    </section>
  );
}

function Actions({
  state: { activity, queue },
  at,
}: {
  readonly state: ChatState;
  readonly at: number;
}) {
  const { t, host } = useSurroundings();
  const message = queue[at];
  if (message === undefined) return null;
  const { id } = message;
  const head = toHead(message.text) || t('attachedCount', message.attachments ?? 0);
  const above = queue[at - 1];
  const below = queue[at + 2];
  const last = at === queue.length - 1;
  return (
    <>
      {activity === 'running' && !message.steered && (
        <IconButton
          name="arrow-right"
          label={t('sendQueuedNow', head)}
          onClick={() => host.post({ type: 'steer', id })}
        />
      )}
      {above !== undefined && (
        <IconButton
          name="arrow-up"
          label={t('moveQueuedUp', head)}
          onClick={() => host.post({ type: 'moveQueued', id, before: above.id })}
        />
      )}
      {!last && (
        <IconButton
          name="arrow-down"
          label={t('moveQueuedDown', head)}
          onClick={() =>
            host.post({ type: 'moveQueued', id, ...(below !== undefined && { before: below.id }) })
          }
        />
      )}
      <IconButton
        name="edit"
        label={t('editQueued', head)}
        onClick={() => host.post({ type: 'unqueue', id })}
      />
    </>
  );
}

/** The begin of a message, which tells its button from the others. */
function toHead(text: string): string {
  return text.length > HEAD ? `${text.slice(0, HEAD)}…` : text;
}

function Count({ message: { attachments } }: { readonly message: QueuedMessage }) {
  const { t } = useSurroundings();
  return attachments === undefined ? null : <span>{t('attachedCount', attachments)}</span>;
}
