import { Button, Icon } from '../controls/icon.tsx';
import { Scrolled } from '../controls/scrolled.tsx';
import type { ChatCommand, ErrorItem, NoteItem } from '../messages/chatState.ts';
import type { StringKey } from '../messages/stringKeys.ts';
import { useSurroundings } from '../state/context.ts';

/** An informational line from Gatehouse. */
export function Note({ item }: { readonly item: NoteItem }) {
  return (
    <article class="item note" data-kind="note" tabIndex={-1}>
      <Icon name="info" /> {item.text}
    </article>
  );
}

const LABELS: Readonly<Record<ChatCommand, StringKey>> = {
  newSession: 'newSession',
  setModel: 'setModel',
  setApiKey: 'setApiKey',
  showLog: 'showLog',
  restartHost: 'restartHost',
  manageTrust: 'manageTrust',
  reviewRules: 'reviewRules',
  openSettings: 'openSettings',
  reviewChanges: 'reviewChanges',
  keepAllChanges: 'keepAll',
  undoAllChanges: 'undoAll',
};

/** An error: what failed, what was kept, and which actions are available. */
export function ErrorCard({ item }: { readonly item: ErrorItem }) {
  const { t, host } = useSurroundings();
  return (
    <article class="item error" data-kind="error" tabIndex={-1}>
      <div role="alert">
        <h3>
          <Icon name="error" /> {t('error')}
        </h3>
        <p>{item.text}</p>
        {item.detail !== undefined && <Scrolled class="output">{item.detail}</Scrolled>}
        <div class="actions">
          {item.retry && (
            <Button primary onClick={() => host.post({ type: 'retry' })}>
              {t('retry')}
            </Button>
          )}
          {item.continues && (
            <Button primary onClick={() => host.post({ type: 'retry' })}>
              {t('continue')}
            </Button>
          )}
          {item.commands.map((command) => (
            <Button key={command} onClick={() => host.post({ type: 'run', command })}>
              {t(LABELS[command])}
            </Button>
          ))}
        </div>
      </div>
    </article>
  );
}
