import { IconButton } from '../controls/icon.tsx';
import type { ChatState, QueuedMessage } from '../messages/chatState.ts';
import { useSurroundings } from '../state/context.ts';

/** Characters. */
const HEAD = 40;

/** Queued messages. *Edit* moves one into the input, with its chips and behind what is there. */
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
            name="edit"
            label={t(
              'editQueued',
              toHead(message.text) || t('attachedCount', message.attachments ?? 0),
            )}
            onClick={() => host.post({ type: 'unqueue', id: message.id })}
          />
        </li>
      ))}
    </ul>
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
