import { Button } from '../controls/icon.tsx';
import type { StartOffer, StartState } from '../messages/chatState.ts';
import { useSurroundings } from '../state/context.ts';

/** An empty chat: models to begin with if none is set, else what the workspace suggests to ask. */
export function Start({ start }: { readonly start: StartState | undefined }) {
  const { t } = useSurroundings();
  return (
    <div class="empty">
      <p class="empty-title">{t(start?.offers === undefined ? 'empty' : 'chooseFirstModel')}</p>
      <p class="dim">{t('emptyHint')}</p>
      {start?.offers === undefined ? (
        <Suggestions suggestions={start?.suggestions ?? []} />
      ) : (
        <Offers offers={start.offers} />
      )}
    </div>
  );
}

function Offers({ offers }: { readonly offers: readonly StartOffer[] }) {
  const { t, host } = useSurroundings();
  return (
    <ul class="start" aria-label={t('chooseFirstModel')}>
      {offers.map(({ ref, label, detail }) => (
        <li key={ref}>
          <Button onClick={() => host.post({ type: 'useModel', ref })}>
            <span class="start-label">{label}</span>
            <span class="start-detail">{detail}</span>
          </Button>
        </li>
      ))}
      <li>
        <Button onClick={() => host.post({ type: 'run', command: 'setModel' })}>
          <span class="start-label">{t(offers.length === 0 ? 'setModel' : 'otherModel')}</span>
        </Button>
      </li>
    </ul>
  );
}

function Suggestions({ suggestions }: Pick<StartState, 'suggestions'>) {
  const { t, host } = useSurroundings();
  if (suggestions.length === 0) return null;
  return (
    <ul class="start" aria-label={t('startSuggestions')}>
      {suggestions.map(({ label, text }) => (
        <li key={label}>
          <Button onClick={() => host.post({ type: 'send', text })}>
            <span class="start-label">{label}</span>
          </Button>
        </li>
      ))}
    </ul>
  );
}
