import { IconButton } from '../controls/icon.tsx';
import type { ChatState, QueuedMessage } from '../messages/chatState.ts';
import { useSurroundings } from '../state/context.ts';

/** Queued messages. Removing one puts it back into the input, where it can be edited. */
export function Queue({ state }: { readonly state: ChatState }) {
  const { t, host } = useSurroundings();
  if (state.queue.length === 0) return null;
  return (
    <ul class="queue" aria-label={t('queued')}>
      {state.queue.map((message) => (
        <li key={message.id} title={t('queued')}>
          <span dir="auto">{message.text}</span>
          <Count message={message} />
          <IconButton
            name="close"
            label={t('removeQueued')}
            onClick={() => host.post({ type: 'unqueue', id: message.id })}
          />
        </li>
      ))}
    </ul>
  );
}

function Count({ message: { attachments } }: { readonly message: QueuedMessage }) {
  const { t } = useSurroundings();
  return attachments === undefined ? null : <span>{t('attachedCount', attachments)}</span>;
}
