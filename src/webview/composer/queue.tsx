import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button, Icon, IconButton } from '../controls/icon.tsx';
import type { ChatState, QueuedMessage } from '../messages/chatState.ts';
import { useSurroundings } from '../state/context.ts';

/** Characters. */
const HEAD = 40;

type Text = ReturnType<typeof useSurroundings>['t'];

/**
 * Queued messages. *Edit* moves one into the input, with its chips and behind what is there; *Send Now*
 * puts it into the running turn; *Remove*, or the key Delete, can be undone until another message is sent.
 * A queue that a failed turn paused waits for *Resume Queue*.
 */
export function Queue({ state }: { readonly state: ChatState }) {
  const { t, host } = useSurroundings();
  const { queue, removed } = state;
  /** The message whose removal gives the focus to *Undo*. */
  const removing = useRef<string | undefined>(undefined);
  const remove = (id: string) => {
    removing.current = id;
    host.post({ type: 'removeQueued', id });
  };
  return (
    <>
      {state.queuePaused === true && queue.length > 0 && <Paused />}
      {queue.length > 0 && (
        <ul class="queue" aria-label={t('queued')}>
          {queue.map((message, at) => (
            <li
              key={message.id}
              title={t(message.steered ? 'steered' : 'queued')}
              onKeyDown={(event) => {
                if (event.key !== 'Delete') return;
                event.preventDefault();
                remove(message.id);
              }}
            >
              {message.steered && <Icon name="arrow-right" />}
              <span class="queue-text" dir="auto">
                {message.text}
              </span>
              <Count message={message} />
              <Actions state={state} at={at} remove={remove} />
            </li>
          ))}
        </ul>
      )}
      {removed && <Removed key={removed.id} message={removed} focus={removing} />}
    </>
  );
}

/** Says what was removed. Its button gets the focus that the removed row had, and the message that of the button. */
function Removed({
  message,
  focus,
}: {
  readonly message: QueuedMessage;
  readonly focus: { current: string | undefined };
}) {
  const { t, host } = useSurroundings();
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (focus.current !== message.id) return;
    focus.current = undefined;
    box.current?.querySelector('button')?.focus();
  }, [focus, message.id]);
  const end = (type: 'restoreRemoved' | 'dismissRemoved') => {
    host.post({ type });
    document.querySelector<HTMLElement>('.composer textarea')?.focus();
  };
  const head = getHead(message, t);
  return (
    <section class="queue-removed" ref={box}>
      <span class="queue-text" role="status" dir="auto">
        {t('removedQueued', head)}
      </span>
      <Button onClick={() => end('restoreRemoved')}>{t('undo')}</Button>
      <IconButton name="close" label={t('dismiss')} onClick={() => end('dismissRemoved')} />
    </section>
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
  remove,
}: {
  readonly state: ChatState;
  readonly at: number;
  readonly remove: (id: string) => void;
}) {
  const { t, host } = useSurroundings();
  const message = queue[at];
  if (message === undefined) return null;
  const { id } = message;
  const head = getHead(message, t);
  const above = queue[at - 1];
  const below = queue[at + 2];
  const last = at === queue.length - 1;
  return (
    <span class="queue-actions">
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
      <IconButton name="trash" label={t('removeQueued', head)} onClick={() => remove(id)} />
    </span>
  );
}

/** The begin of a message, which tells its button from the others. */
function getHead({ text, attachments = 0 }: QueuedMessage, t: Text): string {
  const head = text.length > HEAD ? `${text.slice(0, HEAD)}…` : text;
  return head || t('attachedCount', attachments);
}

function Count({ message: { attachments } }: { readonly message: QueuedMessage }) {
  const { t } = useSurroundings();
  return attachments === undefined ? null : <span>{t('attachedCount', attachments)}</span>;
}
